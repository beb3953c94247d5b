import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The export of a library with missing or changed files. It reports these files, exports all others and is
/// incomplete.
@Suite struct DamagedLibraryTests {
  private func library() throws -> SampleLibrary {
    try SampleLibrary(
      (1...3).map { .init(id: $0, fileName: "\($0).jpg", bytes: Array("photo \($0)".utf8)) },
      categories: [.sample(1, "family")])
  }

  /// A change of a photo's file.
  enum Damage: CaseIterable {
    case removed, folder, symbolicLink, pipe, folderRemoved
    case changed, truncated, extended, emptied

    /// True if the file can be read, with other bytes than its row records.
    var isCorrupt: Bool { [.changed, .truncated, .extended, .emptied].contains(self) }

    func callAsFunction(_ file: FilePath) throws {
      let url = URL(fileURLWithPath: file.string)
      let manager = FileManager.default
      if !isCorrupt { try manager.removeItem(at: url) }
      switch self {
      case .removed: return
      case .folder: try manager.createDirectory(at: url, withIntermediateDirectories: false)
      case .symbolicLink: try manager.createSymbolicLink(atPath: file.string, withDestinationPath: "1.jpg")
      case .pipe: #expect(mkfifo(file.string, 0o600) == 0)
      case .folderRemoved: try manager.removeItem(at: url.deletingLastPathComponent())
      case .changed: try Data("photo ?".utf8).write(to: url)
      case .truncated: try Data("photo".utf8).write(to: url)
      case .extended: try Data("photo 2 and more".utf8).write(to: url)
      case .emptied: try Data().write(to: url)
      }
    }
  }

  @Test(
    "Export: a missing or corrupt photo is reported and the others are exported", arguments: Damage.allCases)
  func damagedPhoto(_ damage: Damage) async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    try damage(library.file(of: try library.contents.photos[1]))
    let missing: [Int64] = damage == .folderRemoved ? [1, 2, 3] : damage.isCorrupt ? [] : [2]
    let corrupt: [Int64] = damage.isCorrupt ? [2] : []
    let summary = try await library.exporting(to: scratch.path.appending("x.zip")) { $0.verifies = true }
    #expect(summary.isIncomplete)
    #expect(summary.missing.map(\.item) == missing.map { "photo \($0) “\($0)” in “Family”" })
    #expect(summary.corruptInLibrary.map(\.item) == corrupt.map { "photo \($0) “\($0)” in “Family”" })
    #expect(summary.photos == 3 - missing.count)

    let backup = try WrittenBackup.intact(summary.archive)
    #expect(backup.metadata.photos.map(\.id) == [1, 2, 3], "every row is exported")
    #expect(backup.metadata.photoManifest.map(\.photoId) == [1, 2, 3].filter { !missing.contains($0) })
    #expect(backup.metadata.photoManifest.compactMap(\.expectedChecksum).count == corrupt.count)

    let copy = try SampleLibrary()
    let imported = try await copy.importing(backup.path)
    #expect(imported.photosImported == 3 - missing.count)
    #expect(imported.photosNotImported == missing.count)
    #expect(imported.warnings.count == missing.count)
    #expect(imported.errors.count == corrupt.count)
    expectNone(try copy.faults())
  }

  @Test("Import: a photo that was corrupt in the export is reported each time; replace refuses")
  func corruptAtExport() async throws {
    let (library, scratch, copy) = (try library(), ScratchFolder(), try SampleLibrary())
    try Damage.changed(library.file(of: try library.contents.photos[1]))
    let archive = try #require(try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    for imported in [3, 0] {
      let summary = try await copy.importing(archive)
      #expect(summary.photosImported == imported)
      #expect(summary.photosNotImported == 0)
      #expect(summary.errors.count == 1)
      #expect(summary.isIncomplete)
    }
    await #expect(throws: BackupError.self) { try await copy.importing(archive) { $0.strategy = .replace } }
  }

  @Test("Import: a photo that was corrupt in the export is not added to its own library")
  func ownLibrary() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let (file, before) = (library.file(of: try library.contents.photos[1]), try library.contents)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try Damage.changed(file)
    let archive = try #require(try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    // first with the corrupt file, then with the repaired file
    for _ in 1...2 {
      let summary = try await library.importing(archive)
      #expect(summary.photosImported == 0)
      #expect(summary.photosSkipped == 3)
      #expect(try library.contents == before)
      try bytes.write(to: URL(fileURLWithPath: file.string))
    }
  }

  @Test("Export: a dry run reports a missing photo")
  func dryRun() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    try Damage.removed(library.file(of: try library.contents.photos[0]))
    let summary = try await library.exporting(to: scratch.path) { $0.isDryRun = true }
    #expect(summary.missing.count == 1)
    #expect(summary.isIncomplete)
  }

  /// Without a moment, the photos are not those of a base.
  @Test("Library: a corrupt photo is said to be intact in the base only if the base contains its file")
  func corruptPhotos() throws {
    let library = try library()
    try Damage.changed(library.file(of: try library.contents.photos[1]))
    func findings(modifiedAfter moment: Timestamp?) throws -> [Finding] {
      try Library(path: library.path).corruptPhotos(
        in: library.contents, modifiedAfter: moment, ExportOptions(), ProgressCounter())
    }
    let (all, ofBase) = (try findings(modifiedAfter: nil), try findings(modifiedAfter: 0))
    #expect(all.map(\.item) == ["photo 2 “2” in “Family”"])
    #expect(ofBase.map(\.item) == all.map(\.item))
    #expect(all.filter { $0.message.contains("the base") }.isEmpty)
    #expect(ofBase.filter { !$0.message.contains("the base contains an intact file") }.isEmpty)
  }

  /// The export compares the sizes without reading the file.
  @Test("Export: a file of another size is reported, also by a dry run")
  func changedSize() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    try Damage.truncated(library.file(of: try library.contents.photos[1]))
    for isDryRun in [true, false] {
      let summary = try await library.exporting(to: scratch.path) { $0.isDryRun = isDryRun }
      #expect(summary.corruptInLibrary.map(\.item) == ["photo 2 “2” in “Family”"])
      #expect(summary.isIncomplete)
    }
  }

  @Test("Export plan: a file that changes before it is read is left out, its row stays")
  func changeAfterPlan() throws {
    let library = try library()
    let reader = try Library(path: library.path)
    // the plan has another size than the file
    let plan = try ExportPlan(try library.contents, ExportOptions()) { photos in
      photos.map { .success(.init(size: $0.id == 2 ? 6 : $0.fileSize, modified: $0.createdAt)) }
    }
    let bad = try PhotoPipeline(items: plan.items.map { reader.pipelineItem($0) }).faults()
    #expect(bad.map(\.index) == [1])
    let remaining = plan.excluding(bad.map { ($0.index, $0.reason.description) })
    #expect(remaining.items.map(\.photo.id) == [1, 3])
    #expect(remaining.missing.map(\.photo.id) == [2])
    #expect(remaining.photos.map(\.id) == [1, 2, 3])
  }
}
