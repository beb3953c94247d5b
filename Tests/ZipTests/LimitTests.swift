import Operations
import SystemPackage
import TestSupport
import Testing
import Zip

/// The table of limits: what is at a limit is read, and what is one over it is refused.
struct LimitTests {
  /// An archive with as much of each as the limits count.
  private static let zip = ZipBuilder([
    .stored("metadata.json", "[[1]]"), .deflated("photos/a.jpg", "not much"), .directory("b/"),
  ])
  private static let entries = 3
  private static let bytes = 13
  private static var directoryBytes: Int { 3 * 46 + "metadata.jsonphotos/a.jpgb/".utf8.count }

  @Test func theTableNamesEveryLimit() {
    #expect(Limits.table.count == Mirror(reflecting: Limits()).children.count)
    #expect(Set(Limits.table.map(\.limit)).count == Limits.table.count)
    for (name, limit) in Limits.table { #expect(Limits()[keyPath: limit] > 0, "\(name)") }
  }

  @Test(arguments: [
    (\Limits.maximumEntries, entries), (\Limits.maximumDirectoryBytes, directoryBytes),
    (\Limits.maximumBytes, bytes),
  ])
  func whatIsAtTheLimitIsRead(_ limit: WritableKeyPath<Limits, Int> & Sendable, _ count: Int) throws {
    let disk = try ArchiveOnDisk(Self.zip.bytes)
    #expect(try disk.open(limits: Limits().with(limit, count)).entries.count == Self.entries)
    let error = try #require(throws: ArchiveError.self) {
      try disk.open(limits: Limits().with(limit, count - 1))
    }
    #expect(error.description.contains("\(count - 1)"))
  }

  /// 500 GB of photos of 2 MB, with long names.
  @Test func theDefaultsLetALargeLibraryPass() {
    let (photos, limits) = (250_000, Limits())
    #expect(limits.maximumEntries > photos * 4)
    #expect(limits.maximumBytes > photos * 2_000_000 * 4)
    #expect(limits.maximumDirectoryBytes > photos * (46 + 255 + 28) * 4)
    #expect(limits.maximumDocumentBytes > photos * 2 * 500)
  }
}
