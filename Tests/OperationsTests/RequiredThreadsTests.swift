import Operations
import Testing

struct RequiredThreadsTests {
  @Test("Threads: a few can be required again and again")
  func requireThreads() throws {
    for _ in 0..<50 { try WorkerThreads.requireThreads(8) }
  }
}
