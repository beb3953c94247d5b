import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ArchiveCatalog

/// The state folder is exchanged while a process uses its ledger.
struct LedgerFolderTests {
  private let scratch = ScratchFolder()
  private var state: FilePath { scratch.path.appending("state") }

  @Test("Ledger: its log is deleted in the folder that was opened, and nothing in the one that replaced it")
  func exchangedFolder() throws {
    let archive = try scratch.write([1, 2, 3], to: "a.zip")
    let file = try #require(ArchiveFile(at: archive))
    do {
      let ledger = Ledger(folder: state)
      ledger.observer(named: "test").record(.verified, of: [(file, "A")])
      _ = ledger.write { database in
        try FileManager.default.moveItem(
          atPath: state.string, toPath: scratch.path.appending("moved").string)
        try Directory.makeAll(state)
        try scratch.write([7], to: "state/ledger.sqlite-journal")
        try database.execute(sql: "UPDATE position SET number = number + 1")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: state.string) == ["ledger.sqlite-journal"])
    let health = Ledger(folder: scratch.path.appending("moved")).health(of: file)
    #expect(health.verifiedAt != nil)
  }

  @Test(
    "Ledger: a database that others can change, or with a second name, is not used",
    arguments: [0o666, 0o600])
  func exchangeable(mode: UInt32) throws {
    let archive = try scratch.write([1, 2, 3], to: "a.zip")
    let file = try #require(ArchiveFile(at: archive))
    Ledger(folder: state).observer(named: "test").record(.verified, of: [(file, "A")])
    let database = state.appending("ledger.sqlite")
    chmod(database.string, mode)
    if mode == 0o600 { #expect(link(database.string, state.appending("second").string) == 0) }
    let ledger = Ledger(folder: state)
    #expect(ledger.health(of: file).verifiedAt == nil)
    #expect(ledger.problem != nil)
  }

  @Test("Ledger: a journal that names a file elsewhere deletes no file")
  func superJournal() throws {
    let archive = try scratch.write([1, 2, 3], to: "a.zip")
    let file = try #require(ArchiveFile(at: archive))
    Ledger(folder: state).observer(named: "test").record(.verified, of: [(file, "A")])
    try ForgedDatabase.writeJournal(of: state.appending("ledger.sqlite"), naming: archive)
    let ledger = Ledger(folder: state)
    #expect(ledger.problem != nil)
    #expect(ArchiveFile(at: archive) == file)
  }
}
