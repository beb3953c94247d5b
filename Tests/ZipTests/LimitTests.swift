import Operations
import SystemPackage
import TestSupport
import Testing
import Zip

/// Archives at each limit, and one above it.
struct LimitTests {
  /// An archive that has a known number of everything that is limited.
  private static let zip = ZipBuilder([
    .stored("metadata.json", "[[1]]"), .deflated("photos/a.jpg", "not much"), .directory("b/"),
  ])
  private static let entries = 3
  private static let bytes = 13
  private static var directoryBytes: Int { 3 * 46 + "metadata.jsonphotos/a.jpgb/".utf8.count }

  @Test("Limits: the table contains every limit")
  func table() {
    #expect(Limits.table.count == Mirror(reflecting: Limits()).children.count)
    #expect(Set(Limits.table.map(\.limit)).count == Limits.table.count)
    for (name, limit) in Limits.table { #expect(Limits()[keyPath: limit] > 0, "\(name)") }
  }

  @Test(
    "Limits: an archive at a limit is read, and one above it is refused",
    arguments: [
      (\Limits.maximumEntries, entries), (\Limits.maximumDirectoryBytes, directoryBytes),
      (\Limits.maximumBytes, bytes),
    ])
  func boundary(_ limit: WritableKeyPath<Limits, Int> & Sendable, _ count: Int) throws {
    let disk = try ArchiveOnDisk(Self.zip.bytes)
    #expect(try disk.open(limits: Limits().with(limit, count)).entries.count == Self.entries)
    let error = try #require(throws: ArchiveError.self) {
      try disk.open(limits: Limits().with(limit, count - 1))
    }
    #expect(error.description.contains("\(count - 1)"))
  }

  @Test("Limits: the defaults allow 500 GB of photos of 2 MB with long names")
  func defaults() {
    let (photos, limits) = (250_000, Limits())
    #expect(limits.maximumEntries > photos * 4)
    #expect(limits.maximumBytes > photos * 2_000_000 * 4)
    #expect(limits.maximumDirectoryBytes > photos * (46 + 255 + 28) * 4)
    #expect(limits.maximumDocumentBytes > photos * 2 * 500)
  }
}
