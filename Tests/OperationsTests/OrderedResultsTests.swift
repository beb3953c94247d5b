import Operations
import Synchronization
import Testing

@Suite("Ordered results")
struct OrderedResultsTests {
  @Test("Ordered results: each is passed on as soon as all earlier items are done")
  func order() {
    let seen = Mutex<[String]>([])
    let results = OrderedResults<String> { value in seen.withLock { $0.append(value) } }
    results.add("b", at: 1)
    results.add("e", at: 4)
    results.add(nil, at: 2)
    #expect(seen.withLock { $0 } == [])
    results.add("a", at: 0)
    #expect(seen.withLock { $0 } == ["a", "b"])
    results.add("d", at: 3)
    #expect(seen.withLock { $0 } == ["a", "b", "d", "e"])
    #expect(results.values == ["a", "b", "d", "e"])
  }

  @Test("Ordered results: many threads, no result is lost or out of order")
  func threads() throws {
    let results = OrderedResults<Int>()
    try Workers.forEach(0..<5000, threads: 4) { results.add($0 % 3 == 0 ? nil : $0, at: $0) }
    #expect(results.values == (0..<5000).filter { $0 % 3 != 0 })
  }
}
