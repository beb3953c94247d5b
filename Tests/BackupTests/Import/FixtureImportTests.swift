import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A backup of each app, imported into an empty library and after the other one.
@Suite struct FixtureImportTests {
  @Test(
    "Import: the backup of the Android app is imported, whatever the name of its file",
    arguments: ["", "x.smilepile", "photo.jpg", "backup.json"])
  func android(_ name: String) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let android = name.isEmpty ? Fixture.android.path : try Fixture.android.copy(as: name, in: scratch)
    let summary = try await library.importing(android)
    #expect(summary.categoriesImported == 4)
    #expect(summary.photosImported == 9)
    #expect(summary.photosSkipped == 0)
    #expect(summary.photoFilesWritten == 8)
    #expect(summary.photosNotImported == 1)
    #expect(summary.errors == [])
    #expect(summary.warnings.count { $0.contains("“lost”") } == 1)
    #expect(summary.isIncomplete)
    expectNone(try library.faults())
  }

  @Test("Import: a second import of a backup writes nothing, and reports again what is missing")
  func androidTwice() async throws {
    let library = try SampleLibrary()
    try await library.importing(Fixture.android.path)
    try library.settle()
    let tree = try library.tree
    let second = try await library.importing(Fixture.android.path)
    #expect(second.categoriesImported == 0)
    #expect(second.photosImported == 0)
    #expect(second.photoFilesWritten == 0)
    #expect(second.photosSkipped == 9)
    #expect(second.isIncomplete, "the photo “lost” is still missing")
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Import: the backup of the iOS app with the photos of an Android backup writes nothing")
  func androidThenIOS() async throws {
    let library = try SampleLibrary()
    try await library.importing(Fixture.android.path)
    try library.settle()
    let tree = try library.tree
    let summary = try await library.importing(Fixture.ios.path)
    #expect(summary.categoriesImported == 0)
    #expect(summary.photosImported == 0)
    #expect(summary.photoFilesWritten == 0)
    #expect(summary.photosSkipped == 8)
    #expect(summary.warnings == [])
    #expect(summary.errors == [])
    #expect(!summary.isIncomplete)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test(
    "Import: a JSON backup adds categories and assets, its photos are missing",
    arguments: ["", "y.zip", "noending"])
  func jsonBackup(_ name: String) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let json = name.isEmpty ? Fixture.json.path : try Fixture.json.copy(as: name, in: scratch)
    let summary = try await library.importing(json)
    #expect(summary.categoriesImported == 4)
    #expect(summary.photosImported == 1)
    #expect(summary.photoFilesWritten == 0)
    #expect(summary.photosNotImported == 9)
    #expect(summary.warnings.count { $0.hasPrefix("photo ") } == 9)
    #expect(summary.isIncomplete)
    let photos = try library.contents.photos
    #expect(photos.map(\.path) == ["sample_images/balloon.png"])
    #expect(photos.map(\.isFromAssets) == [true])
  }

  @Test("Import: iOS, then Android with the same photos: the second adds only the asset")
  func iosThenAndroid() async throws {
    let library = try SampleLibrary()
    let summary = try await library.importing(Fixture.ios.path)
    #expect(summary.categoriesImported == 4)
    #expect(summary.photosImported == 8)
    #expect(summary.photoFilesWritten == 8)
    #expect(!summary.isIncomplete)
    let android = try await library.importing(Fixture.android.path)
    #expect(android.photosImported == 1)
    #expect(android.photosSkipped == 8)
    #expect(android.photoFilesWritten == 0)
  }

  @Test("Import: the photos of a JSON backup are read from another library")
  func photosFromLibrary() async throws {
    let (library, other) = (try SampleLibrary(), try SampleLibrary())
    try await other.importing(Fixture.android.path)
    let summary = try await library.importing(Fixture.json.path) { $0.photosFrom = other.path }
    // Three photos share a file name. In the same folder of a month, their names get numbers.
    #expect(summary.photosImported + summary.photosNotImported == 10)
    #expect(summary.photosImported == summary.photoFilesWritten + 1)
    let md5 = Set(try other.contents.photos.compactMap(\.md5))
    #expect(try library.contents.photos.compactMap(\.md5).allSatisfy(md5.contains))
    expectNone(try library.faults())
  }

  @Test("Import: rows, files and settings are those of the backup")
  func rowsAndFiles() async throws {
    let library = try SampleLibrary()
    try await library.importing(Fixture.android.path)
    let metadata = try Fixture.android.metadata
    let contents = try library.contents
    #expect(contents.categories.map(\.id) == [1, 2, 9, 12])
    #expect(contents.categories.map(\.displayName) == metadata.categories.map(\.displayName))
    #expect(contents.photos.map(\.id) == metadata.photos.map(\.id).filter { $0 != 121 })
    let bytes = try library.bytesOfPhotos()
    for entry in metadata.photoManifest {
      let photo = try #require(contents.photos.first { $0.id == entry.photoId })
      let record = try #require(metadata.photos.first { $0.id == entry.photoId })
      #expect(bytes[entry.photoId].map { MD5Digest(of: $0).description } == entry.checksum)
      #expect(photo.originalPath == entry.originalPath)
      #expect(photo.name == record.name)
      #expect(photo.createdAt == record.createdAt)
      #expect(photo.width == record.width)
      #expect(photo.height == record.height)
    }
    #expect(contents.photos.first { $0.id == 101 }?.path == "photos/2025/10/IMG_0001.jpg")
    #expect(contents.photos.first { $0.id == 106 }?.path == "photos/2025/09/IMG_0001.jpg")
    #expect(contents.photos.first { $0.id == 108 }?.path == "photos/2025/09/IMG_0001 (2).jpg")
    #expect(contents.settings.themeMode == .dark)
    #expect(contents.settings.kidSafeModeEnabled)
    #expect(contents.settings.hasPIN)
    #expect(!contents.settings.hasPattern)
  }

  @Test("Import: settings stay unchanged if they are excluded")
  func excludedSettings() async throws {
    let library = try SampleLibrary()
    let before = try library.contents.settings
    try await library.importing(Fixture.android.path) { $0.includesSettings = false }
    #expect(try library.contents.settings == before)
  }
}

/// Dry runs of imports, compared with the same imports without `isDryRun`.
@Suite struct DryRunTests {
  /// Backups that the library already has, and backups that the test imports.
  static let runs: [([Fixture], [Fixture])] = [
    ([], [.android]), ([], [.json]), ([.android], [.android]), ([.android], [.ios]), ([.ios], [.android]),
    ([.json], [.android, .ios, .json]), ([], [.ios, .json, .ios, .android]),
  ]

  @Test(
    "Import: a dry run writes nothing and has the summary of the real import",
    arguments: runs, ImportStrategy.allCases)
  func summary(
    _ run: (before: [Fixture], backups: [Fixture]), _ strategy: ImportStrategy
  ) async throws {
    // `replace` refuses several backups.
    if strategy == .replace, run.backups.count > 1 { return }
    for rule in DuplicateRule.allCases {
      let library = try SampleLibrary()
      for fixture in run.before { try await library.importing(fixture.path) }
      try library.settle()
      var options = ImportOptions()
      options.strategy = strategy
      options.isForced = true
      options.authorization = .given
      options.duplicates = { _ in rule }
      options.isDryRun = true
      let tree = try library.tree
      var dry = try await Work.import(run.backups.map(\.path), into: library.path, options: options).summary
      expectNone(try library.tree.differences(from: tree))

      options.isDryRun = false
      let real = try await Work.import(run.backups.map(\.path), into: library.path, options: options).summary
      #expect(dry.isDryRun)
      #expect(!real.isDryRun)
      dry.isDryRun = false
      #expect(dry == real, "duplicates \(rule)")
      expectNone(try library.faults())
    }
  }
}
