import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// What `clean` removes, and what stays.
struct CleanTests {
  let scratch: LibraryScratch
  private let staging = "library/.staging/\(LibraryScratch.interrupted)"
  private let corrupt = "library/.rotten/\(LibraryScratch.interrupted)/3_c.jpg"

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "one", "b.jpg": "two", "c.jpg": "three"], as: .add)
  }

  @discardableResult
  private func clean(_ configure: (inout CleanOptions) -> Void = { _ in }) throws -> CleanSummary {
    var options = CleanOptions()
    options.authorization = .given
    configure(&options)
    return try CleanRun(path: scratch.path, options: options, counter: ProgressCounter()).run()
  }

  private func removeEverything(_ options: inout CleanOptions) {
    options.removesUndo = true
    options.removesQuarantined = true
  }

  private func removePhotos() throws {
    try scratch.writer().change(.remove) { change in
      var edit = LibraryEdit()
      edit.removedPhotos = [1, 2]
      try change.commit(edit, files: [])
    }
  }

  /// Leaves staged files, an undo with two files, and a corrupt file.
  private func leaveEverything() throws {
    try removePhotos()
    try scratch.folder.write(String(repeating: "s", count: 30_000), to: staging + "/0")
    try scratch.folder.write("staged", to: staging + "/1")
    try scratch.folder.write("corrupt", to: corrupt)
  }

  /// Everything but the database, SQLite's other files and the locks.
  private func tree() throws -> [String: ScratchFolder.Item] {
    try scratch.folder.tree("library").filter { path, _ in
      !path.hasPrefix("library.sqlite") && !path.hasSuffix(".lock")
    }
  }

  @Test("Clean: a library without leftovers stays as it is")
  func nothingToDo() throws {
    let before = try tree()
    let summary = try clean()
    #expect(summary == CleanSummary())
    #expect(try tree() == before)
  }

  @Test("Clean: it removes the staged files of interrupted operations, and nothing else")
  func stagedFiles() throws {
    try leaveEverything()
    let before = try tree()
    let summary = try clean()
    #expect(summary.items.map(\.kind) == [.staged])
    #expect(summary.files == 2)
    #expect(summary.left == [])
    #expect(try tree() == before.filter { !$0.key.hasPrefix(".staging/") })
    #expect(try scratch.undo().photosRestored == 2)
  }

  @Test("Clean: a dry run lists what a run removes, and changes nothing")
  func dryRun() throws {
    try leaveEverything()
    let before = try tree()
    let planned = try clean {
      removeEverything(&$0)
      $0.isDryRun = true
      $0.authorization = .refused
    }
    #expect(try tree() == before)
    #expect(planned.isDryRun)
    #expect(Set(planned.items.map(\.kind)) == [.staged, .undo, .quarantined])
    var summary = try clean(removeEverything)
    #expect(summary.files == 5)
    summary.isDryRun = true
    #expect(summary == planned)
    #expect(try clean(removeEverything) == CleanSummary())
  }

  @Test(
    "Clean: the IDs of forged changes name no folder, and end no process", arguments: ["", "é", "..", "123"])
  func forgedID(id: String) throws {
    for id in [id, id.decomposedStringWithCanonicalMapping] where try !changeIDs().contains(Array(id.utf8)) {
      try scratch.sql { database in
        try database.execute(
          sql: """
            INSERT INTO change VALUES (?, 'settings', 5);
            INSERT INTO replacedSettings SELECT ?, * FROM settings
            """, arguments: [id, id])
      }
    }
    try scratch.folder.write("mine", to: "library/.undo/123")
    try clean(removeEverything)
    #expect(try scratch.folder.tree("library")[".undo/123"] != nil)
  }

  @Test("Clean: the corrupt file of a photo whose file is missing stays")
  func lastCopy() throws {
    let photo = try #require(try scratch.contents().photos.first)
    let folder = "library/.rotten/\(LibraryScratch.interrupted)"
    try scratch.folder.write("corrupt", to: "\(folder)/\(photo.id)_a.jpg")
    try scratch.folder.write("corrupt", to: "\(folder)/999_b.jpg")
    try FileManager.default.removeItem(atPath: scratch.path.appending(photo.path).string)
    let summary = try clean(removeEverything)
    #expect(summary.isIncomplete)
    #expect(try scratch.folder.tree(folder).keys.sorted() == ["\(photo.id)_a.jpg"])
  }

  private func changeIDs() throws -> Set<[UInt8]> {
    try scratch.sql { try Set(String.fetchAll($0, sql: "SELECT id FROM change").map { Array($0.utf8) }) }
  }

  @Test("Clean: the freed bytes are those of du")
  func freedBytes() throws {
    try leaveEverything()
    // the photos and the database may change by their folders and pages
    let folders = [".staging", ".undo", ".rotten"].map { scratch.path.appending($0) }
    let before = try folders.map(Programs.diskUsage).reduce(0, +)
    let summary = try clean(removeEverything)
    let after = try folders.map(Programs.diskUsage).reduce(0, +)
    #expect(summary.bytes == before - after)
    #expect(summary.bytes >= 30_000)
  }

  @Test("Clean: untracked files stay")
  func untrackedFiles() throws {
    try leaveEverything()
    let undoFolder = try #require(
      FileManager.default.contentsOfDirectory(atPath: scratch.path.appending(".undo").string).first)
    let own = [
      "library/photos/2025/10/mine.jpg", "library/mine.txt", "library/.staging/mine", staging + "/mine.jpg",
      staging + "/2/.mine", "library/.undo/mine/1", "library/.undo/\(undoFolder)/mine.jpg",
      "library/.rotten/mine.jpg", "library/.rotten/\(LibraryScratch.interrupted)/mine.jpg",
    ]
    for path in own { try scratch.folder.write("mine", to: path) }
    let summary = try clean(removeEverything)
    #expect(summary.left == [])
    #expect(summary.files == 5)
    for path in own { #expect(scratch.folder.has(path), "\(path)") }
    #expect(!scratch.folder.has(staging + "/0"))
    #expect(!scratch.folder.has(corrupt))
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Clean: after an answer of no, everything stays")
  func refusal() throws {
    try leaveEverything()
    let before = try tree()
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try clean { $0.authorization = .refused }
    }
    #expect(try tree() == before)
    // the second of three questions
    let asked = Mutex(0)
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try clean {
        removeEverything(&$0)
        $0.authorization = Authorization(
          pin: { _ in nil },
          confirms: { _ in
            asked.withLock {
              $0 += 1
              return $0 < 2
            }
          })
      }
    }
    #expect(asked.withLock { $0 } == 2)
    #expect(try tree() == before)
  }

  @Test("Clean: each kind of files has a question of its own; only unneeded files need no PIN")
  func questions() throws {
    try leaveEverything()
    let pin = try #require(PIN("1234"))
    try scratch.writer().setPIN(pin)
    try scratch.sql { try $0.execute(sql: "UPDATE settings SET deleteProtectionEnabled = 1") }
    // a writer has removed the staged files
    try scratch.folder.write("staged", to: staging + "/1")
    let confirmed = Mutex<[DiscardedFiles?]>([])
    let byPIN = Mutex<[DiscardedFiles?]>([])
    let summary = try clean {
      removeEverything(&$0)
      $0.authorization = Authorization(
        pin: { operation in
          byPIN.withLock { $0.append(operation.discarded) }
          return pin
        },
        confirms: { operation in
          confirmed.withLock { $0.append(operation.discarded) }
          return true
        })
    }
    #expect(summary.left == [])
    #expect(confirmed.withLock { $0 } == [.unneeded])
    #expect(byPIN.withLock { $0 } == [.keptForUndo, .quarantined])
  }

  @Test("Clean: without the PIN, what is kept for an undo stays")
  func missingPIN() throws {
    try removePhotos()
    try scratch.writer().setPIN(try #require(PIN("1234")))
    try scratch.sql { try $0.execute(sql: "UPDATE settings SET deleteProtectionEnabled = 1") }
    let before = try tree()
    #expect(throws: AuthorizationError.pinNeeded(scratch.path)) { try clean { $0.removesUndo = true } }
    #expect(try tree() == before)
    try clean()
    #expect(try !scratch.sql(UndoStack.init).kept.isEmpty)
  }

  @Test("Clean: after the removal of an undo, undo says that there is nothing to undo")
  func removedUndo() throws {
    try removePhotos()
    let contents = try scratch.contents()
    let summary = try clean { $0.removesUndo = true }
    #expect(summary.items.map(\.kind) == [.undo])
    #expect(summary.files == 2)
    #expect(try scratch.contents() == contents)
    #expect(try scratch.folder.tree("library/.undo").isEmpty)
    let error = #expect(throws: UndoError.self) { try scratch.undo() }
    #expect(error?.description.contains("there is nothing to undo in") == true)
    let rows = try scratch.sql { database in
      try ["added", "replacedCategory", "replacedPhoto", "replacedSettings"].map { table in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? -1
      }
    }
    #expect(rows == [0, 0, 0, 0])
    #expect(try clean { $0.removesUndo = true } == CleanSummary())
  }

  @Test("Clean: the undo of an import without replaced files is removed, too")
  func undoWithoutFiles() throws {
    try scratch.commit(["d.jpg": "four"], as: .merge, firstId: 9)
    let summary = try clean { $0.removesUndo = true }
    #expect(summary.items.map(\.kind) == [.undo])
    #expect(summary.files == 0)
    #expect(throws: UndoError.self) { try scratch.undo() }
    #expect(try scratch.contents().photos.count == 4)
  }

  @Test("Clean: the next change can be undone again")
  func laterUndo() throws {
    try removePhotos()
    try clean { $0.removesUndo = true }
    try scratch.commit(["d.jpg": "four"], as: .merge, firstId: 9)
    #expect(try scratch.undo().photosRemoved == 1)
    #expect(try scratch.contents().photos.map(\.id) == [3])
  }

  @Test(
    "Clean: while another process reads photos, an undo is discarded, and the next writer deletes the files")
  func readLock() throws {
    try removePhotos()
    let library = try Library(path: scratch.path)
    try library.withPhotoReadLock {
      let summary = try clean { $0.removesUndo = true }
      #expect(summary.left.count == 1)
      #expect(summary.left.first?.message.contains("another process reads photos") == true)
      #expect(summary.files == 0)
    }
    #expect(throws: UndoError.self) { try scratch.undo() }
    _ = try scratch.writer()
    #expect(try scratch.folder.tree("library/.undo").isEmpty)
  }

  @Test("Clean: a folder of no change in .undo is removed, also if no undo is kept")
  func obsoleteUndo() throws {
    try scratch.folder.write("old", to: "library/.undo/\(LibraryScratch.interrupted)/7")
    let summary = try clean()
    #expect(summary.items.map(\.kind) == [.obsoleteUndo])
    #expect(summary.files == 1)
    #expect(try scratch.folder.tree("library/.undo").isEmpty)
  }

  @Test("Clean: files of a change that was not committed are removed; an untracked file in a place stays")
  func uncommittedFiles() throws {
    try scratch.folder.write("four", to: "library/photos/2001/02/d.jpg")
    try scratch.folder.write("another program's", to: "library/photos/2001/02/e.jpg")
    try scratch.folder.write("five", to: staging + "/1")
    try scratch.leaveMoves(["photos/2001/02/d.jpg": "four", "photos/2001/02/e.jpg": "five"])
    let summary = try clean()
    #expect(summary.files == 2)
    #expect(summary.left == [])
    #expect(!scratch.folder.has("library/photos/2001/02/d.jpg"))
    #expect(scratch.folder.has("library/photos/2001/02/e.jpg"))
    #expect(try scratch.pendingMoves() == [])
  }

  @Test("Clean: a staged file that a photo needs becomes the file of the photo")
  func pendingRepair() throws {
    try scratch.folder.remove("library/photos/2025/10/b.jpg")
    try scratch.folder.write("two", to: staging + "/0")
    try scratch.leaveMoves(["photos/2025/10/b.jpg": "two"], kind: .repair)
    let summary = try clean(removeEverything)
    #expect(summary.left == [])
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.photoTexts()["photos/2025/10/b.jpg"] == "two")
  }

  @Test("Clean: corrupt files are removed only on request")
  func quarantinedFiles() throws {
    try scratch.folder.write("corrupt", to: corrupt)
    try clean()
    #expect(scratch.folder.has(corrupt))
    let summary = try clean { $0.removesQuarantined = true }
    #expect(summary.items.map(\.kind) == [.quarantined])
    #expect(!scratch.folder.has(corrupt))
  }

  @Test("Clean: what cannot be removed is reported, and the rest is removed")
  func failures() throws {
    try leaveEverything()
    let fault = ArmedFault(
      .error(.ioError), of: [.unlink], persists: true, below: scratch.path.appending(".rotten"))
    let summary = try clean(removeEverything)
    fault.disarm()
    #expect(summary.left.map(\.item) == [scratch.folder.path(corrupt).removingLastComponent().string])
    #expect(summary.left.first?.message.contains("(errno 5)") == true)
    #expect(summary.isIncomplete)
    #expect(summary.files == 4)
    #expect(try clean(removeEverything).files == 1)
  }

  @Test(
    "Clean: unfinished files in folders of archives are removed if they are old and their writers are dead")
  func unfinishedArchives() throws {
    let old = Date(timeIntervalSinceNow: -4000)
    let names = ["old", "young", "locked"].map { ".smilepile-\($0).partial" }
    for name in names + ["a.zip", ".other.partial"] {
      try scratch.folder.write("bytes", to: "out/" + name)
      try FileManager.default.setAttributes(
        [.modificationDate: name.contains("young") ? Date() : old],
        ofItemAtPath: scratch.folder.path("out/" + name).string)
    }
    let out = scratch.folder.path("out")
    let writer = try Directory.open(out).open(FilePath(names[2]), .readWrite)
    #expect(try writer.lock(exclusive: true))
    let folders = [out, scratch.folder.path("nowhere"), out]
    let planned = try clean {
      $0.archiveFolders = folders
      $0.isDryRun = true
    }
    #expect(planned.items.map(\.path) == [out.appending(names[0])])
    let summary = try clean { $0.archiveFolders = folders }
    writer.unlock()
    #expect(summary.files == 1)
    #expect(summary.left == [])
    #expect(
      try scratch.folder.tree("out").keys.sorted() == [
        ".other.partial", ".smilepile-locked.partial", ".smilepile-young.partial", "a.zip",
      ])
  }

  @Test("Clean: if any system call fails, the library is as before or cleaned")
  func failingCalls() throws {
    var number = 1
    while number < 500 {
      let test = try CleanTests()
      try test.leaveEverything()
      let contents = try test.scratch.contents()
      let fault = ArmedFault(.error(.ioError), at: number, below: test.scratch.path)
      _ = try? test.clean(test.removeEverything)
      fault.disarm()
      guard let place = fault.place else { break }
      #expect(try test.scratch.contents() == contents, "\(place)")
      #expect(try test.scratch.rowsWithoutFile().isEmpty, "\(place)")
      let isKept = try !test.scratch.sql(UndoStack.init).kept.isEmpty
      if isKept {
        let summary = try test.scratch.undo()
        #expect(summary.photosRestored == 2, "\(place)")
        #expect(summary.isIncomplete == false, "\(place)")
      } else {
        try test.clean(test.removeEverything)
        #expect(try test.scratch.folder.tree("library/.undo").isEmpty, "\(place)")
        #expect(try test.scratch.folder.tree("library/.staging").isEmpty, "\(place)")
      }
      number += 7
    }
    #expect(number > 20)
  }
}
