/// What a change does to the rows of a library: a pure value, so that a plan can be looked at before it is
/// carried out.
package struct LibraryEdit: Sendable, Equatable {
  /// Photos that go, by id. Their rows are kept for an undo, their files are moved aside.
  package var removedPhotos: [Int64] = []
  /// Categories that go, by id, with no photos left in them after the edit. A new row may get the id of one that goes.
  package var removedCategories: [Int64] = []
  /// New categories. Categories come before the photos in them.
  package var newCategories: [Category] = []
  /// Categories that exist, with their new values, found by id.
  package var changedCategories: [Category] = []
  /// New photos; the files of all that are no assets are there when the edit is committed.
  package var newPhotos: [Photo] = []
  /// Photos that exist, with their new values, found by id.
  package var changedPhotos: [Photo] = []
  /// The new settings, nil if they stay.
  package var settings: Settings?

  /// An edit that changes nothing.
  package init() {}

  /// True if the edit changes nothing.
  package var isEmpty: Bool { self == LibraryEdit() }
}
