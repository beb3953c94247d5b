import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// An export of a library whose files were touched: it goes on, names what is not as it was, and says that it is
/// incomplete.
@Suite struct DamagedLibraryTests {
  private func library() throws -> SampleLibrary {
    try SampleLibrary(
      (1...3).map { .init(id: $0, fileName: "\($0).jpg", bytes: Array("photo \($0)".utf8)) },
      categories: [.sample(1, "family")])
  }

  /// What becomes of the second of three files.
  enum Touch: CaseIterable {
    case removed, aFolder, aLink, aPipe, lostWithItsFolder
    case flipped, cut, longer, emptied

    /// The bytes can still be read, and are no longer those of the row.
    var isRot: Bool { [.flipped, .cut, .longer, .emptied].contains(self) }

    func callAsFunction(_ file: FilePath) throws {
      let url = URL(fileURLWithPath: file.string)
      let manager = FileManager.default
      if !isRot { try manager.removeItem(at: url) }
      switch self {
      case .removed: return
      case .aFolder: try manager.createDirectory(at: url, withIntermediateDirectories: false)
      case .aLink: try manager.createSymbolicLink(atPath: file.string, withDestinationPath: "1.jpg")
      case .aPipe: #expect(mkfifo(file.string, 0o600) == 0)
      case .lostWithItsFolder: try manager.removeItem(at: url.deletingLastPathComponent())
      case .flipped: try Data("photo ?".utf8).write(to: url)
      case .cut: try Data("photo".utf8).write(to: url)
      case .longer: try Data("photo 2 and more".utf8).write(to: url)
      case .emptied: try Data().write(to: url)
      }
    }
  }

  @Test(arguments: Touch.allCases) func theOthersTravelAndItIsNamed(_ touch: Touch) async throws {
    let (library, scratch) = (try library(), try ScratchFolder())
    try touch(library.file(of: try library.contents.photos[1]))
    let gone: [Int64] = touch == .lostWithItsFolder ? [1, 2, 3] : touch.isRot ? [] : [2]
    let rotten: [Int64] = touch.isRot ? [2] : []
    let summary = try await library.exporting(to: scratch.path.appending("x.zip")) { $0.verifies = true }
    #expect(summary.isIncomplete)
    #expect(summary.missing.map(\.item) == gone.map { "photo \($0) “\($0)” in “Family”" })
    #expect(summary.damaged.map(\.item) == rotten.map { "photo \($0) “\($0)” in “Family”" })
    #expect(summary.photos == 3 - gone.count)

    let backup = try WrittenBackup(try #require(summary.archive))
    expectNone(try backup.faults())
    #expect(backup.metadata.photos.map(\.id) == [1, 2, 3], "every row travels")
    #expect(backup.metadata.photoManifest.map(\.photoId) == [1, 2, 3].filter { !gone.contains($0) })
    #expect(backup.metadata.photoManifest.compactMap(\.expectedChecksum).count == rotten.count)

    let copy = try SampleLibrary()
    let imported = try await copy.importing(backup.path)
    #expect(imported.photosImported == 3 - gone.count && imported.photosAbsent == gone.count)
    #expect(imported.warnings.count == gone.count && imported.errors.count == rotten.count)
    expectNone(try copy.faults())
  }

  @Test func thatAPhotoWasDamagedIsSaidAtEveryImport() async throws {
    let (library, scratch, copy) = (try library(), try ScratchFolder(), try SampleLibrary())
    try Touch.flipped(library.file(of: try library.contents.photos[1]))
    let archive = try #require(try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    for imported in [3, 0] {
      let summary = try await copy.importing(archive)
      #expect(summary.photosImported == imported && summary.photosAbsent == 0)
      #expect(summary.errors.count == 1 && summary.isIncomplete)
    }
    await #expect(throws: BackupError.self) { try await copy.importing(archive) { $0.strategy = .replace } }
  }

  @Test func aPhotoThatHadRottenIsNotAddedBesideItself() async throws {
    let (library, scratch) = (try library(), try ScratchFolder())
    let (file, whole) = (library.file(of: try library.contents.photos[1]), try library.contents)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try Touch.flipped(file)
    let archive = try #require(try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    // as it is still rotten there, and as it is whole again
    for _ in 1...2 {
      let summary = try await library.importing(archive)
      #expect(summary.photosImported == 0 && summary.photosSkipped == 3)
      #expect(try library.contents == whole)
      try bytes.write(to: URL(fileURLWithPath: file.string))
    }
  }

  @Test func aDryRunMissesWhatIsGoneToo() async throws {
    let (library, scratch) = (try library(), try ScratchFolder())
    try Touch.removed(library.file(of: try library.contents.photos[0]))
    let summary = try await library.exporting(to: scratch.path) { $0.isDryRun = true }
    #expect(summary.missing.count == 1 && summary.isIncomplete)
  }

  /// Nothing is read for it: the length alone tells.
  @Test func aDryRunNamesAFileOfAnotherLength() async throws {
    let (library, scratch) = (try library(), try ScratchFolder())
    try Touch.cut(library.file(of: try library.contents.photos[1]))
    for isDryRun in [true, false] {
      let summary = try await library.exporting(to: scratch.path) { $0.isDryRun = isDryRun }
      #expect(summary.damaged.map(\.item) == ["photo 2 “2” in “Family”"] && summary.isIncomplete)
    }
  }

  @Test func aFileThatChangesBetweenPlanAndReadingIsLeftOut() throws {
    let library = try library()
    let reader = try Library(path: library.path)
    // the plan saw another length than the file has now
    let plan = try ExportPlan(try library.contents, ExportOptions()) { photos in
      photos.map { .success(.init(size: $0.id == 2 ? 6 : $0.fileSize, modified: $0.createdAt)) }
    }
    let bad = try PhotoPipeline.check(plan.items.map { reader.pipelineItem($0) })
    #expect(bad.map(\.index) == [1])
    let rest = plan.excluding(bad.map { ($0.index, $0.reason.description) })
    #expect(rest.items.map(\.photo.id) == [1, 3] && rest.missing.map(\.photo.id) == [2])
    #expect(rest.photos.map(\.id) == [1, 2, 3])
  }

  /// `photo 2 “2” in “Family”`, without the reason.}
}
