import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// `rebuild` makes a new database from the files, the newest archive, and the readable rows of the old one.
@Suite struct RebuildTests {
  private let scene: RebuildScene

  init() async throws { scene = try await RebuildScene() }

  // MARK: All files

  @Test(
    "Rebuild: a deleted database comes back from the archive, with IDs, paths, names, settings and library ID"
  )
  func deletedDatabase() async throws {
    let id = try Library(path: scene.library.path).libraryID()
    let contents = try await scene.loseExportedDatabase()
    let summary = try await scene.rebuild()
    #expect(!summary.isIncomplete)
    #expect(summary.photos == 4)
    #expect(summary.lostFiles == nil)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    #expect(try Library(path: scene.library.path).libraryID() == id)
    expectNone(try scene.library.faults())
    #expect(try await Work.verify(library: scene.library.path).summary.damaged.isEmpty)
  }

  @Test(
    "Rebuild: a chain of archives is folded, and the next incremental export depends on its newest archive")
  func chain() async throws {
    let folder = try scene.scratch.makeFolder("out")
    try await scene.library.exporting(to: folder) { $0.isIncremental = true }
    try scene.library.change(adding: [.init(id: 12, fileName: "IMG_12.jpg", bytes: RebuildScene.picture(12))])
    let newest = try #require(
      try await scene.library.exporting(to: folder) { $0.isIncremental = true }.archive)
    let contents = try scene.library.contents
    try scene.loseDatabase()
    try scene.removeFile(of: 1, in: contents)
    let summary = try await scene.rebuild(from: [folder])
    #expect(summary.archive == newest)
    #expect(summary.restored.count == 1)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    let next = try await scene.library.exporting(to: folder) { $0.isIncremental = true }
    #expect(next.increment?.photosStoredInBase == 4)
  }

  @Test("Rebuild: without a later change, an import of the archive adds nothing")
  func importAfterwards() async throws {
    try await scene.loseExportedDatabase()
    try await scene.rebuild()
    let summary = try await scene.library.importing(scene.archive)
    #expect(summary.photosImported == 0)
    #expect(summary.photosSkipped == 4)
  }

  @Test("Rebuild: nothing can be undone afterwards, and the files of an earlier undo are kept in .lost")
  func keptForUndo() async throws {
    try await scene.export()
    _ = try await Work.remove(LibrarySelection(ids: [1]), from: scene.library.path, options: .given).summary
    try scene.loseDatabase()
    let summary = try await scene.rebuild { $0.missing = .leave }
    let lost = try #require(summary.lostFiles)
    #expect(try FolderTree(lost).files.values.contains(RebuildScene.picture(1)))
    // a writer deletes nothing of it
    try await scene.library.importing(try await scene.export(as: "second.zip"))
    #expect(try FolderTree(lost).files.values.contains(RebuildScene.picture(1)))
    expectNone(try scene.library.faults())
  }

  // MARK: Missing, corrupt and unknown files

  @Test("Rebuild: a missing file comes from the archive, and is reported")
  func missingFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    try scene.removeFile(of: 2, in: contents)
    let summary = try await scene.rebuild()
    #expect(summary.isIncomplete)
    #expect(summary.restored.map(\.item) == ["photo 2 “tram” in “Cars”"])
    #expect(summary.bytes == RebuildScene.picture(2).count)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    #expect(try scene.library.bytesOfPhotos()[2] == RebuildScene.picture(2))
  }

  @Test("Rebuild: with leave, a photo without a file is left out and reported")
  func leavesMissingFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    try scene.removeFile(of: 2, in: contents)
    let summary = try await scene.rebuild { $0.missing = .leave }
    #expect(summary.missing.map(\.item) == ["photo 2 “tram” in “Cars”"])
    #expect(try scene.library.contents.photos.map(\.id) == [1, 7, 9])
    expectNone(try scene.library.faults())
  }

  @Test("Rebuild: with leave, a photo without a file is left out although another photo is corrupt")
  func leavesMissingFileBesideCorruptFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    try scene.removeFile(of: 2, in: contents)
    let path = try scene.path(of: 1, in: contents)
    try Data("rotten".utf8).write(to: URL(fileURLWithPath: path.string))
    let summary = try await scene.rebuild { $0.missing = .leave }
    #expect(summary.missing.map(\.item) == ["photo 2 “tram” in “Cars”"])
    #expect(summary.restored.count == 1)
    #expect(try scene.library.contents.photos.map(\.id) == [1, 7, 9])
    expectNone(try scene.library.faults())
  }

  @Test("Rebuild: a file with other bytes is kept in .rotten, and replaced from the archive")
  func corruptFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    let path = try scene.path(of: 1, in: contents)
    try Data("rotten".utf8).write(to: URL(fileURLWithPath: path.string))
    let summary = try await scene.rebuild { $0.missing = .leave }
    #expect(summary.restored.count == 1)
    let kept = try #require(summary.corruptFiles).appending("1_IMG_1.jpg")
    #expect(try String(contentsOfFile: kept.string, encoding: .utf8) == "rotten")
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    #expect(try scene.library.bytesOfPhotos()[1] == RebuildScene.picture(1))
    expectNone(try scene.library.faults())
  }

  @Test("Rebuild: a file that cannot be read is kept in .rotten, and replaced from the archive")
  func unreadableFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    let path = try scene.path(of: 1, in: contents)
    let fault = ArmedFault(.badSectors(0..<512), below: path)
    let summary = try await scene.rebuild()
    fault.disarm()
    #expect(summary.findings.isEmpty)
    #expect(summary.restored.map(\.item) == ["photo 1 “beach” in “Family”"])
    #expect(try scene.library.bytesOfPhotos()[1] == RebuildScene.picture(1))
    #expect(summary.corruptFiles != nil)
    expectNone(try scene.library.faults())
  }

  @Test("Rebuild: if no file of a photo can be read, the error names a file that cannot be read")
  func unreadableFiles() async throws {
    try await scene.loseExportedDatabase()
    try scene.write(Array("a note".utf8), to: "photos/2024/note.txt")
    let faults = ["photos/2020", "photos/2023"].map { folder in
      ArmedFault(.badSectors(0..<512), below: scene.library.path.pushing(FilePath(folder)))
    }
    defer { for fault in faults { fault.disarm() } }
    let error = await #expect(throws: RebuildError.self) { try await scene.rebuild() }
    #expect(error?.description.contains("errno 5") == true)
  }

  @Test("Rebuild: a photo that nothing knows gets a category of its own, and other files stay untracked")
  func unknownFiles() async throws {
    let contents = try await scene.loseExportedDatabase()
    try scene.write(RebuildScene.picture(99), to: "photos/2023/11/new.jpg")
    try scene.write(Array("a note".utf8), to: "photos/2023/11/note.txt")
    let summary = try await scene.rebuild()
    #expect(summary.foundAgain == ["photos/2023/11/new.jpg"])
    #expect(summary.untracked == ["photos/2023/11/note.txt"])
    let rebuilt = try scene.library.contents
    let category = try #require(rebuilt.categories.first { $0.displayName == "Found again" })
    let found = try #require(rebuilt.photos.first { $0.categoryId == category.id })
    #expect(found.id > 9)
    #expect(found.name == "new")
    #expect(found.path == "photos/2023/11/new.jpg")
    #expect(rebuilt.photos.filter { $0.id != found.id } == contents.photos)
    #expect(try scene.library.faults() == ["untracked photos/2023/11/note.txt"])
  }

  @Test("Rebuild: a renamed file is found by its content")
  func renamedFile() async throws {
    let contents = try await scene.loseExportedDatabase()
    let path = try scene.path(of: 1, in: contents)
    try FileManager.default.moveItem(
      atPath: path.string, toPath: path.removingLastComponent().appending("renamed.jpg").string)
    let summary = try await scene.rebuild()
    #expect(!summary.isIncomplete)
    let photo = try #require(try scene.library.contents.photos.first { $0.id == 1 })
    #expect(photo.path == "photos/2023/11/renamed.jpg")
    #expect(photo.name == "beach")
  }

  @Test("Rebuild: equal files are told apart by their names")
  func equalFiles() async throws {
    let bytes = RebuildScene.picture(40)
    try scene.library.change(adding: [
      .init(id: 20, category: 2, fileName: "b.jpg", bytes: bytes),
      .init(id: 21, fileName: "a.jpg", bytes: bytes),
      .init(id: 22, category: 2, fileName: "a.jpg", bytes: bytes),
    ])
    let contents = try await scene.loseExportedDatabase()
    #expect(try await !scene.rebuild().isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: a lost folder of photos comes back completely")
  func lostPhotos() async throws {
    let contents = try scene.library.contents
    try await scene.export()
    try scene.damageDatabase { $0.removeAll() }
    try FileManager.default.removeItem(atPath: scene.library.path.appending("photos").string)
    let summary = try await scene.rebuild()
    #expect(summary.restored.count == 3)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    expectNone(try scene.library.faults())
  }

  // MARK: The old database

  @Test("Rebuild: a database with a lost header is kept in .lost")
  func lostHeader() async throws {
    let contents = try scene.library.contents
    try await scene.export()
    try scene.damageDatabase { $0.replaceSubrange(0..<100, with: Array(repeating: 0, count: 100)) }
    let damaged = try Data(contentsOf: URL(fileURLWithPath: scene.database.string))
    let summary = try await scene.rebuild()
    let lost = try #require(summary.lostFiles).appending("library.sqlite")
    #expect(try Data(contentsOf: URL(fileURLWithPath: lost.string)) == damaged)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: the rows of a database that has lost only its header are read")
  func rowsWithoutHeader() async throws {
    try await scene.export()
    try scene.library.change(adding: [.init(id: 30, fileName: "IMG_30.jpg", bytes: RebuildScene.picture(30))])
    let contents = try scene.library.contents
    try scene.damageDatabase { $0.replaceSubrange(0..<100, with: Array(repeating: 0, count: 100)) }
    let summary = try await scene.rebuild()
    #expect(summary.photosOfDatabase == 5)
    #expect(!summary.isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: a photo that was added after the archive keeps its row if the old database has it")
  func rowsOfDatabase() async throws {
    try await scene.export()
    try scene.library.change(adding: [.init(id: 30, fileName: "IMG_30.jpg", bytes: RebuildScene.picture(30))])
    var edit = LibraryEdit()
    var photo = try #require(try scene.library.contents.photos.first { $0.id == 1 })
    photo.name = "renamed"
    edit.changedPhotos = [photo]
    try scene.library.change(edit)
    let contents = try scene.library.contents
    try scene.forgeIndex()
    let summary = try await scene.rebuild()
    #expect(summary.photosOfDatabase == 5)
    #expect(!summary.isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: a photo whose category cannot be read is reported, and is in the category of found files")
  func lostCategory() async throws {
    try await scene.export()
    var edit = LibraryEdit()
    edit.newCategories = [.sample(3, "boats")]
    try scene.library.change(
      edit,
      adding: [
        .init(id: 30, category: 3, name: "IMG_30", fileName: "IMG_30.jpg", bytes: RebuildScene.picture(30))
      ])
    try ForgedDatabase.execute("DELETE FROM category WHERE id = 3", in: scene.database)
    let summary = try await scene.rebuild()
    #expect(summary.uncategorized.count == 1)
    #expect(summary.uncategorized.first?.message.contains("“IMG_30”") == true)
    #expect(summary.isIncomplete)
    let contents = try scene.library.contents
    let category = try #require(contents.categories.first { $0.displayName == RebuildSummary.foundCategory })
    #expect(contents.photos.filter { $0.categoryId == category.id }.map(\.id) == [30])
  }

  @Test("Rebuild: a photo that was removed after the archive stays removed if the old database has all rows")
  func removedPhoto() async throws {
    try await scene.export()
    _ = try await Work.remove(LibrarySelection(ids: [2]), from: scene.library.path, options: .given).summary
    let contents = try scene.library.contents
    try scene.forgeIndex()
    let summary = try await scene.rebuild()
    #expect(!summary.isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    #expect(contents.movements.count == 1)
  }

  @Test("Rebuild: a readable PIN stays, and a lost one is reported", arguments: [false, true])
  func pin(isLost: Bool) async throws {
    let pin = try #require(PIN(Secret("1234")))
    do { try LibraryWriter(path: scene.library.path).setPIN(pin) }
    try await scene.export()
    try scene.forgeIndex()
    if isLost { try scene.damageDatabase { $0 = $0.replacing("salt BLOB".utf8, with: "sblt BLOB".utf8) } }
    let summary = try await scene.rebuild { $0.authorization = .refused }
    #expect(summary.isPINLost == isLost)
    #expect(try Library(path: scene.library.path).hasPIN() != isLost)
  }

  @Test("Rebuild: a row with a wrong MD5 is replaced by that of the archive")
  func wrongRow() async throws {
    let contents = try scene.library.contents
    try await scene.export()
    try ForgedDatabase.execute(
      "UPDATE photo SET md5 = zeroblob(16) WHERE id = 1; CREATE INDEX odd ON photo(name)", in: scene.database)
    #expect(try await !scene.rebuild().isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test(
    "Rebuild: the path of a forged row leads nowhere",
    arguments: ["../../../evil", "/evil", "photos/../../evil", "x"])
  func forgedPath(path: String) async throws {
    let contents = try scene.library.contents
    try await scene.export()
    try scene.removeFile(of: 1, in: contents)
    try ForgedDatabase.execute(
      "UPDATE photo SET path = '\(path)' WHERE id = 1; CREATE INDEX odd ON photo(name)", in: scene.database)
    let summary = try await scene.rebuild()
    #expect(summary.restored.count == 1)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
    expectNone(try scene.library.faults())
  }

  // MARK: Archives

  @Test("Rebuild: a truncated newest archive is skipped with a warning, and the one before is used")
  func truncatedArchive() async throws {
    let folder = try scene.scratch.makeFolder("out")
    let first = try #require(try await scene.library.exporting(to: folder).archive)
    let second = try #require(try await scene.library.exporting(to: folder).archive)
    try FileHandle(forWritingTo: URL(fileURLWithPath: second.string)).truncate(atOffset: 700)
    try scene.loseDatabase()
    let summary = try await scene.rebuild(from: [folder])
    #expect(summary.archive == first)
    #expect(summary.warnings.contains { $0.contains(second.string) })
    #expect(!summary.isIncomplete)
  }

  @Test("Rebuild: a file that is corrupt in the newest archive comes from an older one")
  func olderArchive() async throws {
    let folder = try scene.scratch.makeFolder("out")
    let contents = try scene.library.contents
    let first = try #require(try await scene.library.exporting(to: folder).archive)
    let second = try #require(try await scene.library.exporting(to: folder).archive)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: second.string)))
    let place = try #require(bytes.firstRange(of: RebuildScene.picture(1))).lowerBound
    bytes[place + 50] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: second.string))
    try scene.loseDatabase()
    try scene.removeFile(of: 1, in: contents)
    let summary = try await scene.rebuild(from: [folder])
    #expect(summary.archive == second)
    #expect(summary.restored.first?.message.contains(first.string) == true)
    #expect(summary.damagedArchives.keys.first == second)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: copies of an archive in two folders are one export")
  func copies() async throws {
    let folders = try (scene.scratch.makeFolder("out"), scene.scratch.makeFolder("copies"))
    let archive = try #require(try await scene.library.exporting(to: folders.0).archive)
    try FileManager.default.copyItem(
      atPath: archive.string, toPath: folders.1.appending(archive.lastComponent?.string ?? "").string)
    try scene.loseDatabase()
    #expect(try await !scene.rebuild(from: [folders.0, folders.1]).isIncomplete)
    #expect(try Library(path: scene.library.path).exportHistory(at: 0).earlierIDs.count == 1)
  }

  @Test("Rebuild: copies of a split archive in two folders are used once")
  func copiesOfSplitArchive() async throws {
    let contents = try scene.library.contents
    let parts = try await splitArchive()
    let copies = try scene.scratch.makeFolder("copies")
    for part in parts {
      let copy = copies.appending(FilePath(part.lastComponent?.string ?? "").components)
      try FileManager.default.copyItem(atPath: part.string, toPath: copy.string)
    }
    try scene.loseDatabase()
    let summary = try await scene.rebuild(from: [parts[0].removingLastComponent(), copies])
    #expect(!summary.isIncomplete)
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: a split archive without one of its parts is not used, and the archive before it is")
  func incompleteSplitArchive() async throws {
    let contents = try scene.library.contents
    let older = try await scene.export()
    let parts = try await splitArchive()
    try FileManager.default.removeItem(atPath: parts[1].string)
    try scene.loseDatabase()
    let folder = parts[0].removingLastComponent()
    await #expect(throws: IncompleteSet.self) { try await scene.rebuild(from: [folder]) }
    let summary = try await scene.rebuild(from: [folder, older])
    #expect(summary.archive == older)
    #expect(summary.warnings.contains { $0.contains("one of \(parts.count) parts") })
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  private func splitArchive() async throws -> [FilePath] {
    var limits = PhoneLimits()
    limits.entries = 4
    let summary = try await scene.library.exporting(to: scene.scratch.makeFolder("parts")) {
      $0.phoneLimits = limits
    }
    try #require(summary.archives.count > 1)
    return summary.archives
  }

  @Test(
    "Rebuild: the archive of another library is refused, also with a photo in common, and nothing changes",
    arguments: [[77], [77, 78, 79, 1]] as [[UInt8]])
  func otherLibrary(pictures: [UInt8]) async throws {
    let other = try SampleLibrary(
      pictures.map { .init(id: Int64($0), fileName: "\($0).jpg", bytes: RebuildScene.picture($0)) },
      categories: [.sample(1, "family")])
    let archive = scene.scratch.path.appending("other.zip")
    try await other.exporting(to: archive)
    try scene.loseDatabase()
    let tree = try scene.library.tree
    await #expect(throws: RebuildError.otherLibrary(scene.library.path, archive: archive)) {
      try await scene.rebuild(from: [archive])
    }
    expectNone(try scene.library.tree.differences(from: tree))
  }

  @Test(
    "Rebuild: archives of several libraries in a folder need a choice, unless the old database has the library ID"
  )
  func severalLibraries() async throws {
    let folder = try scene.scratch.makeFolder("out")
    let other = try SampleLibrary(
      [.init(id: 1, fileName: "x.jpg", bytes: RebuildScene.picture(77))], categories: [.sample(1, "family")])
    let own = try #require(try await scene.library.exporting(to: folder).archive)
    try await other.exporting(to: folder)
    let copy = try SampleLibrary(copyOf: scene.library)
    try scene.loseDatabase()
    await #expect(throws: RebuildError.self) { try await scene.rebuild(from: [folder]) }
    try FileManager.default.copyItem(
      atPath: copy.path.appending("library.sqlite").string, toPath: scene.database.string)
    try scene.forgeIndex()
    #expect(try await scene.rebuild(from: [folder]).archive == own)
  }

  @Test("Rebuild: an encrypted archive needs its password")
  func encryptedArchive() async throws {
    let password = Secret("a good long password")
    let contents = try scene.library.contents
    try await scene.export { $0.password = password }
    try scene.loseDatabase()
    try scene.removeFile(of: 1, in: contents)
    await #expect { try await scene.rebuild() } throws: { $0.cause.isOfPassword }
    await #expect { try await scene.rebuild { $0.password = Secret("a wrong long password") } } throws: {
      $0.cause.isOfPassword
    }
    try await scene.rebuild { $0.password = password }
    #expect(try scene.library.contents.withoutDates == contents.withoutDates)
  }

  @Test("Rebuild: without an archive, the files alone are used only if the caller accepts it")
  func noArchive() async throws {
    try scene.loseDatabase()
    await #expect(throws: RebuildError.noArchive(scene.library.path)) { try await scene.rebuild(from: []) }
    let summary = try await scene.rebuild(from: []) { $0.acceptsNoArchive = true }
    #expect(summary.foundAgain.count == 3)
    let contents = try scene.library.contents
    #expect(contents.categories.map(\.displayName) == ["Found again"])
    #expect(contents.photos.count == 3)
    expectNone(try scene.library.faults())
  }

  @Test(
    "Rebuild: archives of another library do not count if the caller accepts that there is none",
    arguments: [true, false])
  func otherLibraryWithoutArchive(isIDKnown: Bool) async throws {
    let other = try SampleLibrary(
      [.init(id: 1, fileName: "x.jpg", bytes: RebuildScene.picture(77))], categories: [.sample(1, "other")])
    let archive = scene.scratch.path.appending("other.zip")
    try await other.exporting(to: archive)
    let id = try Library(path: scene.library.path).libraryID()
    if isIDKnown {
      try scene.forgeIndex()
    } else {
      try scene.loseDatabase()
    }
    let summary = try await scene.rebuild(from: [archive]) { $0.acceptsNoArchive = true }
    #expect(summary.archive == nil)
    #expect(summary.photos == (isIDKnown ? 4 : 3))
    #expect(summary.foundAgain.count == (isIDKnown ? 0 : 3))
    #expect(try (Library(path: scene.library.path).libraryID() == id) == isIDKnown)
    #expect(try !scene.library.contents.categories.contains { $0.name == "other" })
  }

  // MARK: Refusals

  @Test("Rebuild: an intact library is refused, and nothing changes")
  func intactLibrary() async throws {
    try await scene.export()
    let tree = try scene.library.tree
    await #expect(throws: RebuildError.isIntact(scene.library.path)) { try await scene.rebuild() }
    expectNone(try scene.library.tree.differences(from: tree))
  }

  @Test("Rebuild: a library that another process changes is refused")
  func lockedLibrary() async throws {
    try await scene.loseExportedDatabase()
    let folder = try Directory.open(scene.library.path)
    let lock = try FileLock("library.lock", in: folder, exclusive: true)
    await #expect(throws: FileLock.Busy.self) { try await scene.rebuild() }
    lock.release()
    try await scene.rebuild()
  }

  @Test("Rebuild: a folder without a library is refused")
  func noLibrary() async throws {
    let folder = try scene.scratch.makeFolder("empty")
    await #expect(throws: LibraryError.notALibrary(folder)) {
      try await Work.rebuild(folder).summary
    }
  }

  @Test("Rebuild: a dry run reports the same and writes nothing")
  func dryRun() async throws {
    let contents = try await scene.loseExportedDatabase()
    try scene.removeFile(of: 2, in: contents)
    let tree = try scene.library.tree
    let dry = try await scene.rebuild { $0.isDryRun = true }
    #expect(dry.restored.count == 1)
    #expect(dry.photos == 4)
    expectNone(try scene.library.tree.differences(from: tree))
  }

  @Test("Rebuild: if the settings are lost, too, the PIN that there may have been needs a confirmation")
  func confirmationWithoutSettings() async throws {
    try scene.loseDatabase()
    await #expect(throws: AuthorizationError.notConfirmed(scene.library.path)) {
      try await scene.rebuild(from: []) {
        $0.acceptsNoArchive = true
        $0.authorization = .refused
      }
    }
    #expect(try await scene.rebuild(from: []) { $0.acceptsNoArchive = true }.isPINLost)
  }

  @Test("Rebuild: delete protection without its PIN needs a confirmation")
  func confirmation() async throws {
    var edit = LibraryEdit()
    var settings = try scene.library.contents.settings
    settings.deleteProtection = true
    edit.settings = settings
    try scene.library.change(edit)
    try await scene.loseExportedDatabase()
    let tree = try scene.library.tree
    await #expect(throws: AuthorizationError.notConfirmed(scene.library.path)) {
      try await scene.rebuild { $0.authorization = .refused }
    }
    expectNone(try scene.library.tree.differences(from: tree))
    #expect(try await scene.rebuild().isPINLost)
    #expect(try scene.library.contents.settings.deleteProtectionEnabled)
  }
}
