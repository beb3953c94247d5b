import Operations
import Synchronization
import Testing

@Suite("Ordered results")
struct OrderedResultsTests {
  @Test("Ordered results: each is passed on as soon as all earlier ones are known")
  func order() {
    let seen = Mutex<[String]>([])
    let results = OrderedResults<String>(from: 3) { index, result in
      seen.withLock { $0.append("\(index)\(result)") }
    }
    results.add("b", at: 4)
    results.add("d", at: 6)
    #expect(seen.withLock { $0 } == [])
    results.add("a", at: 3)
    #expect(seen.withLock { $0 } == ["3a", "4b"])
    results.add("c", at: 5)
    #expect(seen.withLock { $0 } == ["3a", "4b", "5c", "6d"])
  }

  @Test("Ordered results: many threads, no result is lost or out of order")
  func threads() throws {
    let seen = Mutex<[Int]>([])
    let results = OrderedResults<Void> { index, _ in seen.withLock { $0.append(index) } }
    try Workers.forEach(0..<5000, threads: 4) { results.add((), at: $0) }
    #expect(seen.withLock { $0 } == Array(0..<5000))
  }
}
