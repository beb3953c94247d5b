import Foundation
import SystemPackage
import TestSupport
import Testing
import Zip

/// `Fixtures/hostile/`: a few of the archives that these tests build, as files, for other programs and for
/// `scripts/fuzz` to begin with. `SMILEPILE_WRITE_FIXTURES=1 swift test --filter HostileFixtureTests` writes them.
struct HostileFixtureTests {
  /// The files, and which of the archives each is.
  static let files: [(file: String, description: String)] = [
    ("parent_folder.zip", "parent folder"), ("symbolic_link.zip", "symbolic link"),
    ("unicode_path.zip", "parent folder in the Unicode path"),
    ("normal_forms.zip", "one name in two normal forms"), ("overlap.zip", "two names for one entry"),
    ("quoted.zip", "an entry within an entry"), ("second_end.zip", "a second end in the comment"),
    ("prefix.zip", "prefix before ZIP64"), ("zip64_directory.zip", "directory at 2⁶³−1"),
    ("zip64_sizes.zip", "ZIP64 size of 2⁶³"), ("descriptor.zip", "wide descriptor with another size"),
    ("bzip2_size.zip", "bzip2 of 2⁶³−1 bytes"),
    ("hidden_entry.zip", "an entry in the middle that the directory does not have"),
  ]

  private static let hostile = [
    HostileArchives.files, HostileArchives.ends, HostileArchives.headers, HostileArchives.contents,
    HostileArchives.betweenEntries,
  ].flatMap(\.self)

  @Test("Hostile fixture: it is the archive that the tests build", arguments: files)
  func fixture(_ file: String, _ description: String) throws {
    let hostile = try #require(Self.hostile.first { $0.testDescription == description })
    let path = Fixture.path("hostile/\(file)")
    if ProcessInfo.processInfo.environment["SMILEPILE_WRITE_FIXTURES"] != nil {
      try Data(hostile.bytes).write(to: URL(fileURLWithPath: path.string))
    }
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path.string))) == hostile.bytes)
    #expect(throws: hostile.expected(path)) { try Archive(path: path) }
  }

  @Test("Hostile archives: there are more than 100 with distinct descriptions")
  func count() {
    #expect(Set(Self.hostile.map(\.testDescription)).count == Self.hostile.count)
    #expect(Self.hostile.count > 100)
  }
}
