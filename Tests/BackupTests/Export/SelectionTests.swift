import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The selection, the format and the file name of an export.
@Suite struct SelectionTests {
  private func library() throws -> SampleLibrary {
    var settings = Settings(createdAt: 5)
    settings.theme = .init(.dark, asOf: 1000)
    settings.kidSafeMode = false
    var members = (1...6).map { (id: Int64) -> SampleLibrary.Member in
      let bytes = Array("photo \(id)".utf8)
      return .init(
        id: id, category: (id - 1) % 3 + 1, fileName: "\(id).jpg", createdAt: .init(rawValue: id * 1000),
        bytes: bytes)
    }
    members.append(.init(asset: "sample/a.png", id: 7, category: 1))
    let categories: [PhotoLibrary.Category] = [
      .sample(1, "family"), .sample(2, "cafe\u{301}"), .sample(3, "cars"),
    ]
    return try SampleLibrary(members, categories: categories, settings: settings)
  }

  private func exported(_ configure: (inout ExportOptions) -> Void) async throws -> WrittenBackup {
    let (library, scratch) = (try library(), ScratchFolder())
    let summary = try await library.exporting(to: scratch.path.appending("x.zip"), configure: configure)
    let backup = try WrittenBackup.intact(summary.archive)
    #expect(summary.photos == backup.metadata.photos.count)
    #expect(summary.categories == backup.metadata.categories.count)
    return backup
  }

  @Test(
    "Export: only the photos of the selected categories are exported",
    arguments: [
      (["family"], [1, 4, 7]), (["Family"], [1, 4, 7]), (["caf\u{E9}"], [2, 5]),
      (["cars", "family", "cars"], [1, 3, 4, 6, 7]),
    ] as [([String], [Int64])])
  func byCategory(_ names: [String], _ ids: [Int64]) async throws {
    let backup = try await exported { $0.categories = names }
    #expect(backup.metadata.photos.map(\.id) == ids)
    #expect(backup.metadata.categories.count == Set(names).count)
    #expect(backup.metadata.smilepile?.isPartial == true)
  }

  @Test("Export: an unknown category is refused and nothing is written")
  func unknownCategory() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let error = await #expect(throws: LibraryError.self) {
      try await library.exporting(to: scratch.path) { $0.categories = ["family", "nobody"] }
    }
    #expect(error?.description.contains("nobody") == true)
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test("Export: only the photos of the selected dates are exported")
  func byDate() async throws {
    let since = try await exported { $0.taken.since = 3000 }
    #expect(since.metadata.photos.map(\.id) == [3, 4, 5, 6, 7])
    let until = try await exported { $0.taken.until = 3000 }
    #expect(until.metadata.photos.map(\.id) == [1, 2])
    let both = try await exported {
      $0.taken.since = 2000
      $0.taken.until = 5000
      $0.categories = ["family", "cars"]
    }
    #expect(both.metadata.photos.map(\.id) == [3, 4])
    #expect([since, until, both].map(\.metadata.smilepile?.isPartial) == [true, true, true])
  }

  @Test("Export: a backup without settings leaves the settings of a library unchanged")
  func withoutSettings() async throws {
    let library = try library()
    let scratch = ScratchFolder()
    let path = scratch.path.appending("x.zip")
    try await library.exporting(to: path) { $0.includesSettings = false }
    let backup = try WrittenBackup(path)
    expectNone(try backup.faults())
    #expect(backup.metadata.smilepile?.includesSettings == false)
    #expect(backup.metadata.smilepile?.isPartial == false)
    #expect(backup.strict.settings?.isDarkMode == false)
    let security = backup.strict.settings?.securitySettings
    #expect(security?.kidSafeModeEnabled == true)
    #expect(security?.deleteProtectionEnabled == false)
    #expect(backup.metadata.settings?.securitySettings.cameraAccessAllowed == true)
    let other = try SampleLibrary()
    let before = try other.contents.settings
    for strategy in ImportStrategy.allCases {
      try await other.importing(path) { $0.strategy = strategy }
      #expect(try other.contents.settings == before)
    }
  }

  @Test("Export: a JSON backup is restored with the photos of the library folder")
  func jsonFormat() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let summary = try await library.exporting(to: scratch.path.appending("x.json")) { $0.format = .json }
    #expect(summary.photos == 7)
    #expect(!summary.isIncomplete)
    let path = try #require(summary.archive)
    let json = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    let strict = try FoundationMetadata.readStrictly(json)
    #expect(strict.version == 1)
    #expect(strict.format == "JSON")
    #expect(strict.photoManifest.isEmpty)
    #expect(strict.photos.count == 7)

    let other = try SampleLibrary()
    let bare = try await other.importing(path)
    #expect(bare.photosImported == 1)
    #expect(bare.photosNotImported == 6)
    let restored = try await other.importing(path) { $0.photosFrom = library.path }
    #expect(restored.photosImported == 6)
    #expect(restored.photosSkipped == 1)
    #expect(!restored.isIncomplete)
    #expect(try other.bytesOfPhotos() == library.bytesOfPhotos())
    #expect(try other.contents.categories == library.contents.categories)
    let (settings, original) = (try other.contents.settings, try library.contents.settings)
    #expect(SettingsValues(settings) == SettingsValues(original))
  }

  @Test("Import: a photo with several candidate files, or one that differs in case, is reported")
  func ambiguousFiles() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    backup.metadata.version = 1
    backup.metadata.photoManifest = []
    let path = try scratch.write(backup.metadata.json(), to: "x.json")
    let files = [("1/a.jpg", "a"), ("2/3/a.jpg", "A"), ("b.jpg", "b"), ("4/b.jpg", "longer"), ("C.jpg", "c")]
    for (name, text) in files { try scratch.write(text, to: "from/" + name) }
    let summary = try await library.importing(path) { $0.photosFrom = scratch.path.appending("from") }
    #expect(summary.photosImported == 1)
    #expect(summary.photosNotImported == 2)
    let warning = try #require(summary.warnings.first { $0.contains("“a”") })
    #expect(warning.contains("1/a.jpg"))
    #expect(warning.contains("2/3/a.jpg"))
    #expect(summary.warnings.contains { $0.contains("“c”") })
    #expect(try library.contents.photos.map(\.name) == ["b"])
  }

  @Test("Export: a dry run writes nothing and has the counts of a real run")
  func dryRun() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let tree = try library.tree
    let dry = try await library.exporting(to: scratch.path) { $0.isDryRun = true }
    #expect(dry.isDryRun)
    #expect(dry.archive == nil)
    #expect(dry.archiveBytes == 0)
    expectNone(try library.tree.differences(from: tree))
    #expect(try FolderTree(scratch.path).files.isEmpty)
    let real = try await library.exporting(to: scratch.path)
    #expect(dry.photos == real.photos)
    #expect(dry.categories == real.categories)
    #expect(dry.bytes == real.bytes)
    #expect(dry.missing == real.missing)
    #expect(dry.phoneRefusals == real.phoneRefusals)
  }

  @Test("Export: archives of the same second get different names")
  func sameSecond() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    var names: [String] = []
    for _ in 0..<3 {
      let summary = try await library.exporting(to: scratch.path)
      names.append(try #require(summary.archive?.lastComponent?.string))
    }
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.wholeMatch(of: /smilepile_backup_\d{8}_\d{6}\.zip/) != nil })
    #expect(try FolderTree(scratch.path).fileNames == names.sorted())
  }

  @Test("Export: an existing file or a missing folder is refused")
  func existingFile() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let taken = try scratch.write([1, 2, 3], to: "taken.zip")
    for path in [taken, scratch.path.appending("no/such/folder.zip")] {
      let error = await #expect(throws: BackupError.self) { try await library.exporting(to: path) }
      #expect(error?.description.contains(path.removingLastComponent().string) == true)
    }
    #expect(try FolderTree(scratch.path).files == ["taken.zip": [1, 2, 3]])
  }
}
