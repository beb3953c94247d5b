import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The import after an interrupted one.
struct InterruptedImportTests {
  private static let interrupted = ".staging/6F9619FF-8B86-D011-B42D-00CF4FC964FF"
  private let library: SampleLibrary
  private let scratch = ScratchFolder()
  private let backup: SampleBackup
  private let path: FilePath
  private let openFiles = NSMutableArray()

  init() throws {
    library = try SampleLibrary()
    backup = SampleBackup(photos: ["beach", "hill!", "river"])
    path = try backup.write(to: scratch)
  }

  /// Leaves a file as an interrupted operation does, and returns its inode, which stays taken: the file is kept open.
  @discardableResult
  private func leave(_ text: String, as name: String) throws -> Int { try leave(Array(text.utf8), as: name) }

  @discardableResult
  private func leave(_ bytes: [UInt8], as name: String) throws -> Int {
    let file = library.path.appending(FilePath("\(Self.interrupted)/\(name)").components)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    try openFiles.add(FileHandle(forReadingFrom: URL(fileURLWithPath: file.string)))
    return try inode(of: file)
  }

  private func inode(of file: FilePath) throws -> Int {
    try #require(
      try FileManager.default.attributesOfItem(atPath: file.string)[.systemFileNumber] as? Int)
  }

  private func inodes() throws -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: try library.contents.photos.map { ($0.name, try inode(of: library.file(of: $0))) }
    )
  }

  /// Expects that the library has the photos of the backup, and nothing else.
  private func expectPhotosOfBackup(sourceLocation: SourceLocation = #_sourceLocation) throws {
    expectNone(try library.faults(), sourceLocation: sourceLocation)
    #expect(
      try Set(library.bytesOfPhotos().values) == Set(backup.photos.values), sourceLocation: sourceLocation)
    #expect(try library.contents.photos.count == 3, sourceLocation: sourceLocation)
    for photo in try library.contents.photos {
      let date = try File.open(library.file(of: photo), .read).status().modified
      #expect(date == photo.createdAt, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "Interrupted import: the next one uses the staged files",
    arguments: [ImportStrategy.merge, .skip, .replace])
  func sameBackup(strategy: ImportStrategy) async throws {
    let beach = try leave("beach", as: "3")
    let hill = try leave("hill!", as: "7")
    let summary = try await library.importing(path) { $0.strategy = strategy }
    #expect(summary.photosImported == 3)
    #expect(!summary.isIncomplete)
    #expect(try inodes()["beach"] == beach)
    #expect(try inodes()["hill!"] == hill)
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: truncated and changed staged files are not used")
  func damagedFiles() async throws {
    let files = ["beac", "hill?", "", "river", "beach "]
    let inodes = try files.enumerated().map { try leave($1, as: "\($0)") }
    #expect(try await library.importing(path).photosImported == 3)
    #expect(try self.inodes().values.filter(inodes.contains) == [inodes[3]])
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: another backup with the same photos uses the staged files")
  func otherBackup() async throws {
    let river = try leave("river", as: "0")
    var other = SampleBackup()
    for (id, text) in [(10, "river"), (11, "hill!"), (12, "beach")] {
      other.add(id: Int64(id), name: "other \(text)", bytes: Array(text.utf8))
    }
    try await library.importing(other.write(to: scratch, as: "other.zip"))
    #expect(try inodes()["other river"] == river)
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: the second of two backups uses the staged files")
  func severalBackups() async throws {
    let river = try leave("river", as: "0")
    let one = try SampleBackup(photos: ["beach", "hill!"]).write(to: scratch, as: "one.zip")
    try await library.importing(one, path)
    #expect(try inodes()["river"] == river)
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: one staged file is used for one of two equal photos")
  func equalPhotos() async throws {
    let file = try leave("twin", as: "0")
    var twins = SampleBackup()
    for id in 1...2 { twins.add(id: Int64(id), name: "twin \(id)", bytes: Array("twin".utf8)) }
    try await library.importing(twins.write(to: scratch, as: "twins.zip"))
    let inodes = try inodes()
    #expect(Set(inodes.values).count == 2)
    #expect(inodes.values.contains(file))
    expectNone(try library.faults())
  }

  @Test("Interrupted import: a photo that is corrupt in the backup comes from a staged file")
  func corruptInBackup() async throws {
    var corrupt = backup
    corrupt.members[0] = .stored("photos/1_beach.jpg", "BEACH")
    try leave("beach", as: "0")
    let summary = try await library.importing(corrupt.write(to: scratch, as: "corrupt.zip"))
    #expect(summary.photosImported == 3)
    #expect(summary.warnings == [])
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: a staged file of an intact photo needs no report")
  func intactInBackup() async throws {
    try leave("beach", as: "0")
    #expect(try await library.importing(path).warnings == [])
  }

  /// Leaves a staged file, changes the library, and expects that the next import copies the photo again.
  private func expectNewCopy(
    restoresRemoved: Bool = false, after change: () async throws -> Void
  ) async throws {
    try await library.importing(path)
    let river = try leave("river", as: "0")
    try await change()
    expectNone(try library.faults())
    try await library.importing(path) { $0.restoresRemoved = restoresRemoved }
    #expect(try inodes()["river"] != river)
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: a removal in between removes the staged files, and the next import copies all")
  func removalBetween() async throws {
    try await expectNewCopy(
      restoresRemoved: true,
      after: {
        let selection = LibrarySelection(names: ["river"])
        _ = try await Work.remove(selection, from: library.path, options: .given).summary
      })
  }

  @Test("Interrupted import: an undo in between removes the staged files, and the next import copies all")
  func undoBetween() async throws {
    try await expectNewCopy(after: {
      _ = try await Work.undo(library.path, options: .given).summary
    })
  }

  @Test("Interrupted import: an import that needs no staged file removes them")
  func nothingToImport() async throws {
    try await library.importing(path)
    try leave("beach", as: "0")
    try leave("other", as: "1")
    #expect(try await library.importing(path).photosImported == 0)
    try expectPhotosOfBackup()
  }

  @Test("Interrupted import: verify counts the staged files")
  func verification() async throws {
    try leave("beach", as: "3")
    try leave("hil", as: "1")
    let summary = try await Work.verify(library: library.path).summary
    #expect(summary.stagedFiles == 2)
    #expect(summary.stagedBytes == 8)
    #expect(summary.untracked == [])
    #expect(summary.damaged == [])
  }

  @Test("Interrupted import: add of a folder with the same photos copies them, and removes the staged files")
  func addingFolder() async throws {
    let jpeg = { (text: String) in Array("\u{0}\(text)".utf8) }
    for text in ["one", "two", "six"] { try scratch.write(jpeg(text), to: "Pictures/\(text).bmp") }
    let inode = try leave(jpeg("one"), as: "9")
    try leave(jpeg("SIX"), as: "3")
    let summary = try await Work.add([scratch.path.appending("Pictures")], to: library.path).summary
    #expect(summary.photosAdded == 3)
    #expect(summary.errors == [])
    #expect(try self.inodes()["one"] != inode)
    #expect(try Library(path: library.path).stagedFiles().count == 0)
    #expect(try Set(library.bytesOfPhotos().values) == Set(["one", "two", "six"].map(jpeg)))
    expectNone(try library.faults())
  }
}
