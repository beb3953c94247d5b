import FileSystem
import Foundation
import GRDB
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A reset empties a library and gives it a new ID, so that nothing is remembered; `undo` takes all of it back.
struct ResetTests {
  let scratch: LibraryScratch
  private let pin: PIN

  init() throws {
    scratch = try LibraryScratch()
    pin = try #require(PIN("1234"))
    try scratch.commit(["a.jpg": "one", "b.jpg": "two", "c.jpg": "three"])
  }

  @discardableResult
  private func reset(
    _ scope: ResetScope = .contents, by authorization: Authorization = .given,
    _ configure: (inout ResetOptions) -> Void = { _ in }
  ) throws -> ResetSummary {
    var options = ResetOptions()
    options.authorization = authorization
    configure(&options)
    return try ResetRun(scratch.path, options, ProgressCounter()).run(scope)
  }

  private func library() throws -> Library { try Library(path: scratch.path) }

  /// Removes a photo, so that the library has a movement.
  private func removePhoto(_ id: Int64) throws {
    let selection = LibrarySelection(ids: [id])
    _ = try ChangeRun(path: scratch.path, options: .given, counter: ProgressCounter()).remove(selection)
  }

  private func noteExport(_ id: String, at date: Timestamp, of libraryID: String? = nil) throws {
    var record = ExportRecord(
      id: id, archive: "/nas/\(id).zip", at: date, sequence: date.rawValue, photos: 3, archiveBytes: 1,
      isPartial: false)
    record.libraryID = libraryID
    (record.categories, record.changes) = (1, try scratch.sql { try $0.rowCount(of: "change") })
    try library().note([record])
  }

  // MARK: Contents

  @Test("Reset: photos and categories are gone, settings stay, and undo takes all of it back")
  func contents() throws {
    let (before, files) = (try scratch.contents(), try scratch.files())
    let id = try library().libraryID()
    let summary = try reset()
    #expect(summary.photos == 3)
    #expect(summary.categories == 1)
    #expect(summary.bytes == 11)
    #expect(summary.hasNewID)
    #expect(summary.settings == nil)
    let after = try scratch.contents()
    #expect(after.photos == [])
    #expect(after.categories == [])
    #expect(after.settings == before.settings)
    #expect(try library().libraryID() != id)
    #expect(try library().untrackedFiles() == [])
    let undone = try scratch.undo()
    #expect(undone.kind == .reset)
    #expect(undone.photosRestored == 3)
    #expect(try scratch.contents() == before)
    #expect(try scratch.files() == files)
    #expect(try library().libraryID() == id)
  }

  @Test("Reset: removals are forgotten, and remembered again after the undo")
  func movements() throws {
    try removePhoto(2)
    let movements = try scratch.contents().movements
    #expect(movements.count == 1)
    try reset()
    #expect(try scratch.contents().movements == [])
    try scratch.undo()
    #expect(try scratch.contents().movements == movements)
  }

  @Test("Reset: a library without photos that remembers a removal can be reset")
  func onlyMovements() throws {
    for id in 1...3 as ClosedRange<Int64> { try removePhoto(id) }
    var edit = LibraryEdit()
    edit.removedCategories = [1]
    try scratch.writer().change(.organize) { [edit] in try $0.commit(edit, files: []) }
    #expect(try scratch.contents().movements.count == 3)
    let summary = try reset()
    #expect(summary.photos == 0)
    #expect(summary.hasNewID)
    #expect(try scratch.contents().movements == [])
  }

  @Test("Reset: exports before it do not count, and count again after the undo")
  func exports() throws {
    let old = try #require(try library().libraryID())
    try noteExport("first", at: 10)
    try scratch.commit(["d.jpg": "four"], as: .add, firstId: 9)
    try reset()
    #expect(try library().lastExport() == nil)
    #expect(try library().exportIDs() == [])
    #expect(try library().exportedArchives() == [])
    let history = try library().exportHistory(at: 5)
    #expect(history.earlierIDs == [])
    #expect(history.sequence == 11)
    // an export that began before the reset
    try noteExport("late", at: 12, of: old)
    #expect(try library().lastExport() == nil)
    try noteExport("new", at: 13)
    #expect(try library().lastExport()?.id == "new")
    try scratch.undo()
    #expect(try library().lastExport()?.id == "late")
    #expect(try library().exportIDs() == ["first", "late"])
  }

  @Test("Reset: photos that are added after it are newer than an export of the old library")
  func additions() throws {
    try noteExport("first", at: 10)
    try reset()
    try noteExport("empty", at: 11)
    try scratch.commit(["x.jpg": "ten"], firstId: 1)
    let export = try #require(try library().lastExport())
    #expect(try library().photosAdded(since: export) == 1)
  }

  @Test("Reset: a second one is refused, and the undo of the first stays")
  func twice() throws {
    let before = try scratch.contents()
    try reset()
    #expect(throws: ResetError.nothingToReset(scratch.path)) { try reset() }
    try scratch.undo()
    #expect(try scratch.contents() == before)
  }

  @Test("Reset: a new library is refused", arguments: [ResetScope.contents, .settings, .pin, .everything])
  func newLibrary(scope: ResetScope) throws {
    let empty = try LibraryScratch()
    let before = try empty.files()
    #expect(throws: ResetError.nothingToReset(empty.path)) {
      try ResetRun(empty.path, ResetOptions(), ProgressCounter()).run(scope)
    }
    #expect(try empty.files() == before)
    #expect(try empty.sql { try $0.rowCount(of: "change") } == 0)
  }

  @Test("Reset: the next import ends its undo")
  func nextImport() throws {
    try reset()
    try scratch.commit(["x.jpg": "ten"])
    #expect(try library().undoableChanges().map(\.kind) == [.merge])
    #expect(try scratch.photoTexts().values.sorted() == ["ten"])
    try scratch.undo()
    #expect(throws: UndoError.self) { try scratch.undo() }
  }

  @Test("Reset: a change of settings after it leaves its undo")
  func laterSettings() throws {
    let before = try scratch.contents()
    try reset()
    let theme = [SettingAssignment(key: "theme", value: "dark")].compactMap(\.self)
    _ = try SettingsRun(scratch.path).run(.set(theme))
    #expect(try scratch.undo().remaining == 1)
    try scratch.undo()
    #expect(try scratch.contents() == before)
  }

  @Test("Reset: a file that another program has changed stays, and is reported")
  func changedFile() throws {
    let path = try scratch.contents().photos[0].path
    try scratch.folder.write("edited by hand", to: "library/" + path)
    let summary = try reset()
    #expect(summary.missing.count == 1)
    #expect(try scratch.photoTexts()[path] == "edited by hand")
  }

  @Test("Reset: a dry run writes nothing")
  func dryRun() throws {
    let (before, files) = (try scratch.contents(), try scratch.files())
    let id = try library().libraryID()
    let summary = try reset(.everything, by: .refused) { $0.isDryRun = true }
    #expect(summary.isDryRun)
    #expect(summary.photos == 3)
    #expect(try scratch.contents() == before)
    #expect(try scratch.files() == files)
    #expect(try library().libraryID() == id)
  }

  // MARK: For good

  @Test("Reset for good: the files are deleted, also corrupt ones of repairs, and nothing can be undone")
  func forGood() throws {
    try removePhoto(2)
    let repair = "library/.rotten/\(LibraryScratch.interrupted)"
    try scratch.folder.write("corrupt", to: repair + "/1_a.jpg")
    try scratch.folder.write("mine", to: repair + "/notes.txt")
    let summary = try reset { $0.isForGood = true }
    #expect(summary.left == [])
    #expect(summary.isForGood)
    #expect(try scratch.photoTexts() == [".rotten/\(LibraryScratch.interrupted)/notes.txt": "mine"])
    #expect { try scratch.undo() } throws: {
      if case UndoError.discarded = $0 { true } else { false }
    }
    let kept = try scratch.sql { try $0.rowCount(of: "replacedPhoto") + $0.rowCount(of: "replacedIdentity") }
    #expect(kept == 0)
  }

  @Test("Reset for good: while another process reads, the files stay for the next writer, without an undo")
  func forGoodWhileRead() throws {
    try library().withPhotoReadLock {
      let summary = try reset { $0.isForGood = true }
      #expect(summary.left.count == 1)
      #expect(try library().undoableChanges() == [])
    }
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == [:])
  }

  // MARK: Settings and PIN

  private func setSettings() throws {
    let values = [("theme", "dark"), ("delete-protection", "on"), ("kid-safe-mode", "off")]
    _ = try SettingsRun(scratch.path, .given).run(
      .set(values.compactMap { SettingAssignment(key: $0.0, value: $0.1) }))
  }

  @Test("Reset of settings: they are those of a new library, photos stay, and undo takes it back")
  func settings() throws {
    try setSettings()
    let (before, id) = (try scratch.contents(), try library().libraryID())
    let summary = try reset(.settings)
    #expect(summary.settings?.map(\.key) == ["theme", "kid-safe-mode", "delete-protection"])
    #expect(summary.lowered == [.deleteProtection])
    #expect(!summary.hasNewID)
    let after = try scratch.contents()
    #expect(after.photos == before.photos)
    #expect(after.settings.theme == nil)
    #expect(after.settings.kidSafeMode == nil)
    #expect(after.settings.deleteProtection == nil)
    #expect(after.settings.createdAt == before.settings.createdAt)
    #expect(try library().libraryID() == id)
    #expect(try scratch.undo().kind == .settings)
    #expect(try scratch.contents() == before)
  }

  @Test("Reset of everything: undo brings photos, settings and ID back, and no PIN")
  func everything() throws {
    try setSettings()
    try scratch.writer().setPIN(pin)
    let (before, id) = (try scratch.contents(), try library().libraryID())
    let summary = try reset(.everything, by: Authorization(pin: { [pin] _ in pin }, confirms: { _ in true }))
    #expect(summary.lowered == [.deleteProtection, .pin])
    #expect(try !library().hasPIN())
    #expect(try scratch.contents().photos == [])
    #expect(try scratch.contents().settings.theme == nil)
    try scratch.undo()
    #expect(try scratch.contents() == before)
    #expect(try library().libraryID() == id)
    #expect(try !library().hasPIN())
  }

  @Test("Reset of the PIN: needs the PIN, also without delete protection, and is no change of the library")
  func pinAlone() throws {
    try scratch.writer().setPIN(pin)
    let changes = try library().undoableChanges()
    #expect(throws: AuthorizationError.pinNeeded(scratch.path)) { try reset(.pin) }
    let wrong = try #require(PIN("9999"))
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) {
      try reset(.pin, by: Authorization(pin: { _ in wrong }, confirms: { _ in true }))
    }
    #expect(try library().hasPIN())
    let summary = try reset(.pin, by: Authorization(pin: { [pin] _ in pin }, confirms: { _ in true }))
    #expect(summary.lowered == [.pin])
    #expect(try !library().hasPIN())
    #expect(try library().undoableChanges() == changes)
  }

  // MARK: Refusals

  private func expectUnchanged(_ body: () throws -> Void) throws {
    let (before, files, id) = (try scratch.contents(), try scratch.files(), try library().libraryID())
    try body()
    #expect(try scratch.contents() == before)
    #expect(try scratch.files() == files)
    #expect(try library().libraryID() == id)
    #expect(try library().undoableChanges().map(\.kind) == [.merge])
  }

  @Test("Reset: without a confirmation nothing changes; the question has the number of photos")
  func notConfirmed() throws {
    let asked = Mutex<DestructiveOperation?>(nil)
    let authorization = Authorization(
      pin: { _ in nil },
      confirms: { operation in
        asked.withLock { $0 = operation }
        return false
      })
    try expectUnchanged {
      #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try reset(by: authorization) }
    }
    let operation = asked.withLock { $0 }
    #expect(operation?.photosToConfirm == 3)
    #expect(operation?.description == "reset \(scratch.path): remove 3 photos and 1 category")
  }

  @Test("Reset: it is refused before the question if a check of the photos fails")
  func refusedPhotos() throws {
    try expectUnchanged {
      #expect(throws: CancellationError.self) {
        try reset(by: .refused) { $0.refusing = { _ in throw CancellationError() } }
      }
    }
  }

  @Test("Reset: nothing changes if a job runs at the moment of the change")
  func runningJob() throws {
    try expectUnchanged {
      #expect(throws: CancellationError.self) {
        try reset { $0.excludingJobs = { _ in throw CancellationError() } }
      }
    }
  }

  @Test("Reset: a library that another process changes is refused")
  func lockedLibrary() throws {
    let lock = try FileLock("library.lock", in: Directory.open(scratch.path), exclusive: true)
    #expect(throws: FileLock.Busy.self) { try reset() }
    lock.release()
    #expect(try scratch.contents().photos.count == 3)
  }
}
