import Foundation
import SystemPackage

@testable import ArchiveCatalog
@testable import Checksums
@testable import FileSystem
@testable import Operations
@testable import PhotoLibrary

/// The databases of a library and of the state folder as untrusted input.
enum DatabaseTargets {
  private static let folder = FilePath("/dev/shm/smilepile-fuzz-\(getpid())-database")

  /// Makes the folder anew, with the input as a file.
  private static func prepare(_ name: String, _ bytes: UnsafeRawBufferPointer) {
    try? FileManager.default.removeItem(atPath: folder.string)
    do {
      try FileManager.default.createDirectory(
        atPath: folder.appending("photos").string, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: folder.appending(name).string))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Every error is one of the library's own.
  private static func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch is LibraryError {
    } catch is UndoError {
    } catch is FileError {
    } catch {
      preconditionFailure("\(type(of: error)): \(error)")
    }
  }

  static func fuzzLibrary(_ bytes: UnsafeRawBufferPointer) {
    prepare("library.sqlite", bytes)
    attempt {
      let library = try Library(path: folder)
      attempt { _ = try library.contents().photos.saturatedSum(\.fileSize) }
      attempt { _ = try library.totals() }
      attempt { _ = try library.lastExport().map { try library.photosAdded(since: $0) } }
      attempt { _ = try library.exportHistory(at: 5) }
      attempt { _ = try library.untrackedFiles() }
      attempt { _ = try library.libraryID() }
      attempt { _ = try library.hasPIN() }
      attempt { _ = try UndoPlan(library) }
    }
    attempt {
      let writer = try LibraryWriter(path: folder, syncs: false)
      attempt {
        let contents = try writer.library.contents()
        try writer.change(.remove) { change in
          var edit = LibraryEdit()
          edit.removedPhotos = contents.photos.prefix(1).map(\.id)
          try change.commit(edit, files: [])
        }
      }
      attempt { try UndoPlan(writer.library).restoreForFuzzer(writer) }
    }
  }

  static func fuzzLedger(_ bytes: UnsafeRawBufferPointer) {
    prepare("ledger.sqlite", bytes)
    let ledger = Ledger(folder: folder)
    let file = ArchiveFile(location: "/d/a.zip", bytes: 3, modifiedAt: 4, changedAt: 5)
    _ = ledger.position
    _ = ledger.health(of: [file])
    _ = ledger.descriptors(inFolder: "/d")
    for run in ledger.runs() { _ = ledger.isRunning(run) }
    for job in ledger.jobs() { _ = (ledger.runs(of: job), ledger.copies(of: job)) }
    var run = LedgerRun(.backup, job: "j", libraryPath: "/l", startedAt: 1)
    ledger.insert(&run)
    ledger.observer(named: "fuzz").record(.verified, of: [(file, nil)])
    _ = ledger.observer(named: "fuzz").damage()
    precondition(!ledger.runs(of: "j").isEmpty)
  }

  // MARK: Seeds

  /// Writes a database with a row in most tables.
  static func writeSeed(of target: Target, to folder: FilePath) throws {
    switch target {
    case .library: try writeLibrary(to: folder)
    case .ledger: writeLedger(to: folder)
    default: break
    }
  }

  private static func writeLibrary(to folder: FilePath) throws {
    try Library.create(at: folder)
    let writer = try LibraryWriter(path: folder)
    for (kind, ids) in [(.merge, 1...3), (.remove, 1...1)] as [(Change.Kind, ClosedRange<Int64>)] {
      var edit = LibraryEdit()
      if kind == .merge {
        edit.newCategories = [
          Category(id: 1, name: "family", displayName: "Family", createdAt: 5, valuesAsOf: 5)
        ]
        edit.newPhotos = ids.map { id in
          Photo(
            id: id, categoryId: 1, name: "p\(id)", path: "photos/2025/10/\(id).jpg",
            originalPath: "\(id).jpg",
            createdAt: 7, fileSize: 3, md5: MD5Digest(bytes: [UInt8](repeating: UInt8(id), count: 16)))
        }
      } else {
        edit.removedPhotos = Array(ids)
      }
      try writer.change(kind) { try $0.commit(edit, files: []) }
    }
    try writer.library.note([
      ExportRecord(
        id: "E", archive: "/a.zip", at: 1, sequence: 1, photos: 1, archiveBytes: 1, isPartial: false)
    ])
  }

  private static func writeLedger(to folder: FilePath) {
    let ledger = Ledger(folder: folder)
    let file = ArchiveFile(location: "/d/a.zip", bytes: 3, modifiedAt: 4, changedAt: 5)
    var run = LedgerRun(.backup, job: "j", libraryPath: "/l", startedAt: 1)
    ledger.insert(&run)
    (run.endedAt, run.outcome) = (9, .done)
    ledger.update(&run, copies: [LedgerCopy(destination: "/d", record: Data("{}".utf8))])
    let operation = ledger.observer(named: "fuzz")
    operation.record(.verified, of: [(file, "A")])
    operation.record(.foundDamaged(reason: "rot"), of: [(file, nil)])
  }
}

extension UndoPlan {
  /// Undoes the last change without its files.
  fileprivate func restoreForFuzzer(_ writer: LibraryWriter) throws {
    try writer.write { database in
      try database.inTransaction(.immediate) {
        try restore(database)
        return .commit
      }
    }
  }
}
