import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// One writer changes a library at a time. A reader gets the library as it was at the start of the reader.
struct ConcurrencyTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() async throws {
    library = try await SampleLibrary.imported(SampleBackup(photos: ["a", "b", "c", "d"]))
  }

  /// What another writer does while the first photo is read.
  enum Action: CaseIterable {
    case replace, replaceTwice, remove, removeAndUndo, merge
  }

  /// Runs `body` at the first read of a photo, on the reading thread, and so before any other photo is read.
  private func during(_ body: @escaping @Sendable () throws -> Void) throws -> ArmedFault {
    ArmedFault(
      .then {
        do {
          try body()
        } catch {
          Issue.record(error)
        }
      }, of: [.read], below: library.path.appending("photos"))
  }

  @Test(
    "Concurrency: an export is complete while another writer replaces or removes photos",
    arguments: Action.allCases)
  func exportDuringChange(action: Action) async throws {
    let before = try library.bytesOfPhotos()
    let other = try SampleBackup(photos: ["x", "y"]).write(to: scratch, as: "other.zip")
    let third = try SampleBackup(photos: ["z"]).write(to: scratch, as: "third.zip")
    let path = library.path
    @Sendable func importOther(_ strategy: ImportStrategy, _ backup: FilePath? = nil) throws {
      var options = ImportOptions()
      options.strategy = strategy
      options.authorization = .given
      _ = try ImportRun(library: path, options: options, counter: ProgressCounter()).run([backup ?? other])
    }
    let fault = try during {
      switch action {
      case .replace: try importOther(.replace)
      case .replaceTwice:
        try importOther(.replace)
        try importOther(.replace, third)
      case .merge: try importOther(.merge)
      case .remove, .removeAndUndo:
        try LibraryWriter(path: path).change(.remove) { change in
          var edit = LibraryEdit()
          edit.removedPhotos = [1, 2, 3]
          try change.commit(edit, files: [])
        }
      }
    }
    let summary = try await library.exporting(to: scratch.path.appending("x.zip")) { $0.readers = 1 }
    fault.disarm()
    #expect(fault.place != nil)
    #expect(!summary.isIncomplete)
    let backup = try WrittenBackup.intact(summary.archive)
    #expect(backup.photos == before)
    if action == .removeAndUndo {
      _ = try await Work.undo(path).summary
      #expect(try library.bytesOfPhotos() == before)
    }
    // the next writer removes the files that the export was reading
    _ = try LibraryWriter(path: path)
    expectNone(try library.faults())
  }

  @Test("Concurrency: a second writer is refused with the process that holds the lock")
  func secondWriter() async throws {
    let other = try SampleBackup(photos: ["x", "y"]).write(to: scratch, as: "other.zip")
    let busy = Mutex<String?>(nil)
    let path = library.path
    let fault = ArmedFault(
      .then {
        do {
          _ = try ImportRun(library: path, options: ImportOptions(), counter: ProgressCounter()).run([other]
          )
        } catch {
          busy.withLock { $0 = "\(error)" }
        }
      }, of: [.rename, .renameNoReplace],
      below: path)
    try await library.importing(SampleBackup(photos: ["n"]).write(to: scratch, as: "n.zip"))
    fault.disarm()
    #expect(busy.withLock { $0 }?.contains("is in use by process \(getpid()) on ") == true)
    #expect(try library.contents.photos.map(\.name).contains("n"))
    #expect(try !library.contents.photos.map(\.name).contains("x"))
  }

  @Test("Concurrency: exports within one second get different names")
  func simultaneousExports() async throws {
    let (library, folder) = (library, scratch.path)
    let archives = try await withThrowingTaskGroup(of: FilePath?.self) { group in
      for _ in 0..<6 { group.addTask { try await library.exporting(to: folder).archive } }
      return try await group.reduce(into: Set<FilePath>()) { names, name in if let name { names.insert(name) }
      }
    }
    #expect(archives.count == 6)
    for archive in archives { expectNone(try WrittenBackup(archive).faults()) }
    #expect(try FolderTree(scratch.path).files.count == 6)
  }
}
