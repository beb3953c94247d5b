import Operations
import Testing

struct RequiredThreadsTests {
  @Test func aFewThreadsCanBeHadTimeAndAgain() throws {
    for _ in 0..<50 { try WorkerThreads.requireThreads(8) }
  }
}
