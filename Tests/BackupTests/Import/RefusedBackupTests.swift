import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// What is no backup, or a dangerous one, is refused as a whole: the error names the file and what is wrong with
/// it, and the library stays as it was to the last byte.
@Suite struct RefusedBackupTests {
  /// A file, and what the message about it must contain besides its name.
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
      testDescription: "a whole one behind other bytes",
      bytes: { Array(repeating: 7, count: 40) + (try whole()) },
      mentions: "has 40 bytes before its first entry, which no backup has"),
    Case(testDescription: "nothing", bytes: { [] }, mentions: "empty"),
    Case(testDescription: "a JPEG", bytes: { [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] }, mentions: "neither"),
    Case(testDescription: "a JSON list", bytes: { Array("[1]".utf8) }, mentions: "neither"),
    Case(testDescription: "an empty ZIP", bytes: { ZipBuilder([]).bytes }, mentions: "no metadata.json"),
    Case(testDescription: "cut in the middle", bytes: { try whole().dropLast(400) }, mentions: "cut off"),
    Case(testDescription: "cut by a byte", bytes: { try whole().dropLast(1) }, mentions: "cut off"),
    Case(
      testDescription: "cut to its first entry", bytes: { Array(try whole().prefix(60)) }, mentions: "cut off"
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

  @Test(arguments: files) func aFileThatIsNoBackup(_ file: Case) async throws {
    try await expectRefusal(of: file.bytes(), mentioning: file.mentions)
  }

  @Test(
    arguments: [
      "../evil.jpg", "photos/../../evil.jpg", "/etc/evil.jpg", "photos\\evil.jpg", "..\\evil.jpg",
      "C:/evil.jpg",
      "photos/e\0vil.jpg", "photos//evil.jpg", "photos/./evil.jpg",
    ])
  func anUnsafeNameIsShown(_ name: String) async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(.stored(name, "evil"))
    try await expectRefusal(of: backup.archive(), mentioning: name.escaped)
  }

  @Test func aNameThatIsNoUTF8() async throws {
    var backup = SampleBackup(photos: ["a"])
    let name = Array("photos/evil".utf8) + [0xFF]
    backup.members.append(
      ZipMember(name, content: [1], data: [1], method: 0).with { $0.both { $0.flags = 1 << 11 } })
    try await expectRefusal(of: backup.archive(), mentioning: "photos/evil")
  }

  @Test func aSymbolicLinkIsShown() async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(
      ZipMember.stored("photos/link", "/etc/passwd").with { $0.central.externalAttributes = 0o120777 << 16 })
    try await expectRefusal(of: backup.archive(), mentioning: "photos/link")
  }

  @Test func twoEntriesOfOneName() async throws {
    var backup = SampleBackup(photos: ["a"])
    backup.members += backup.members
    try await expectRefusal(of: backup.archive(), mentioning: "photos/1_a.jpg")
  }

  /// That a file cannot be read says nothing of what it is.
  @Test(arguments: [Errno.ioError, .noMemory]) func aFileThatCannotBeReadAsAnArchive(_ errno: Errno) throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write([UInt8](repeating: 7, count: 8000) + Self.whole(), to: "backup.zip")
    let real = FilePath(URL(fileURLWithPath: path.string).resolvingSymlinksInPath().path)
    // what it begins with is read twice, as an archive and as a document
    let fault = ArmedFault(Fault(.error(errno), at: 3, of: .only([.read]), below: real))
    defer { fault.disarm() }
    #expect(throws: ArchiveError.file(FileError("read", path, errno))) { try OpenedBackup(path: path) }
    #expect(fault.place != nil)
  }

  @Test func noFileAndAFolder() async throws {
    let (library, scratch) = (try await filled(), try ScratchFolder())
    let tree = try library.tree
    for (path, text) in [(scratch.path.appending("nowhere.zip"), "no file"), (scratch.path, "is a folder")] {
      let error = await #expect(throws: BackupError.self) { try await library.importing(path) }
      #expect(error?.description.contains(text) == true)
      #expect(error?.description.contains(path.string) == true)
    }
    expectNone(try library.tree.differences(from: tree))
  }

  @Test func noLibrary() async throws {
    let scratch = try ScratchFolder()
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

  @Test func aBadBackupAmongSeveralStopsAllOfThem() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let tree = try library.tree
    let good = try SampleBackup(photos: ["a"]).write(to: scratch)
    let bad = try scratch.write(Array("{\"version\": 3}".utf8), to: "bad.json")
    let error = await #expect(throws: BackupError.self) { try await library.importing(good, bad) }
    #expect(error?.description.contains("bad.json") == true)
    expectNone(try library.tree.differences(from: tree))
  }

  private static func whole() throws -> [UInt8] { try SampleBackup(photos: ["a", "b"]).archive() }

  private func filled() async throws -> SampleLibrary {
    try await .imported(SampleBackup(photos: ["here before"]))
  }

  /// By every strategy, with and without a dry run.
  private func expectRefusal(
    of bytes: [UInt8], mentioning text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (library, scratch) = (try await filled(), try ScratchFolder())
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
        #expect(message.contains("the backup.zip") && message.contains(text), sourceLocation: sourceLocation)
      }
    }
    expectNone(try library.tree.differences(from: tree), sourceLocation: sourceLocation)
    expectNone(try library.faults(), sourceLocation: sourceLocation)
  }
}
