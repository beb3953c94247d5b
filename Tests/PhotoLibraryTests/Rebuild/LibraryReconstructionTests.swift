import Checksums
import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The last steps of a rebuild: the old database moves aside, and the new one takes its place.
@Suite struct LibraryReconstructionTests {
  private let library: SampleLibrary
  private var database: FilePath { library.path.appending("library.sqlite") }

  init() throws {
    library = try SampleLibrary(
      [
        .init(id: 1, fileName: "IMG_1.jpg", bytes: [1, 2, 3]),
        .init(id: 2, fileName: "IMG_2.jpg", bytes: [4, 5]),
      ],
      categories: [.sample(1, "family")])
  }

  private func bytes(_ path: FilePath) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path.string)))
  }

  private func write(_ bytes: [UInt8], to path: FilePath) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path.string))
  }

  /// Leaves a database that lacks a category, and a log that has it.
  private func leaveUnappliedLog() throws -> (database: [UInt8], log: [UInt8]) {
    let queue = try DatabaseQueue(path: database.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_mode = WAL")
      try database.execute(
        sql: """
          INSERT INTO category
          SELECT 5, 'sea', 'Sea', 9, iconResource, colorHex, isDefault, createdAt, valuesAsOf, arrangedAt FROM category
          """)
    }
    let log = database.removingLastComponent().appending("library.sqlite-wal")
    let saved = (database: try bytes(database), log: try bytes(log))
    try queue.close()
    try write(saved.database, to: database)
    return saved
  }

  @Test("Reconstruction: the old database and its log are in .lost, and none of its files beside the new one")
  func movesAside() throws {
    try write([7, 7, 7], to: database)
    try write([8, 8], to: library.path.appending("library.sqlite-wal"))
    try write([9], to: library.path.appending("library.sqlite-journal"))
    let lost = try LostLibrary(path: library.path, isReadOnly: false)
    let reconstruction = try LibraryReconstruction(of: lost, SalvagedRows())
    let category = PhotoLibrary.Category.sample(3, "new")
    let contents = LibraryContents(categories: [category], photos: [], settings: Settings(createdAt: 1))
    let outcome = try reconstruction.commit(RebuiltContents(contents), [])
    let folder = library.path.appending(try #require(outcome.lostFiles).components)
    #expect(try bytes(folder.appending("library.sqlite")) == [7, 7, 7])
    #expect(try bytes(folder.appending("library.sqlite-wal")) == [8, 8])
    #expect(try bytes(folder.appending("library.sqlite-journal")) == [9])
    #expect(!FileManager.default.fileExists(atPath: library.path.appending("library.sqlite-journal").string))
    #expect(try library.contents.categories == [category])
    #expect(try Library(path: library.path).untrackedFiles().allSatisfy { $0.starts(with: "photos") })
  }

  /// Leaves what a rebuild leaves that is interrupted after it has removed the log.
  ///
  /// - Returns: the folder with the database and the log.
  private func interruptRebuild() throws -> FilePath {
    try ForgedDatabase.execute("CREATE INDEX odd ON photo(name)", in: database)
    let (_, log) = try leaveUnappliedLog()
    let folder = library.path.appending(".lost/2026-11-26T130955Z")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    // as after the removal of the log: the database has two names
    try FileManager.default.linkItem(
      atPath: database.string, toPath: folder.appending("library.sqlite").string)
    try write(log, to: folder.appending("library.sqlite-wal"))
    try? FileManager.default.removeItem(atPath: library.path.appending("library.sqlite-wal").string)
    return folder
  }

  @Test("Reconstruction: after an interruption before the end, the rows of the removed log are still read")
  func interrupted() throws {
    _ = try interruptRebuild()
    let rows = try LostLibrary(path: library.path, isReadOnly: true).salvagedRows()
    #expect(rows.categories.map(\.id) == [1, 5])
  }

  @Test(
    "Reconstruction: after an interruption before the end, other commands refuse the library and name rebuild"
  )
  func refusedAfterInterruption() throws {
    _ = try interruptRebuild()
    let error = #expect(throws: LibraryError.self) { try Library(path: library.path) }
    #expect(error == .corruptDatabase(library.path, reason: "a rebuild was interrupted"))
    #expect(error?.remedy == .rebuildLibrary(library.path.string))
  }

  @Test(
    "Reconstruction: after an interruption before the end, the next one keeps the old files in the same folder"
  )
  func repeatedAfterInterruption() throws {
    let folder = try interruptRebuild()
    let kept = try bytes(folder.appending("library.sqlite-wal"))
    let lost = try LostLibrary(path: library.path, isReadOnly: false)
    let rows = try lost.salvagedRows()
    let reconstruction = try LibraryReconstruction(of: lost, rows)
    let contents = LibraryContents(categories: rows.categories, photos: [], settings: Settings(createdAt: 1))
    let outcome = try reconstruction.commit(RebuiltContents(contents), [])
    #expect(outcome.lostFiles.map { library.path.appending($0.components) } == folder)
    #expect(try bytes(folder.appending("library.sqlite-wal")) == kept)
    #expect(try library.contents.categories.map(\.id) == [1, 5])
  }

  @Test("Lost library: a database with a second name outside of the library is refused")
  func secondName() throws {
    try write([7], to: database)
    let other = library.path.removingLastComponent().appending("second-\(UUID())")
    defer { try? FileManager.default.removeItem(atPath: other.string) }
    try FileManager.default.linkItem(atPath: database.string, toPath: other.string)
    #expect(throws: OwnershipError.self) { try LostLibrary(path: library.path, isReadOnly: true) }
  }

  @Test("Reconstruction: two rebuilds in one second have different folders")
  func sameSecond() throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    var folders: Set<FilePath> = []
    for _ in 0..<3 {
      try write([7], to: database)
      let lost = try LostLibrary(path: library.path, isReadOnly: false)
      let reconstruction = try LibraryReconstruction(of: lost, SalvagedRows())
      let contents = LibraryContents(categories: [], photos: [], settings: Settings(createdAt: 1))
      folders.insert(
        try #require(try reconstruction.commit(RebuiltContents(contents), [], now: now).lostFiles))
    }
    #expect(folders.count == 3)
  }

  @Test(
    "Lost library: a database with another schema is lost, whatever its version is",
    arguments: [0, 14, 15, 99])
  func otherSchema(number: Int) throws {
    let queue = try DatabaseQueue(path: database.string)
    try queue.write { try $0.execute(sql: "CREATE TABLE other (id); PRAGMA user_version = \(number)") }
    try queue.close()
    _ = try LostLibrary(path: library.path, isReadOnly: true)
  }

  @Test("Lost library: a database with a wrong version is intact", arguments: [0, 14, 99])
  func wrongVersion(number: Int) throws {
    let queue = try DatabaseQueue(path: database.string)
    try queue.write { try $0.execute(sql: "PRAGMA user_version = \(number)") }
    try queue.close()
    #expect(throws: RebuildError.isIntact(library.path)) {
      try LostLibrary(path: library.path, isReadOnly: true)
    }
  }

  @Test("Lost library: a file with the name of the database, without photos and lock, is not a library")
  func otherProgram() throws {
    let folder = ScratchFolder()
    try folder.write("of another program", to: "library.sqlite")
    #expect(throws: LibraryError.notALibrary(folder.path)) {
      try LostLibrary(path: folder.path, isReadOnly: true)
    }
    try Data(bytes(database)).write(to: URL(fileURLWithPath: folder.path("library.sqlite").string))
    #expect(throws: RebuildError.isIntact(folder.path)) {
      try LostLibrary(path: folder.path, isReadOnly: true)
    }
  }

  @Test("Lost library: a database whose header cannot be read is lost")
  func badSector() throws {
    let fault = ArmedFault(.badSectors(0..<512), below: database)
    defer { fault.disarm() }
    #expect(try Library.databaseFault(in: Library.openFolder(library.path)) == "it cannot be read")
  }

  @Test("Lost library: a wrong version in the header of a database with the right schema is no fault")
  func wrongVersion() throws {
    var file = try bytes(database)
    file[60] = 0x7F
    try write(file, to: database)
    #expect(try Library.databaseFault(in: Library.openFolder(library.path)) == nil)
  }
}
