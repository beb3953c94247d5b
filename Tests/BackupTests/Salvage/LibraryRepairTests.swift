import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// `repair -l` restores corrupt and missing photos of a library from archives, and keeps the corrupt files.
@Suite struct LibraryRepairTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let backup: SampleBackup

  init() async throws {
    backup = SampleBackup(photos: ["first", "second", "third"])
    library = try SampleLibrary()
    try await library.importing(try backup.write(to: scratch))
  }

  private var archive: FilePath { scratch.path.appending("backup.zip") }

  private func repair(
    from archives: FilePath..., configure: (inout LibraryRepairOptions) -> Void = { _ in }
  ) async throws -> LibraryRepairSummary {
    var options = LibraryRepairOptions()
    configure(&options)
    return try await Work.repairLibrary(library.path, from: archives, options: options).summary
  }

  private func path(of id: Int64) throws -> FilePath {
    library.file(of: try #require(try library.contents.photos.first { $0.id == id }))
  }

  private func corrupt(_ id: Int64, _ text: String = "rotten") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(of: id).string))
  }

  private func remove(_ id: Int64) throws {
    try FileManager.default.removeItem(atPath: path(of: id).string)
  }

  @Test("Library repair: an intact library is unchanged")
  func intactLibrary() async throws {
    let tree = try library.tree
    let summary = try await repair(from: archive)
    #expect(summary.photosChecked == 3)
    #expect(summary.repaired == [])
    #expect(!summary.isIncomplete)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Library repair: corrupt and missing photos are restored, and the corrupt file is kept")
  func restoresPhotos() async throws {
    let contents = try library.contents
    try corrupt(1)
    try FileManager.default.removeItem(atPath: library.path.appending("photos").appending("2023").string)
    try FileManager.default.createDirectory(
      atPath: path(of: 1).removingLastComponent().string, withIntermediateDirectories: true)
    try corrupt(1)
    let summary = try await repair(from: archive)
    #expect(summary.repaired.count == 3)
    #expect(summary.damaged == [])
    #expect(summary.repaired.first?.item == "photo 1 “first” in “Family”")
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(try library.contents == contents)
    expectNone(try library.faults())
    // the user can still look at the corrupt file
    let kept = try #require(summary.kept).appending("1_first.jpg")
    #expect(try String(contentsOfFile: kept.string, encoding: .utf8) == "rotten")
    #expect(try FolderTree(library.path.appending(".rotten")).fileNames.count == 1)
  }

  /// Changes bits of the MD5 in the row of photo 2, or its size, and returns the contents before.
  private func damageRow(bits: Int, size: Int? = nil) throws -> LibraryContents {
    try library.settle()
    let contents = try library.contents
    let photo = try #require(contents.photos.first { $0.id == 2 })
    var bytes = try #require(photo.md5?.bytes)
    for bit in 0..<bits { bytes[bit % 16] ^= 1 << (bit / 16) }
    let digits = bytes.map { String(format: "%02x", $0) }.joined()
    try ForgedDatabase.execute(
      "UPDATE photo SET md5 = x'\(digits)', fileSize = \(size ?? photo.fileSize) WHERE id = 2",
      in: library.path.appending("library.sqlite"))
    return contents
  }

  @Test(
    "Library repair: a row is repaired whose MD5 differs from its file's in few bits, or only whose size differs",
    arguments: [(1, nil), (8, nil), (0, 0), (0, 1 << 40)] as [(Int, Int?)])
  func damagedRow(bits: Int, size: Int?) async throws {
    let contents = try damageRow(bits: bits, size: size)
    let found = try await Work.verify(library: library.path).summary.damaged
    #expect(found.count == 1)
    #expect(
      found.first?.message.hasPrefix("photo 2 “second” in “Family”: its row in the database is damaged")
        == true)
    #expect(found.first?.remedy == .repairLibrary)
    let export = try await library.exporting(to: scratch.path)
    #expect(export.corruptInLibrary == found)
    #expect(try await Work.verify([try #require(export.archive)]).summary.warnings == [])
    let summary = try await repair()
    #expect(summary.repaired.count == 1)
    #expect(
      summary.repaired.first?.message.hasPrefix(
        "photo 2 “second” in “Family”: its row got the MD5 and the size of its file") == true)
    #expect(!summary.isIncomplete)
    #expect(summary.kept == nil)
    #expect(try library.contents == contents)
    #expect(try await Work.verify(library: library.path).summary.damaged == [])
  }

  @Test("Library repair: a dry run repairs no row")
  func damagedRowInDryRun() async throws {
    _ = try damageRow(bits: 1)
    let tree = try library.tree
    let summary = try await repair { $0.isDryRun = true }
    #expect(summary.repaired.count == 1)
    #expect(!summary.isIncomplete)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Library repair: if the MD5 of a file differs in many bits, the file is corrupt and not the row")
  func otherMD5() async throws {
    let contents = try damageRow(bits: 9)
    let summary = try await repair(from: archive)
    #expect(summary.repaired == [])
    #expect(summary.damaged.map(\.item) == ["photo 2 “second” in “Family”"])
    #expect(try library.contents != contents)
  }

  @Test("Library repair: a dry run reports the photo and writes nothing")
  func dryRun() async throws {
    try corrupt(2)
    let tree = try library.tree
    let summary = try await repair(from: archive) { $0.isDryRun = true }
    #expect(summary.repaired.count == 1)
    #expect(summary.isDryRun)
    #expect(summary.kept == nil)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Library repair: a damaged archive restores its intact photos, another archive the rest")
  func damagedArchive() async throws {
    for id in 1...3 as ClosedRange<Int64> { try corrupt(id) }
    var damaged = backup
    damaged.members[0].data[0] ^= 1
    let bytes = try damaged.archive()
    let cut = try scratch.write(Array(bytes.dropLast(20)), to: "cut.zip")
    let summary = try await repair(from: cut)
    #expect(summary.repaired.count == 2)
    #expect(summary.damaged.map(\.item) == ["photo 1 “first” in “Family”"])
    #expect(summary.warnings.count == 1)
    #expect(summary.isIncomplete)
    #expect(Array(summary.damagedArchives.keys) == [cut])
    #expect(try library.bytesOfPhotos()[1] == Array("rotten".utf8))
    // a second archive has photo 1
    let rest = try await repair(from: cut, archive)
    #expect(rest.repaired.count == 1)
    #expect(!rest.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  @Test(
    "Library repair: a damaged archive is reported even if another restores the photo",
    arguments: [true, false])
  func corruptEntry(failsCRC: Bool) async throws {
    try corrupt(1)
    var other = backup
    if failsCRC {
      other.members[0].data[0] ^= 1
    } else {
      other.members[0] = .stored("photos/1_first.jpg", "another")
    }
    let damaged = try scratch.write(try other.archive(), to: "damaged.zip")
    let summary = try await repair(from: damaged, archive)
    #expect(summary.repaired.count == 1)
    #expect(!summary.isIncomplete)
    #expect(Array(summary.damagedArchives.keys) == [damaged])
    #expect(try await repair(from: damaged, archive).damagedArchives.isEmpty)
  }

  @Test("Library repair: a photo is matched by its MD5, not by its name")
  func matchesByMD5() async throws {
    try corrupt(1)
    var other = SampleBackup()
    other.add(id: 1, name: "first", bytes: Array("another photo of the same name".utf8))
    other.add(id: 8, name: "renamed", bytes: backup.photos[1] ?? [])
    other.metadata.photoManifest[1].checksum = nil
    let summary = try await repair(from: try other.write(to: scratch, as: "other.zip"))
    #expect(summary.repaired.count == 1)
    #expect(!summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
  }

  @Test("Library repair: a link or folder at the path of a photo is moved aside")
  func obstructedPath() async throws {
    try remove(1)
    try remove(2)
    let elsewhere = try scratch.write([1], to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: path(of: 1).string, withDestinationPath: elsewhere.string)
    try FileManager.default.createDirectory(atPath: path(of: 2).string, withIntermediateDirectories: false)
    let summary = try await repair(from: archive)
    #expect(summary.repaired.count == 2)
    #expect(!summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: elsewhere.string))) == [1])
    expectNone(try library.faults())
  }

  @Test("Library repair: a later export is complete, and an import skips all photos")
  func laterOperations() async throws {
    try corrupt(3)
    _ = try await repair(from: archive)
    let export = try await library.exporting(to: scratch.path.appending("out.zip"))
    #expect(export.corruptInLibrary == [])
    #expect(export.missing == [])
    let again = try await library.importing(archive)
    #expect(again.photosImported == 0)
    #expect(again.photosSkipped == 3)
  }
}
