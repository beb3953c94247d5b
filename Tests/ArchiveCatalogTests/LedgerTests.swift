import Checksums
import Databases
import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import ArchiveCatalog

/// What becomes of the database in whatever state it is found.
@Suite(.waitsForPrograms) struct LedgerTests {
  private let scratch = ScratchFolder()
  private let folder: FilePath
  private let archive: FilePath

  init() throws {
    folder = scratch.path.appending("state")
    archive = try scratch.write([1, 2, 3], to: "a.zip")
  }

  private var database: FilePath { folder.appending("ledger.sqlite") }

  @Test("Ledger: a changed statement of the schema needs another version")
  func schemaVersion() {
    #expect(LedgerSchema.ledger.version == 6)
    let digest = MD5Digest(of: Array(LedgerSchema.ledger.statements.utf8))
    #expect("\(digest)" == "83235a9829bfb794ba66e26c98155147")
  }

  private func file() throws -> ArchiveFile { try #require(ArchiveFile(at: archive)) }

  private func record(_ event: Observation.Event, in ledger: Ledger) throws {
    ledger.observer(named: "test").record(event, of: [(try file(), "A")])
  }

  private func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database.string))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  // MARK: Observations

  @Test("Ledger: what one process records, others read")
  func shared() throws {
    let (one, other) = (Ledger(folder: folder), Ledger(folder: folder))
    try record(.verified, in: one)
    #expect(other.health(of: try file()).verifiedAt != nil)
    try record(.foundDamaged(reason: "rot"), in: other)
    #expect(one.health(of: try file()).isSuspect)
    #expect(one.problem == nil)
  }

  @Test("Ledger: reading makes neither a folder nor a database")
  func readingMakesNothing() throws {
    let ledger = Ledger(folder: folder)
    #expect(ledger.health(of: try file()) == .unverified)
    #expect(ledger.observer(named: "test").begun == LedgerPosition(0))
    #expect(ledger.problem == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.string))
  }

  @Test("Ledger: another version of a file is unverified")
  func otherVersion() throws {
    let ledger = Ledger(folder: folder)
    try record(.verified, in: ledger)
    try scratch.write([1, 2, 3, 4], to: "a.zip")
    #expect(ledger.health(of: try file()) == .unverified)
  }

  /// Gives the archive an old modification time.
  private func setOldDate() throws {
    let old = [timespec(tv_sec: 1_600_000_000, tv_nsec: 0), timespec(tv_sec: 1_600_000_000, tv_nsec: 0)]
    try #require(utimensat(AT_FDCWD, archive.string, old, 0) == 0)
  }

  /// Changes the archive in place, and keeps its size and modification time.
  private func changeInPlace() throws {
    let before = try file().changedAt
    // the kernel's clock advances in steps of some milliseconds
    repeat {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: archive.string))
      try handle.write(contentsOf: [9])
      try handle.close()
      try setOldDate()
    } while try file().changedAt == before
  }

  @Test("Ledger: an archive that was changed in place, with its size and date, is unverified")
  func changedInPlace() throws {
    try setOldDate()
    let ledger = Ledger(folder: folder)
    try record(.verified, in: ledger)
    #expect(ledger.health(of: try file()).verifiedAt != nil)
    try changeInPlace()
    #expect(ledger.health(of: try file()) == .unverified)
  }

  @Test("Ledger: a reading that began before damage was found does not end it")
  func staleReading() throws {
    let ledger = Ledger(folder: folder)
    let early = ledger.observer(named: "verify")
    try record(.foundDamaged(reason: "rot"), in: ledger)
    early.record(.verified, of: [(try file(), nil)])
    #expect(ledger.health(of: try file()).isSuspect)
    #expect(early.hasFoundDamaged(try file()))
    try record(.verified, in: ledger)
    #expect(ledger.health(of: try file()).verifiedAt != nil)
  }

  @Test("Ledger: processes that record at once lose nothing")
  func concurrent() async throws {
    let (folder, file) = (folder, try file())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let ledger = Ledger(folder: folder)
          for _ in 0..<10 { ledger.observer(named: "\(number)").record(.verified, of: [(file, nil)]) }
        }
      }
    }
    let observations = Ledger(folder: folder).observations(of: file)
    #expect(observations.count == 40)
    #expect(Set(observations.map(\.recorded)).count == 40)
  }

  // MARK: The database

  @Test("Ledger: a database that was deleted is made anew", arguments: [true, false])
  func deleted(isOpen: Bool) throws {
    var ledger = Ledger(folder: folder)
    try record(.verified, in: ledger)
    try FileManager.default.removeItem(atPath: database.string)
    if !isOpen { ledger = Ledger(folder: folder) }
    #expect(ledger.health(of: try file()) == .unverified)
    try record(.foundDamaged(reason: "rot"), in: ledger)
    #expect(ledger.problem == nil)
    #expect(Ledger(folder: folder).health(of: try file()).isSuspect)
  }

  @Test(
    "Ledger: a corrupt database is moved aside and reported once",
    arguments: [0, 40, 100, 4_096] as [UInt64])
  func corrupt(offset: UInt64) throws {
    try record(.verified, in: Ledger(folder: folder))
    let before = try Data(contentsOf: URL(fileURLWithPath: database.string))
    try write(Array(repeating: 0xA5, count: 4_096), at: offset)
    let ledger = Ledger(folder: folder)
    guard case .movedAside(let path)? = ledger.problem else {
      Issue.record("\(String(describing: ledger.problem))")
      return
    }
    let day = Date().formatted(.iso8601.year().month().day())
    #expect(path.lastComponent?.string == "ledger.sqlite.corrupt-\(day)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path.string)).count >= before.count)
    try record(.foundDamaged(reason: "rot"), in: ledger)
    let next = Ledger(folder: folder)
    #expect(next.problem == nil)
    #expect(next.health(of: try file()).isSuspect)
  }

  @Test("Ledger: a second corrupt database of a day keeps the first", arguments: ["text", ""])
  func corruptTwice(text: String) throws {
    try Directory.makeAll(folder)
    for _ in 1...2 {
      try Array("\(text) and no database, but long enough to be read as the header of one".utf8)
        .withUnsafeBytes {
          try Data($0).write(to: URL(fileURLWithPath: database.string))
        }
      #expect(Ledger(folder: folder).problem != nil)
      try record(.verified, in: Ledger(folder: folder))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    #expect(names.filter { $0.contains("corrupt") }.count == 2)
  }

  @Test("Ledger: an empty database, which another process is creating, is not corrupt")
  func unfinishedCreation() throws {
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: "CREATE TABLE x (x); DROP TABLE x") }
    let ledger = Ledger(folder: folder)
    try record(.verified, in: ledger)
    #expect(ledger.problem == nil)
  }

  @Test("Ledger: a database without one of its tables is moved aside")
  func missingTable() throws {
    try record(.verified, in: Ledger(folder: folder))
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: "DROP TABLE observation") }
    try expectMovedAside(Ledger(folder: folder))
  }

  @Test(
    "Ledger: a database with another schema is moved aside",
    arguments: [
      "CREATE TRIGGER loss AFTER INSERT ON run BEGIN DELETE FROM observation; END",
      "CREATE VIEW everything AS SELECT * FROM run", "CREATE TABLE notes (text)",
      "CREATE INDEX extra ON run(kind)", "ALTER TABLE run ADD COLUMN extra TEXT",
    ])
  func foreignSchema(sql: String) throws {
    try record(.verified, in: Ledger(folder: folder))
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: sql) }
    try expectMovedAside(Ledger(folder: folder))
  }

  @Test(
    "Ledger: a database with a row that no version writes is moved aside, and nothing ends the process",
    arguments: [
      #"UPDATE run SET counts = CAST('{"photos":-1}' AS BLOB)"#,
      "UPDATE run SET begun = -5", "UPDATE run SET outcome = 'odd'",
      "UPDATE run SET startedAt = 'x'", "UPDATE run SET record = NULL", "UPDATE run SET job = x'01'",
      "UPDATE run SET counts = x'7B'", "UPDATE run SET counts = 1e300", "UPDATE observation SET begun = -1",
      "UPDATE observation SET detail = x'00'", "UPDATE position SET number = 'many'",
    ])
  func forgedRow(sql: String) throws {
    let ledger = Ledger(folder: folder)
    try record(.verified, in: ledger)
    var run = LedgerRun(.backup, job: "j", libraryPath: "/l", startedAt: 1)
    ledger.insert(&run)
    try ForgedDatabase.execute(sql, in: database)
    let next = Ledger(folder: folder)
    _ = next.runs()
    _ = next.health(of: try file())
    _ = next.position
    try expectMovedAside(next)
  }

  private func expectMovedAside(
    _ ledger: Ledger, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    guard case .movedAside? = ledger.problem else {
      Issue.record("\(String(describing: ledger.problem))", sourceLocation: sourceLocation)
      return
    }
    try record(.foundDamaged(reason: "rot"), in: ledger)
    #expect(Ledger(folder: folder).health(of: try file()).isSuspect, sourceLocation: sourceLocation)
  }

  /// Changes the schema of the database, and sets a version.
  private func makeOtherVersion(_ number: Int32) throws {
    try record(.verified, in: Ledger(folder: folder))
    try DatabaseQueue(path: database.string).write {
      try $0.execute(sql: "CREATE TABLE other (id); PRAGMA user_version = \(number)")
    }
  }

  @Test("Ledger: a database of an older development version is moved aside, and it is told what is forgotten")
  func older() throws {
    try makeOtherVersion(4)
    let ledger = Ledger(folder: folder)
    #expect(ledger.health(of: try file()) == .unverified)
    #expect(ledger.problem == nil)
    let older = try #require(ledger.olderDatabase)
    #expect(older.path.lastComponent?.string.hasPrefix("ledger.sqlite.older-") == true)
    #expect("\(older)".contains("does not know the history"))
    let next = Ledger(folder: folder)
    #expect(next.runs().isEmpty)
    #expect(next.olderDatabase == nil)
    let moved = try DatabaseQueue(path: older.path.string)
    #expect(try moved.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM observation") } == 1)
  }

  @Test("Ledger: a wrong version is corrected, and nothing is forgotten", arguments: [0, 4, 99])
  func wrongVersion(number: Int) throws {
    try record(.verified, in: Ledger(folder: folder))
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: "PRAGMA user_version = \(number)") }
    let ledger = Ledger(folder: folder)
    #expect(ledger.health(of: try file()).verifiedAt != nil)
    #expect(ledger.problem == nil)
    let version = try DatabaseQueue(path: database.string).read {
      try Int32.fetchOne($0, sql: "PRAGMA user_version")
    }
    #expect(version == LedgerSchema.ledger.version)
  }

  @Test("Ledger: a database of a newer version is left unchanged")
  func newer() throws {
    try makeOtherVersion(99)
    let before = try Data(contentsOf: URL(fileURLWithPath: database.string))
    let ledger = Ledger(folder: folder)
    #expect(ledger.problem == .newerVersion(database))
    try record(.foundDamaged(reason: "rot"), in: ledger)
    // this process remembers it all the same
    #expect(ledger.health(of: try file()).isSuspect)
    #expect(try Data(contentsOf: URL(fileURLWithPath: database.string)) == before)
  }

  @Test("Ledger: where its folder cannot be made, it is remembered in memory")
  func noFolder() throws {
    let place = try scratch.write([0], to: "file")
    let ledger = Ledger(folder: place.appending("state"))
    try record(.verified, in: ledger)
    #expect(ledger.health(of: try file()).verifiedAt != nil)
    guard case .unusable? = ledger.problem else {
      Issue.record("\(String(describing: ledger.problem))")
      return
    }
  }

  @Test("Ledger: what a database says stays known when it can no longer be written")
  func writeProtected() throws {
    try record(.foundDamaged(reason: "rot"), in: Ledger(folder: folder))
    let ledger = Ledger(folder: folder)
    #expect(ledger.health(of: try file()).isSuspect)
    // a second connection keeps the others from writing, as a full disk does
    let blocking = try DatabaseQueue(path: database.string)
    try blocking.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA query_only = 0; BEGIN IMMEDIATE")
      try record(.verified, in: ledger)
      try database.execute(sql: "ROLLBACK")
    }
    guard case .unusable? = ledger.problem else {
      Issue.record("\(String(describing: ledger.problem))")
      return
    }
    #expect(ledger.health(of: try file()).verifiedAt != nil)
    #expect(Ledger(folder: folder).health(of: try file()).isSuspect)
  }

  @Test("Ledger: a transaction of a killed process is rolled back")
  func hotJournal() throws {
    try record(.verified, in: Ledger(folder: folder))
    // copied in the middle of a transaction, as a crash leaves it
    let crashed = scratch.path.appending("crashed")
    try Directory.makeAll(crashed)
    let writing = try DatabaseQueue(path: database.string)
    try writing.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA cache_size = 1; BEGIN IMMEDIATE")
      for number in 0..<2_000 {
        try database.execute(
          sql: "INSERT INTO descriptor VALUES (?, 1, 1, 1, 1, ?)",
          arguments: ["/x/\(number)", Data(repeating: 7, count: 200)])
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) {
        try FileManager.default.copyItem(
          atPath: folder.appending(name).string, toPath: crashed.appending(name).string)
      }
      try database.execute(sql: "ROLLBACK")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: crashed.string).count == 2)
    let ledger = Ledger(folder: crashed)
    #expect(ledger.health(of: try file()).verifiedAt != nil)
    #expect(ledger.problem == nil)
    #expect(ledger.descriptors(inFolder: "/x").isEmpty)
  }
}

@Suite struct InboxLedgerTests {
  private let content = [UInt8](repeating: 7, count: 32)
  private let file = ArchiveFile(location: "/srv/in/a.zip", bytes: 1, modifiedAt: 2, changedAt: 3)

  @Test("Ledger: an imported backup is known by its content in its library only")
  func importedBackup() {
    let ledger = Ledger()
    let backup = ImportedBackup(content: content, library: "one", at: 4, photos: 5, problem: "cut")
    ledger.record(content, of: file, importedNow: backup)
    #expect(ledger.importedBackups(library: "one") == [content: backup])
    #expect(ledger.importedBackups(library: "two") == [:])
  }

  @Test("Ledger: the content of a file in an inbox is known by the version of the file")
  func inboxContents() {
    let ledger = Ledger()
    ledger.record(content, of: file)
    #expect(ledger.inboxContents(inFolder: "/srv/in")["/srv/in/a.zip"]?.content == content)
    #expect(ledger.inboxContents(inFolder: "/srv/in")["/srv/in/a.zip"]?.file == file)
    #expect(ledger.inboxContents(inFolder: "/srv/inbox").isEmpty)
    #expect(ledger.inboxContents(inFolder: "/srv").isEmpty)
    ledger.forgetInboxFiles(["/srv/in/a.zip"])
    #expect(ledger.inboxContents(inFolder: "/srv/in").isEmpty)
  }
}
