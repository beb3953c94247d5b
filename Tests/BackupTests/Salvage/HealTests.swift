import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// `heal`: rotten and missing photos come back from archives, and what was in their places is kept.
@Suite struct HealTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  private let backup: SampleBackup

  init() async throws {
    scratch = try ScratchFolder()
    backup = SampleBackup(photos: ["first", "second", "third"])
    library = try SampleLibrary()
    try await library.importing(try backup.write(to: scratch))
  }

  private var archive: FilePath { scratch.path.appending("backup.zip") }

  private func heal(
    from archives: FilePath..., configure: (inout HealOptions) -> Void = { _ in }
  ) async throws -> HealSummary {
    var options = HealOptions()
    configure(&options)
    return try await Work.heal(library.path, from: archives, options: options).summary
  }

  private func place(of id: Int64) throws -> FilePath {
    library.file(of: try #require(try library.contents.photos.first { $0.id == id }))
  }

  private func spoil(_ id: Int64, _ text: String = "rotten") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: place(of: id).string))
  }

  private func remove(_ id: Int64) throws {
    try FileManager.default.removeItem(atPath: place(of: id).string)
  }

  @Test func aWholeLibraryIsNotTouched() async throws {
    let tree = try library.tree
    let summary = try await heal(from: archive)
    #expect(summary.photosChecked == 3 && summary.healed == [] && !summary.isIncomplete)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test func rottenAndMissingPhotosComeBack() async throws {
    let contents = try library.contents
    try spoil(1)
    try FileManager.default.removeItem(atPath: library.path.appending("photos").appending("2023").string)
    try FileManager.default.createDirectory(
      atPath: place(of: 1).removingLastComponent().string, withIntermediateDirectories: true)
    try spoil(1)
    let summary = try await heal(from: archive)
    #expect(summary.healed.count == 3 && summary.damaged == [])
    #expect(summary.healed.first?.item == "photo 1 “first” in “Family”")
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(try library.contents == contents)
    expectNone(try library.faults())
    // the rotten one can still be looked at
    let kept = try #require(summary.kept).appending("1_first.jpg")
    #expect(try String(contentsOfFile: kept.string, encoding: .utf8) == "rotten")
    #expect(try FolderTree(library.path.appending(".rotten")).fileNames.count == 1)
  }

  @Test func aDryRunWritesNothing() async throws {
    try spoil(2)
    let tree = try library.tree
    let summary = try await heal(from: archive) { $0.isDryRun = true }
    #expect(summary.healed.count == 1 && summary.isDryRun && summary.kept == nil)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test func damagedArchivesHelpAsFarAsTheyGo() async throws {
    for id in 1...3 as ClosedRange<Int64> { try spoil(id) }
    var damaged = backup
    damaged.members[0].data[0] ^= 1
    let bytes = try damaged.archive()
    let cut = try scratch.write(Array(bytes.dropLast(20)), to: "cut.zip")
    let summary = try await heal(from: cut)
    #expect(summary.healed.count == 2)
    #expect(summary.damaged.map(\.item) == ["photo 1 “first” in “Family”"])
    #expect(
      summary.warnings.count == 1 && summary.isIncomplete && Array(summary.damagedArchives.keys) == [cut])
    #expect(try library.bytesOfPhotos()[1] == Array("rotten".utf8))
    // a second archive has it
    let rest = try await heal(from: cut, archive)
    #expect(rest.healed.count == 1 && !rest.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  /// That an archive is damaged is known even where another helps.
  @Test(arguments: [true, false]) func whatDoesNotKeepItsPromiseIsKnown(isFoundByItsCRC: Bool) async throws {
    try spoil(1)
    var other = backup
    if isFoundByItsCRC {
      other.members[0].data[0] ^= 1
    } else {
      other.members[0] = .stored("photos/1_first.jpg", "another")
    }
    let damaged = try scratch.write(try other.archive(), to: "damaged.zip")
    let summary = try await heal(from: damaged, archive)
    #expect(
      summary.healed.count == 1 && !summary.isIncomplete && Array(summary.damagedArchives.keys) == [damaged])
    #expect(try await heal(from: damaged, archive).damagedArchives.isEmpty)
  }

  @Test func theMD5CountsAndNotTheName() async throws {
    try spoil(1)
    var other = SampleBackup()
    other.add(id: 1, name: "first", bytes: Array("another photo of the same name".utf8))
    other.add(id: 8, name: "renamed", bytes: backup.photos[1] ?? [])
    other.metadata.photoManifest[1].checksum = nil
    let summary = try await heal(from: try other.write(to: scratch, as: "other.zip"))
    #expect(summary.healed.count == 1 && !summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
  }

  @Test func whatStandsInAPhotosPlaceIsMovedAside() async throws {
    try remove(1)
    try remove(2)
    let elsewhere = try scratch.write([1], to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: place(of: 1).string, withDestinationPath: elsewhere.string)
    try FileManager.default.createDirectory(atPath: place(of: 2).string, withIntermediateDirectories: false)
    let summary = try await heal(from: archive)
    #expect(summary.healed.count == 2 && !summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: elsewhere.string))) == [1])
    expectNone(try library.faults())
  }

  @Test func anExportAndAnUndoAreNotDisturbed() async throws {
    try spoil(3)
    _ = try await heal(from: archive)
    let export = try await library.exporting(to: scratch.path.appending("out.zip"))
    #expect(export.damaged == [] && export.missing == [])
    let again = try await library.importing(archive)
    #expect(again.photosImported == 0 && again.photosSkipped == 3)
  }
}
