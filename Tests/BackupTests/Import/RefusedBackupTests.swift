import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Files that are not backups, and dangerous backups. The import refuses them, the error has the file and the
/// reason, and not a byte of the library changes.
@Suite struct RefusedBackupTests {
  /// A file, and a text that the message about it contains besides its name.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: @Sendable () throws -> [UInt8]
    var mentions: String
  }

  static let files: [Case] = [
    Case(
      testDescription: "text", bytes: { Array("no backup".utf8) },
      mentions: "neither a ZIP archive nor a JSON"),
    Case(
      testDescription: "an intact backup after other bytes",
      bytes: { Array(repeating: 7, count: 40) + (try intactBackup()) },
      mentions: "has 40 bytes before its first entry, which no backup has"),
    Case(testDescription: "an empty file", bytes: { [] }, mentions: "empty"),
    Case(testDescription: "a JPEG", bytes: { [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] }, mentions: "neither"),
    Case(testDescription: "a JSON list", bytes: { Array("[1]".utf8) }, mentions: "neither"),
    Case(testDescription: "an empty ZIP", bytes: { ZipBuilder([]).bytes }, mentions: "no metadata.json"),
    Case(
      testDescription: "truncated in the middle", bytes: { try intactBackup().dropLast(400) },
      mentions: "truncated"),
    Case(
      testDescription: "truncated by a byte", bytes: { try intactBackup().dropLast(1) }, mentions: "truncated"
    ),
    Case(
      testDescription: "truncated to its first entry", bytes: { Array(try intactBackup().prefix(60)) },
      mentions: "truncated"
    ),
    Case(
      testDescription: "without metadata.json",
      bytes: { ZipBuilder([.stored("photos/1_a.jpg", "a")]).bytes }, mentions: "no metadata.json"),
    Case(
      testDescription: "metadata.json two folders down",
      bytes: { ZipBuilder([.stored("a/b/metadata.json", "{}")]).bytes }, mentions: "no metadata.json"),
    Case(
      testDescription: "two metadata.json",
      bytes: { ZipBuilder([.stored("metadata.json", "{}"), .stored("x/metadata.json", "{}")]).bytes },
      mentions: "more than one metadata.json"),
    Case(
      testDescription: "entries outside of the one root folder",
      bytes: { ZipBuilder([.stored("x/metadata.json", "{}"), .stored("y/photos/a.jpg", "")]).bytes },
      mentions: "no metadata.json"),
    Case(
      testDescription: "metadata.json whose checksum is wrong",
      bytes: {
        ZipBuilder([ZipMember.stored("metadata.json", "{}").with { $0.both { $0.crc32 = 1 } }]).bytes
      }, mentions: "metadata.json"),
  ]

  @Test("Import: a file that is not an intact backup is refused with the reason", arguments: files)
  func invalidFile(_ file: Case) async throws {
    try await expectRefusal(of: file.bytes(), mentioning: file.mentions)
  }

  @Test(
    "Import: an archive with an unsafe entry name is refused with the name",
    arguments: [
      "../evil.jpg", "photos/../../evil.jpg", "/etc/evil.jpg", "photos\\evil.jpg", "..\\evil.jpg",
      "C:/evil.jpg",
      "photos/e\0vil.jpg", "photos//evil.jpg", "photos/./evil.jpg",
    ])
  func unsafeName(_ name: String) async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(.stored(name, "evil"))
    try await expectRefusal(of: backup.archive(), mentioning: name.escaped)
  }

  @Test("Import: an archive with an entry name in invalid UTF-8 is refused")
  func invalidUTF8Name() async throws {
    var backup = SampleBackup(photos: ["a"])
    let name = Array("photos/evil".utf8) + [0xFF]
    backup.members.append(
      ZipMember(name, content: [1], data: [1], method: 0).with { $0.both { $0.flags = 1 << 11 } })
    try await expectRefusal(of: backup.archive(), mentioning: "photos/evil")
  }

  @Test("Import: an archive with a symbolic link is refused with the name of the link")
  func symbolicLink() async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(
      ZipMember.stored("photos/link", "/etc/passwd").with { $0.central.externalAttributes = 0o120777 << 16 })
    try await expectRefusal(of: backup.archive(), mentioning: "photos/link")
  }

  @Test("Import: an archive with two entries of the same name is refused")
  func duplicateName() async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members += backup.members
    try await expectRefusal(of: backup.archive(), mentioning: "photos/1_a.jpg")
  }

  @Test(
    "Open backup: a read error is reported as such, not as an invalid file",
    arguments: [Errno.ioError, .noMemory])
  func readError(_ errno: Errno) throws {
    let scratch = ScratchFolder()
    let path = try scratch.write([UInt8](repeating: 7, count: 8000) + Self.intactBackup(), to: "backup.zip")
    // The first bytes are read twice, as an archive and as a document. The third read fails.
    let fault = ArmedFault(.error(errno), at: 3, of: [.read], below: path)
    defer { fault.disarm() }
    #expect(throws: ArchiveError.file(FileError("read", path, errno))) { try OpenedBackup(path: path) }
    #expect(fault.place != nil)
  }

  @Test("Import: a missing file and a folder are refused with the path")
  func missingFileAndFolder() async throws {
    let (library, scratch) = (try await filled(), ScratchFolder())
    let tree = try library.tree
    for (path, text) in [(scratch.path.appending("nowhere.zip"), "no file"), (scratch.path, "is a folder")] {
      let error = await #expect(throws: BackupError.self) { try await library.importing(path) }
      #expect(error?.description.contains(text) == true)
      #expect(error?.description.contains(path.string) == true)
    }
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Import and export: a path that is not a library is refused and nothing is written")
  func notALibrary() async throws {
    let scratch = ScratchFolder()
    try scratch.write([1], to: "Other/x")
    let backup = try SampleBackup(photos: ["a"]).write(to: scratch)
    let tree = try FolderTree(scratch.path)
    for folder in ["Nowhere", "Other", "backup.zip"] {
      let path = scratch.path.appending(folder)
      await #expect(throws: LibraryError.notALibrary(path)) {
        try await Work.import([backup], into: path).summary
      }
      await #expect(throws: LibraryError.notALibrary(path)) {
        try await Work.export(path, to: scratch.path).summary
      }
    }
    expectNone(try FolderTree(scratch.path).differences(from: tree))
  }

  @Test("Import: an invalid backup among several stops the import before any change")
  func invalidBackupAmongSeveral() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let tree = try library.tree
    let good = try SampleBackup(photos: ["a"]).write(to: scratch)
    let bad = try scratch.write("{\"version\": 3}", to: "bad.json")
    let error = await #expect(throws: BackupError.self) { try await library.importing(good, bad) }
    #expect(error?.description.contains("bad.json") == true)
    expectNone(try library.tree.differences(from: tree))
  }

  private static func intactBackup() throws -> [UInt8] { try SampleBackup(photos: ["a", "b"]).archive() }

  private func filled() async throws -> SampleLibrary {
    try await .imported(SampleBackup(photos: ["here before"]))
  }

  /// Expects a refusal under every strategy, with and without a dry run.
  private func expectRefusal(
    of bytes: [UInt8], mentioning text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (library, scratch) = (try await filled(), ScratchFolder())
    let path = try scratch.write(bytes, to: "the backup.zip")
    let tree = try library.tree
    for strategy in ImportStrategy.allCases {
      for isDryRun in [true, false] {
        let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
          try await library.importing(path) {
            $0.strategy = strategy
            $0.isForced = true
            $0.isDryRun = isDryRun
          }
        }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains("the backup.zip"), sourceLocation: sourceLocation)
        #expect(message.contains(text), sourceLocation: sourceLocation)
      }
    }
    expectNone(try library.tree.differences(from: tree), sourceLocation: sourceLocation)
    expectNone(try library.faults(), sourceLocation: sourceLocation)
  }
}
