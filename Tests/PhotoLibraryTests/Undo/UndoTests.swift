import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// After an undo, the library is as it was before the change: rows, values and files.
struct UndoTests {
  let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "one", "b.jpg": "two", "c.jpg": "three"], as: .add)
  }

  @Test("Undo: a corrupt file comes back and is reported")
  func corruptFile() throws {
    try change(.remove)
    let kept = try scratch.folder.tree("library/.undo").keys.filter { $0.hasSuffix("/2") }
    try scratch.folder.write("tow", to: "library/.undo/\(try #require(kept.first))")
    let summary = try scratch.undo(.refused)
    #expect(summary.damaged.map(\.message).count == 1)
    #expect(summary.missing.isEmpty)
    #expect(summary.isIncomplete)
    #expect(summary.damaged.first?.message.contains("is corrupt") == true)
  }

  private static func dismissal(_ photos: [Photo]) -> Dismissal? {
    let contents = photos.compactMap(\.content)
    return contents.count > 1 ? Dismissal(contents[0], contents[1]) : nil
  }

  /// A change of one kind, with everything in it that such a change may do.
  private func change(_ kind: Change.Kind) throws {
    let before = try scratch.contents()
    let writer = try scratch.writer()
    try writer.change(kind) { change in
      var edit = LibraryEdit()
      var staged: [Change.StagedFile] = []
      switch kind {
      case .merge:
        (edit.newPhotos, staged) = try LibraryScratch.stage(
          ["d.jpg": "four", "e.jpg": "five"], in: change, of: writer, firstId: 7)
        edit.newPhotos[1].categoryId = 2
        edit.newCategories = [LibraryScratch.category(2, "new")]
        edit.changedCategories = [before.categories[0]]
        edit.changedCategories[0].displayName = "Renamed"
        edit.changedPhotos = [before.photos[0]]
        edit.changedPhotos[0].name = "renamed"
        edit.changedPhotos[0].createdAt = 1
        edit.settings = before.settings
        edit.settings?.theme = .init(.dark, asOf: 5)
        edit.settings?.deleteProtection = true
      case .replace:
        (edit.newPhotos, staged) = try LibraryScratch.stage(
          ["a.jpg": "uno"], in: change, of: writer, firstId: 1)
        edit.removeAll(of: before)
        edit.newCategories = [LibraryScratch.category(1, "other")]
        edit.newPhotos.append(before.photos[2])
        edit.newPhotos[1].name = "kept"
      case .remove:
        edit.removedPhotos = [1, 2, 3]
        edit.removedCategories = [1]
      case .reset:
        edit.removeAll(of: before)
        edit.movements = []
        edit.libraryID = "4C7C2A16-6E6C-4E4B-9E0B-3B6E7C0C8A11"
        edit.settings = Settings(createdAt: before.settings.createdAt)
        edit.settings?.theme = .init(.dark, asOf: 5)
      case .organize:
        edit.newCategories = [LibraryScratch.category(2, "new")]
        edit.changedCategories = [before.categories[0]]
        edit.changedCategories[0].arrangedAt = 7
        edit.changedPhotos = [before.photos[0]]
        edit.changedPhotos[0].categoryId = 2
        edit.removedPhotos = [2]
        edit.moves = [.photo(1, to: "new"), .photo(2, to: "new"), .category(1, to: nil)]
      case .sort:
        edit.changedPhotos = [before.photos[0]]
        edit.changedPhotos[0].categoryId = 2
        edit.newCategories = [LibraryScratch.category(2, "new")]
        edit.moves = [.photo(1, to: "new")]
      case .settings:
        edit.settings = before.settings
        edit.settings?.kidSafeMode = !before.settings.kidSafeModeEnabled
        edit.settings?.changedAt.rawValue += 1
      case .dismiss:
        edit.dismissals = [try #require(Self.dismissal(before.photos))]
      case .add, .undo, .discard:
        (edit.newPhotos, staged) = try LibraryScratch.stage(
          ["z.jpg": "nine"], in: change, of: writer, firstId: 99)
      }
      try change.commit(edit, files: staged)
    }
  }

  private func expectState(
    _ contents: LibraryContents, _ files: [String: ScratchFolder.Item],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try scratch.contents() == contents, sourceLocation: sourceLocation)
    #expect(try scratch.files() == files, sourceLocation: sourceLocation)
    #expect(try scratch.rowsWithoutFile().isEmpty, sourceLocation: sourceLocation)
    #expect(try Library(path: scratch.path).untrackedFiles() == [], sourceLocation: sourceLocation)
  }

  @Test(
    "Undo: rows, values and files are as before the change",
    arguments: [Change.Kind.merge, .replace, .remove, .organize, .sort, .settings, .reset])
  func formerState(kind: Change.Kind) throws {
    let (contents, files) = (try scratch.contents(), try scratch.files())
    let id = try Library(path: scratch.path).libraryID()
    try change(kind)
    #expect(try scratch.contents() != contents)
    let dry = try scratch.undo(.refused, isDryRun: true)
    #expect(try scratch.contents() != contents)
    var summary = try scratch.undo()
    try expectState(contents, files)
    #expect(summary.kind == kind)
    #expect(summary.missing.isEmpty)
    summary.isDryRun = true
    #expect(summary == dry)
    #expect(try Library(path: scratch.path).libraryID() == id)
    let tables = [
      "added", "movement", "replacedCategory", "replacedIdentity", "replacedPhoto", "replacedSettings",
    ]
    let left = try scratch.sql { database in
      try tables.filter { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") != 0 }
    }
    #expect(left == [], "nothing is kept for a second undo")
  }

  @Test("Undo: the summary counts photos and categories")
  func summary() throws {
    try change(.merge)
    let merge = try scratch.undo()
    #expect(merge.photosRemoved == 2)
    #expect(merge.photosRestored == 0)
    #expect(merge.photosReverted == 1)
    #expect(merge.categoriesRemoved == 1)
    #expect(merge.categoriesRestored == 1)
    try change(.remove)
    let remove = try scratch.undo(.refused)
    #expect(remove.photosRemoved == 0)
    #expect(remove.photosRestored == 3)
    #expect(remove.categoriesRestored == 1)
  }

  @Test("Undo: it is refused if there is nothing to undo")
  func nothingToUndo() throws {
    let empty = try LibraryScratch()
    #expect(throws: UndoError.nothingToUndo(empty.path)) {
      try empty.undo(.refused)
    }
    try change(.remove)
    try scratch.undo(.refused)
    #expect { try scratch.undo(.refused) } throws: {
      if case UndoError.alreadyUndone = $0 { true } else { false }
    }
  }

  @Test("Undo: it is refused after another change")
  func laterChange() throws {
    try change(.remove)
    try scratch.commit(["x.jpg": "ten"], as: .add, firstId: 50)
    let (contents, files) = (try scratch.contents(), try scratch.files())
    let error = #expect(throws: UndoError.self) { try scratch.undo(.refused) }
    #expect(error?.description.contains("photos were added at") == true)
    #expect(try scratch.contents() == contents)
    #expect(try scratch.files() == files)
  }

  @Test("Undo: only the last of several changes is undone")
  func lastChange() throws {
    try change(.remove)
    let (contents, files) = (try scratch.contents(), try scratch.files())
    try scratch.commit(["x.jpg": "ten"], firstId: 50)
    try scratch.undo()
    #expect(try scratch.contents() == contents)
    // the files for the undo before were deleted
    #expect(try scratch.files() == files.filter { !$0.key.hasPrefix(".undo") })
  }

  /// The kinds of the changes that can be undone, newest first.
  private func stack() throws -> [Change.Kind] {
    try Library(path: scratch.path).undoableChanges().map(\.kind)
  }

  @Test("Undo stack: small changes are undone one after the other, then the removal below them")
  func smallChanges() throws {
    var states = [(contents: try scratch.contents(), files: try scratch.files())]
    try change(.remove)
    for _ in 0..<3 {
      states.append((try scratch.contents(), try scratch.files()))
      try change(.settings)
    }
    #expect(try stack() == [.settings, .settings, .settings, .remove])
    for (index, state) in states.enumerated().reversed() {
      let summary = try scratch.undo()
      #expect(summary.remaining == index)
      #expect(try scratch.contents() == state.contents)
      #expect(try scratch.files() == state.files)
    }
    #expect { try scratch.undo(.refused) } throws: {
      if case UndoError.alreadyUndone = $0 { true } else { false }
    }
  }

  @Test("Undo stack: a change after an undo is put on what remains")
  func changeAfterUndo() throws {
    let before = try scratch.contents()
    try change(.remove)
    try change(.settings)
    try change(.settings)
    try scratch.undo()
    try change(.settings)
    #expect(try stack() == [.settings, .settings, .remove])
    for _ in 0..<3 { try scratch.undo() }
    #expect(try scratch.contents() == before)
  }

  @Test("Undo stack: an import ends the undo of earlier changes, and added photos that of all")
  func endOfStack() throws {
    try change(.remove)
    try change(.settings)
    try scratch.commit(["x.jpg": "ten"], firstId: 50)
    #expect(try stack() == [.merge])
    try change(.settings)
    try scratch.commit(["y.jpg": "eleven"], as: .add, firstId: 60)
    #expect(try stack() == [])
    try change(.settings)
    #expect(try stack() == [.settings])
    try scratch.undo()
    #expect(throws: UndoError.self) { try scratch.undo(.refused) }
  }

  @Test("Undo stack: what an import or a removal ended stays ended, even if its files could not be deleted")
  func endedWhileRead() throws {
    try change(.remove)
    try withExtendedLifetime(FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: false)) {
      try scratch.commit(["x.jpg": "ten"], firstId: 50)
      #expect(try stack() == [.merge])
      try scratch.undo()
      #expect(try stack() == [])
      #expect(throws: UndoError.self) { try scratch.undo(.refused) }
    }
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == [:])
  }

  @Test(
    "Undo: interrupted before the commit, its files move to .undo again",
    arguments: [Change.Kind.replace, .remove, .reset], [1, 2])
  func interruptedBeforeCommit(
    kind: Change.Kind, filesBack: Int
  ) throws {
    let (contents, files) = (try scratch.contents(), try scratch.files())
    try change(kind)
    let (after, filesAfter) = (try scratch.contents(), try scratch.files())
    let id = try #require(try scratch.sql { try Change.Record.newest($0) }).id
    for photo in contents.photos.prefix(filesBack) {
      let path = scratch.folder.path("library/" + photo.path)
      try FileManager.default.createDirectory(
        atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
      try FileManager.default.moveItem(
        atPath: scratch.folder.path("library/.undo/\(id)/\(photo.id)").string, toPath: path.string)
    }
    #expect(try scratch.contents() == after)
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
    _ = try scratch.writer()
    #expect(try scratch.files() == filesAfter)
    try scratch.undo()
    try expectState(contents, files)
  }

  @Test(
    "Undo: interrupted after the commit, the next writer deletes the files",
    arguments: [Change.Kind.merge, .replace])
  func interruptedAfterCommit(kind: Change.Kind) throws {
    let (contents, files) = (try scratch.contents(), try scratch.files())
    try change(kind)
    // an export that is reading keeps the files from being deleted
    try Library(path: scratch.path).withPhotoReadLock {
      let before = try scratch.photoTexts()
      try scratch.undo()
      #expect(try scratch.contents() == contents)
      for (path, text) in before where path.hasPrefix("photos/") {
        #expect(try scratch.photoTexts()[path] == text)
      }
      #expect(try Library(path: scratch.path).untrackedFiles() == [])
    }
    _ = try scratch.writer()
    try expectState(contents, files)
  }

  @Test("Undo: it is refused if an untracked file is in the place of a photo")
  func takenPlace() throws {
    let path = try scratch.contents().photos[1].path
    try change(.remove)
    let after = try scratch.contents()
    try scratch.folder.write("untracked", to: "library/" + path)
    #expect(throws: UndoError.placeTaken(scratch.folder.path("library/" + path))) {
      try scratch.undo(.refused)
    }
    #expect(try scratch.contents() == after)
    #expect(try scratch.photoTexts()[path] == "untracked")
    // and the next writer leaves it there too
    _ = try scratch.writer()
    #expect(try scratch.photoTexts().filter { $0.key.hasPrefix("photos/") } == [path: "untracked"])
    try scratch.folder.remove("library/" + path)
    #expect(try scratch.undo(.refused).photosRestored == 3)
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Undo: an untracked file in the place of a missing photo stays")
  func untrackedFile() throws {
    let path = try scratch.contents().photos[1].path
    try scratch.folder.remove("library/" + path)
    try change(.remove)
    try scratch.folder.write("untracked", to: "library/" + path)
    for kind in [Change.Kind.add, .merge, .remove, .merge] {
      #expect(try Library(path: scratch.path).untrackedFiles().map(\.string) == [path])
      var edit = LibraryEdit()
      edit.settings = try scratch.contents().settings
      try scratch.writer().change(kind) { try $0.commit(edit, files: []) }
      #expect(try scratch.photoTexts()[path] == "untracked")
    }
    #expect(try Library(path: scratch.path).untrackedFiles().map(\.string) == [path])
  }

  @Test("Undo: a file that was changed since the import stays and is reported")
  func changedFile() throws {
    let before = try scratch.contents()
    try change(.merge)
    let photos = try scratch.contents().photos.filter { $0.id >= 7 }
    try scratch.folder.write("edited", to: "library/" + photos[0].path)
    for isDryRun in [true, false] {
      let summary = try scratch.undo(isDryRun: isDryRun)
      #expect(summary.photosRemoved == 2)
      #expect(summary.isIncomplete)
      #expect(summary.left.count == 1)
      #expect(summary.left.first?.item.hasPrefix("photo 7 “photo 7”") == true)
    }
    #expect(try scratch.contents() == before)
    _ = try scratch.writer()
    #expect(try scratch.photoTexts()[photos[0].path] == "edited")
    #expect(!scratch.folder.has("library/" + photos[1].path))
    #expect(try Library(path: scratch.path).untrackedFiles().map(\.string) == [photos[0].path])
  }

  @Test("Undo: a missing file is reported")
  func missingFile() throws {
    try change(.remove)
    let id = try #require(try scratch.sql { try Change.Record.newest($0) }).id
    try scratch.folder.remove("library/.undo/\(id)/2")
    let summary = try scratch.undo(.refused)
    #expect(summary.missing.map(\.item) == ["photo 2 “photo 2” in “family”"])
    #expect(try scratch.contents().photos.count == 3)
  }

  @Test("Undo: a removal comes back without a question")
  func undoOfRemoval() throws {
    try change(.remove)
    let summary = try scratch.undo(.refused)
    #expect(summary.photosRestored == 3)
  }

  @Test("Undo: a change that added photos is not undone without a confirmation")
  func undoOfAddedPhotos() throws {
    try scratch.commit(["d.jpg": "four"], firstId: 7)
    let contents = try scratch.contents()
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try scratch.undo(.refused)
    }
    #expect(try scratch.contents() == contents)
  }

  /// A merge that changes the settings and nothing else.
  private func changeSettings(_ body: (inout Settings) -> Void) throws {
    var edit = LibraryEdit()
    var settings = try scratch.contents().settings
    body(&settings)
    edit.settings = settings
    try scratch.writer().change(.merge) { try $0.commit(edit, files: []) }
  }

  @Test("Undo: a change that turned on kid-safe mode is not undone without a confirmation")
  func undoOfKidSafeMode() throws {
    try changeSettings { $0.kidSafeMode = false }
    try changeSettings { $0.kidSafeMode = true }
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try scratch.undo(.refused)
    }
    let summary = try scratch.undo()
    #expect(summary.protectionsLowered == [.kidSafeMode])
  }

  @Test("Undo: a change of the theme is undone without a question")
  func undoOfTheme() throws {
    try changeSettings { $0.theme = .init(.dark, asOf: 5) }
    let summary = try scratch.undo(.refused)
    #expect(summary.protectionsLowered == [])
  }

  @Test("Undo: a photo that only had another ID and name meanwhile is neither gone nor back")
  func undoOfRenumbering() throws {
    let before = try scratch.contents()
    var photo = before.photos[2]
    (photo.id, photo.name) = (9, "renamed")
    var edit = LibraryEdit()
    edit.removedPhotos = [3]
    edit.newPhotos = [photo]
    try scratch.writer().change(.replace) { try $0.commit(edit, files: []) }
    let summary = try scratch.undo(.refused)
    #expect(try scratch.contents() == before)
    #expect(summary.photosRemoved == 0)
    #expect(summary.photosRestored == 0)
    #expect(summary.photosReverted == 1)
  }

  @Test("Undo: a protected library needs a confirmation")
  func protectedLibrary() throws {
    try change(.merge)
    let contents = try scratch.contents()
    #expect(contents.settings.deleteProtectionEnabled)
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try scratch.undo(.refused) }
    #expect(try scratch.contents() == contents)
    try scratch.undo()
  }

  @Test("Undo: an import whose replaced rows are missing is refused")
  func rowsMissing() throws {
    try change(.merge)
    try scratch.sql { try $0.execute(sql: "DELETE FROM replacedSettings; DELETE FROM added") }
    #expect(throws: UndoError.self) { try scratch.undo(.refused) }
  }
}
