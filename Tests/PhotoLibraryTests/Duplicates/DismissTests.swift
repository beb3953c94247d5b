import Checksums
import FileSystem
import Operations
import TestSupport
import Testing

@testable import PhotoLibrary

/// Pairs of photos that are no duplicates.
@Suite struct DismissTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch(
      ["a.jpg": "one", "b.jpg": "two", "c.jpg": "three", "d.jpg": "one"], as: .add)
  }

  private func dismissals() throws -> Set<Dismissal> { try Library(path: scratch.path).dismissals() }

  @Test("Dismissal: every pair of the photos is remembered, and once")
  func pairs() throws {
    let first = try DismissRun(scratch.path).dismiss([1, 2, 3])
    #expect(first.pairs == 3)
    #expect(first.pairsChanged == 3)
    #expect(try dismissals().count == 3)
    let second = try DismissRun(scratch.path).dismiss([2, 1])
    #expect(second.pairsChanged == 0)
    // a dismissal of nothing is no change
    #expect(try Library(path: scratch.path).undoableChanges().count == 1)
  }

  @Test("Dismissal: an undo takes back its own pairs only")
  func undoOfDismissal() throws {
    _ = try DismissRun(scratch.path).dismiss([1, 2])
    _ = try DismissRun(scratch.path).dismiss([1, 2, 3])
    #expect(try scratch.undo(.refused).kind == .dismiss)
    let left = try dismissals()
    #expect(left.count == 1)
    #expect(try scratch.undo(.refused).kind == .dismiss)
    #expect(try dismissals().isEmpty)
  }

  @Test("Dismissal: it stays after the undo of a removal, and of a photo that was removed")
  func undoOfOthers() throws {
    _ = try DismissRun(scratch.path).dismiss([1, 2])
    try scratch.change(.remove) { edit, _ in edit.removedPhotos = [1] }
    #expect(try dismissals().count == 1)
    #expect(try scratch.undo(.refused).kind == .remove)
    #expect(try dismissals().count == 1)
  }

  @Test("Dismissal: it can be forgotten after its undo has ended")
  func forget() throws {
    _ = try DismissRun(scratch.path).dismiss([1, 2, 3])
    try scratch.change(.remove) { edit, _ in edit.removedPhotos = [4] }
    let summary = try DismissRun(scratch.path).forget([1, 2])
    #expect(summary.pairsChanged == 1)
    #expect(try dismissals().count == 2)
    #expect(try DismissRun(scratch.path).forget([1, 2]).pairsChanged == 0)
  }

  @Test("Dismissal: photos with equal bytes, one photo, and an unknown ID are refused")
  func refusals() throws {
    #expect(throws: DismissError.equalContents) { try DismissRun(scratch.path).dismiss([1, 4]) }
    #expect(throws: DismissError.equalContents) { try DismissRun(scratch.path).dismiss([1]) }
    #expect(throws: LibraryError.noSuchPhoto("the ID 99")) { try DismissRun(scratch.path).dismiss([1, 99]) }
    #expect(try dismissals().isEmpty)
  }

  @Test("Dismissal: a reset library has none, and its undo brings them back")
  func reset() throws {
    _ = try DismissRun(scratch.path).dismiss([1, 2])
    try scratch.change(.reset) { edit, before in
      edit.removeAll(of: before)
      edit.libraryID = "00000000-0000-4000-8000-000000000009"
    }
    #expect(try dismissals().isEmpty)
    try scratch.undo()
    #expect(try dismissals().count == 1)
  }
}

extension LibraryScratch {
  fileprivate func change(
    _ kind: Change.Kind, _ configure: (inout LibraryEdit, LibraryContents) -> Void
  ) throws {
    let before = try contents()
    try writer().change(kind) { change in
      var edit = LibraryEdit()
      configure(&edit, before)
      try change.commit(edit, files: [])
    }
  }
}
