import TestSupport
import Testing

@testable import ArchiveCatalog

/// The order of archives, whatever the clocks did.
@Suite struct ArchiveOrderTests {
  private func archive(_ path: String, date: Timestamp, sequence: Int64? = nil) -> ArchiveDescriptor {
    var archive = ArchiveDescriptor(path: path, fileBytes: 1, modifiedAt: date)
    (archive.archiveID, archive.digest, archive.libraryID) = (path, path, "L")
    archive.sequence = sequence
    return archive
  }

  private func increment(
    _ path: String, of base: ArchiveDescriptor, date: Timestamp, sequence: Int64? = nil
  ) -> ArchiveDescriptor {
    var increment = archive(path, date: date, sequence: sequence)
    increment.base = .init(
      archiveID: base.archiveID ?? "", digest: base.digest ?? "", depth: (base.base?.depth ?? 0) + 1)
    return increment
  }

  private func order(_ archives: [ArchiveDescriptor]) -> [String] {
    ArchiveOrder.sorted(archives).map(\.path)
  }

  @Test("Archive order: sequence numbers take precedence over dates")
  func sequence() {
    let archives = [
      archive("b", date: 100, sequence: 501), archive("a", date: 500, sequence: 500),
      archive("c", date: 50, sequence: 502),
    ]
    #expect(order(archives) == ["a", "b", "c"])
  }

  @Test("Archive order: an incremental archive follows its base, whatever their dates")
  func dependencies() {
    let full = archive("full", date: 500)
    let first = increment("first", of: full, date: 460)
    let second = increment("second", of: first, date: 200)
    #expect(order([second, first, full]) == ["full", "first", "second"])
  }

  @Test("Archive order: archives of older versions precede those with a sequence number")
  func olderVersions() {
    let archives = [
      archive("new", date: 100, sequence: 100), archive("old", date: 900), archive("older", date: 80),
    ]
    #expect(order(archives) == ["older", "old", "new"])
  }

  @Test("Archive order: dates order the archives of different libraries")
  func differentLibraries() {
    var other = archive("b", date: 200, sequence: 200)
    other.libraryID = "other"
    var phone = ArchiveDescriptor(path: "c", fileBytes: 1, modifiedAt: 150)
    phone.date = 150
    let archives = [archive("a", date: 100, sequence: 100), other, phone]
    #expect(order(archives) == ["a", "c", "b"])
  }

  @Test("Archive order: a flattened archive directly precedes the incremental one with its content")
  func flattened() {
    let full = archive("full", date: 100, sequence: 100)
    let second = increment("second", of: full, date: 300, sequence: 300)
    var flat = archive("z flat", date: 300, sequence: 300)
    flat.flattenedFrom = "second"
    #expect(order([second, flat, full]) == ["full", "z flat", "second"])
  }

  @Test("Archive order: archives that depend on each other, or on themselves, have an order")
  func cycle() {
    var (one, other) = (archive("a", date: 1), archive("b", date: .max))
    one.base = .init(archiveID: "b", digest: "b", depth: 1)
    other.base = .init(archiveID: "a", digest: "a", depth: 1)
    var itself = archive("c", date: 5)
    itself.base = .init(archiveID: "c", digest: "c", depth: 1)
    #expect(Set(order([one, other, itself])) == ["a", "b", "c"])
    #expect(order([one, other, itself]).count == 3)
  }

  /// Steps from a second to a day in both directions.
  @Test("Archive order: exports keep their order over every step of the clock", arguments: 0..<200)
  func clockSteps(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var (clock, last): (Int64, Int64) = (1_700_000_000_000, 0)
    var archives: [ArchiveDescriptor] = []
    for number in 0..<40 {
      clock += Int64.random(in: 0...3_600_000, using: &random)
      if Bool.random(using: &random) {
        clock += Int64.random(in: 1000...86_400_000, using: &random) * (Bool.random(using: &random) ? 1 : -1)
      }
      last = max(clock, last + 1)
      let name = "\(Int.random(in: 0...9, using: &random)) \(number)"
      let base = archives.last.flatMap { Bool.random(using: &random) ? $0 : nil }
      archives.append(
        base.map { increment(name, of: $0, date: Timestamp(rawValue: clock), sequence: last) }
          ?? archive(name, date: Timestamp(rawValue: clock), sequence: last))
    }
    #expect(order(archives.shuffled(using: &random)) == archives.map(\.path))
  }

  // MARK: Branches

  @Test("Archive branches: a copied library continues as two")
  func copiedLibrary() throws {
    let common = archive("common", date: 1, sequence: 1)
    let (a1, a2) = (archive("a1", date: 2, sequence: 2), archive("a2", date: 4, sequence: 4))
    let (b1, b2) = (archive("b1", date: 3, sequence: 3), archive("b2", date: 5, sequence: 5))
    let earlier = ["a2": ["common", "a1"], "b2": ["common", "b1"]]
    var asked: [String] = []
    let branches = ArchiveBranches([common, a1, b1, a2, b2]) { archive in
      asked.append(archive.path)
      return earlier[archive.path]
    }.branches
    #expect(branches.map { $0.map(\.path) } == [["common", "b1", "b2"], ["a1", "a2"]])
    #expect(asked == ["b2", "a2"])
  }

  @Test("Archive branches: an archive without a list replaces all earlier ones")
  func withoutList() {
    let archives = [archive("a", date: 1), archive("b", date: 2, sequence: 2)]
    #expect(ArchiveBranches(archives) { _ in nil }.branches.map { $0.map(\.path) } == [["a", "b"]])
  }

  @Test("Archive branches: a flattened archive, and every part of a set, belong to their export")
  func derivedArchives() {
    let full = archive("full", date: 1, sequence: 1)
    var flat = archive("flat", date: 2, sequence: 2)
    flat.flattenedFrom = "second"
    let second = increment("second", of: full, date: 2, sequence: 2)
    var (one, two) = (archive("1", date: 3, sequence: 3), archive("2", date: 3, sequence: 3))
    one.part = .init(setID: "set", number: 1, count: 2)
    two.part = .init(setID: "set", number: 2, count: 2)
    let branches = ArchiveBranches([full, flat, second, one, two]) { archive in
      archive.path == "2" ? ["full", "second"] : []
    }.branches
    #expect(branches.count == 1)
  }
}
