import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Statistics exports and HTML galleries of the Android app: refused as backups, accepted by `extract`.
@Suite struct PhotoExportTests {
  /// An export, at the root or in one folder.
  struct Shape: CustomTestStringConvertible, Sendable {
    let export: PhotoExport
    let root: String

    static let all = [PhotoExport.statistics, .gallery].flatMap { export in
      ["", "Exported/"].map { Shape(export: export, root: $0) }
    }

    var testDescription: String { "\(export)\(root.isEmpty ? "" : " in a folder")" }

    var title: String { export == .statistics ? "a statistics export" : "an HTML gallery" }

    func archive(_ change: (inout PhotoExportArchive) -> Void = { _ in }) throws -> ZipBuilder {
      var archive = try PhotoExportArchive.sample()
      archive.root = root
      change(&archive)
      return export == .statistics ? archive.statistics : archive.gallery
    }
  }

  private let scratch = ScratchFolder()
  private let folder: FilePath

  init() throws {
    folder = scratch.path.appending("out")
  }

  private func extract(
    _ archive: FilePath, configure: (inout ExtractOptions) -> Void = { _ in }
  ) async throws -> ExtractSummary {
    var options = ExtractOptions()
    configure(&options)
    return try await Work.extract(archive, to: folder, options: options).summary
  }

  private static let names = [
    "Photos/2025_10_03.jpg", "Photos/IMG_0001 (2).jpg", "Photos/IMG_0001.jpg", "Photos/été à la plage.jpg",
  ]

  // MARK: Refused as a backup

  @Test(
    "Photo export: commands for backups refuse it with a remedy and write nothing",
    arguments: Shape.all)
  func refused(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    let library = try SampleLibrary()
    try library.settle()
    let before = try FolderTree(library.path)
    let works: [() async throws -> Void] = [
      { _ = try await library.importing(path) },
      { _ = try await Work.verify([path]).summary },
      { _ = try await Work.diff(from: path, to: path).summary },
      { _ = try await Work.repair(path).summary },
      { _ = try await Work.flatten(path).summary },
      { _ = try OpenedBackup(path: path) },
    ]
    for (index, work) in works.enumerated() {
      let error = await #expect(throws: BackupError.self, "\(index)") { try await work() }
      #expect(
        error?.description
          == "\(path) is \(shape.title) of the Android app, and not a backup: its photos have no categories",
        "\(index)")
      #expect(error?.remedy == .extractPhotos(path.string), "\(index)")
    }
    #expect(try FolderTree(library.path) == before)
    #expect(try FolderTree(scratch.path).fileNames == ["x.zip"])
  }

  @Test("Library repair: photos are restored from a photo export by their MD5", arguments: Shape.all)
  func libraryRepair(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    let photo = try PhotoExportArchive.sample().photos[1]
    let library = try SampleLibrary(
      [.init(id: 1, fileName: "1.jpg", bytes: photo.bytes)], categories: [.sample(1, "family")])
    let file = library.file(of: try library.contents.photos[0])
    try FileManager.default.removeItem(atPath: file.string)
    let summary = try await Work.repairLibrary(library.path, from: [path]).summary
    #expect(summary.repaired.count == 1)
    #expect(!summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == [1: photo.bytes])
  }

  @Test("Repair: a truncated statistics export is not reported to have lost rows")
  func truncatedStatistics() async throws {
    let bytes = try PhotoExportArchive.sample().statistics.bytes
    let path = try scratch.write(Array(bytes.dropLast(500)), to: "x.zip")
    let summary = try await Work.repair(path).summary
    let losses = summary.unrecoverable.map(\.message)
    #expect(losses.contains { $0.contains("a photo export has no rows") })
    #expect(!losses.contains { $0.contains("so categories, names") })
  }

  @Test("Archive inventory: a photo export is ignored", arguments: Shape.all)
  func archiveInventory(_ shape: Shape) async throws {
    let archives = try scratch.makeFolder("archives")
    try scratch.write(shape.archive().bytes, to: "archives/x.zip")
    _ = try SampleBackup(photos: ["a"]).write(to: scratch, as: "archives/backup.zip")
    let catalog = try ArchiveInventory(folder: archives)
    #expect(catalog.archives.map(\.name) == ["backup.zip"])
    #expect(catalog.unreadable.isEmpty)
  }

  // MARK: Recognition

  @Test("Photo export: metadata with counts and lists is that of a backup")
  func backupWithCounts() throws {
    let document = #"{"photosCount":0,"categoriesCount":0,"categories":[],"photos":[]}"#
    let path = try scratch.write(ZipBuilder([.stored("metadata.json", document)]).bytes, to: "x.zip")
    #expect(try OpenedBackup(path: path).photos.isEmpty)
  }

  @Test(
    "Photo export: a metadata.json without both counts is not a statistics export",
    arguments: [
      "{}", #"{"photosCount":1}"#, #"{"deviceInfo":{"photosCount":1,"categoriesCount":1}}"#, "[1]", "{",
    ])
  func otherMetadata(_ document: String) throws {
    #expect(!PhotoExport.isStatistics(Array(document.utf8)))
  }

  @Test("Photo export: the metadata.json of a statistics export alone is refused")
  func metadataAlone() throws {
    let document = #"{"exportDate":1,"appVersion":"1","categoriesCount":1,"photosCount":1}"#
    let path = try scratch.write(document, to: "metadata.json")
    let error = #expect(throws: BackupError.self) { try OpenedBackup(path: path) }
    #expect(error?.description.contains("it is a statistics export without photos") == true)
  }

  @Test(
    "Photo export: a third-party web page is not a gallery of the app",
    arguments: [
      ["index.html", "style.css", "script.js", "images/logo.png"],
      ["index.html", "style.css", "images/1_a.jpg"],
      ["index.html", "style.css", "script.js"],
      ["a/index.html", "a/style.css", "a/script.js", "images/1_a.jpg"],
      ["index.html", "style.css", "script.js", "a/b/images/1_a.jpg"],
    ])
  func otherPage(_ names: [String]) throws {
    let path = try scratch.write(ZipBuilder(names.map { .stored($0, "x") }).bytes, to: "x.zip")
    let error = #expect(throws: BackupError.self) { try OpenedBackup(path: path) }
    #expect(error?.description.contains("it has no metadata.json") == true)
  }

  // MARK: Extraction

  @Test(
    "Extract: only the photos of a photo export become files, in one folder",
    arguments: Shape.all)
  func extracted(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    let summary = try await extract(path)
    #expect(summary.filesWritten == 4)
    #expect(summary.errors == [])
    #expect(summary.warnings == [])
    let tree = try FolderTree(folder)
    #expect(tree.fileNames == Self.names)
    let photos = try PhotoExportArchive.sample().photos
    #expect(tree.files["Photos/IMG_0001.jpg"] == photos[0].bytes)
    #expect(tree.files["Photos/IMG_0001 (2).jpg"] == photos[1].bytes)
    #expect(tree.files["Photos/2025_10_03.jpg"] == photos[3].bytes)
  }

  @Test("Extract: a file of a photo export has its entry's date, in local time", arguments: Shape.all)
  func dates(_ shape: Shape) async throws {
    _ = try await extract(try scratch.write(shape.archive().bytes, to: "x.zip"))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    for (name, parts) in [
      ("IMG_0001 (2).jpg", DateComponents(year: 2024, month: 2, day: 29, hour: 12)),
      (
        "été à la plage.jpg",
        DateComponents(year: 2019, month: 12, day: 31, hour: 23, minute: 59, second: 58)
      ),
    ] {
      let status = try File.open(folder.appending("Photos").appending(name), .read).status()
      #expect(status.modified == calendar.date(from: parts).map(Timestamp.init))
    }
  }

  @Test(
    "Extract: a second run on a photo export keeps files and writes missing ones",
    arguments: Shape.all)
  func secondRun(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    _ = try await extract(path)
    try FileManager.default.removeItem(atPath: folder.appending("Photos/IMG_0001.jpg").string)
    try scratch.write([1], to: "out/Photos/.smilepile-1.unfinished")
    let summary = try await extract(path)
    #expect(summary.filesWritten == 1)
    #expect(summary.filesKept == 3)
    #expect(try FolderTree(folder).fileNames == Self.names)
  }

  @Test("Extract: photos of a photo export are selected by name", arguments: Shape.all)
  func selected(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    _ = try await extract(path) { $0.selection.names = ["IMG_*"] }
    #expect(try FolderTree(folder).fileNames == ["Photos/IMG_0001 (2).jpg", "Photos/IMG_0001.jpg"])
  }

  @Test("Extract: a dry run on a photo export writes nothing", arguments: Shape.all)
  func dryRun(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    let summary = try await extract(path) { $0.isDryRun = true }
    #expect(summary.filesWritten == 4)
    #expect(try FolderTree(scratch.path).fileNames == ["x.zip"])
  }

  @Test(
    "Extract: a corrupt photo of a photo export is reported and written to no file",
    arguments: Shape.all, OverwriteRule.allCases)
  func corruptPhoto(_ shape: Shape, _ rule: OverwriteRule) async throws {
    var archive = try shape.archive()
    let index = try #require(archive.members.firstIndex { $0.data.count == 5 + 700 })
    archive.members[index].data[300] ^= 1
    let path = try scratch.write(archive.bytes, to: "x.zip")
    let summary = try await extract(path) { $0.overwrite = rule }
    #expect(summary.errors.map(\.item) == ["photo 84215045365760 “IMG_0001” in “Photos”"])
    #expect(summary.isIncomplete)
    #expect(try FolderTree(folder).fileNames == Self.names.filter { $0 != "Photos/IMG_0001.jpg" })
  }

  @Test("Extract: a truncated photo export is refused and nothing is written", arguments: Shape.all)
  func truncated(_ shape: Shape) async throws {
    let path = try scratch.write(Array(shape.archive().bytes.dropLast(40)), to: "x.zip")
    await #expect(throws: ArchiveError.self) { try await extract(path) }
    #expect(try FolderTree(scratch.path).fileNames == ["x.zip"])
  }

  @Test("Extract: a photo export that exceeds the limits of archives is refused", arguments: Shape.all)
  func limits(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    for limit in [\Limits.maximumEntries, \.maximumBytes] as [WritableKeyPath<Limits, Int> & Sendable] {
      await #expect(throws: ArchiveError.self) { try await extract(path) { $0.limits[keyPath: limit] = 3 } }
    }
    #expect(try FolderTree(scratch.path).fileNames == ["x.zip"])
  }

  @Test(
    "Extract: a name in a photo export cannot leave the folder or hide a file",
    arguments: Shape.all, ["../../evil.jpg", "-rf", "con.jpg", ".hidden", "", "7_"])
  func oddNames(_ shape: Shape, _ name: String) async throws {
    let archive = try shape.archive { archive in
      archive.photos = [archive.photos[1]]
      archive.photos[0].name = name
    }
    let path = try scratch.write(archive.bytes, to: "x.zip")
    if name.contains("/") {
      await #expect(throws: ArchiveError.self) { try await extract(path) }
    } else {
      #expect(try await extract(path).filesWritten == 1)
    }
    let files = try FolderTree(scratch.path).fileNames.filter { $0 != "x.zip" }
    #expect(files.allSatisfy { $0.hasPrefix("out/Photos/") })
    #expect(!files.contains { $0.hasPrefix("out/Photos/.") })
  }

  // MARK: Salvage

  @Test("Salvage import: the photos of a photo export are imported into “Rescued”", arguments: Shape.all)
  func salvaged(_ shape: Shape) async throws {
    let path = try scratch.write(shape.archive().bytes, to: "x.zip")
    let library = try SampleLibrary()
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 4)
    #expect(summary.isIncomplete)
    let contents = try Library(path: library.path).contents()
    #expect(contents.categories.map(\.displayName) == ["Rescued"])
    #expect(Set(contents.photos.map(\.name)) == ["IMG_0001", "été à la plage", "2025_10_03"])
    let again = try await library.importing(path) { $0.salvages = true }
    #expect(again.photosImported == 0)
  }

  @Test("Salvage import: the intact photos of a truncated photo export are imported", arguments: Shape.all)
  func salvagedTruncated(_ shape: Shape) async throws {
    let path = try scratch.write(Array(shape.archive().bytes.dropLast(40)), to: "x.zip")
    let library = try SampleLibrary()
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 4)
    #expect(try Library(path: library.path).contents().categories.map(\.displayName) == ["Rescued"])
  }

  // MARK: Fixtures

  @Test(
    "Photo export: the fixtures equal the archives that the tests build",
    arguments: [
      (PhotoExport.statistics, "SmilePile_Export_20251003_140000.zip"),
      (.gallery, "SmilePile_Gallery_20251003_140000.zip"),
    ])
  func fixture(_ export: PhotoExport, _ name: String) throws {
    let bytes = try Shape(export: export, root: "").archive().bytes
    let file = URL(fileURLWithPath: TestSupport.Fixture.path("exports/\(name)").string)
    if ProcessInfo.processInfo.environment["SMILEPILE_WRITE_FIXTURES"] != nil {
      try Data(bytes).write(to: file)
    }
    #expect(Array(try Data(contentsOf: file)) == bytes)
  }
}
