package import PhotoLibrary

/// What a catalogue contains, and how its pages look.
package struct CatalogueOptions: Sendable, Equatable {
  /// The size of the pages.
  package enum Paper: String, Sendable, CaseIterable {
    /// 210 × 297 mm.
    case a4
    /// 8.5 × 11 inches.
    case letter
  }

  /// The size of the pages.
  package var paper = Paper.a4
  /// The number of photos side by side, one of `columnNumbers`.
  package var columns = 4
  /// The photos; an empty selection selects all.
  package var selection = LibrarySelection()
  /// The order of the photos of a category.
  package var order = PhotoOrder.dateNewest
  /// How long to wait for a process that clears the cache or deletes photo files.
  package var lockWait = Library.readersWait

  /// The numbers of columns that a user can choose.
  package static let columnNumbers = 3...8

  /// The default options.
  package init() {}

  /// Returns the selected photos of a library.
  ///
  /// - Throws: `LibraryError` if a category does not exist.
  func photos(of library: LibraryContents) throws(LibraryError) -> [Photo] {
    selection.isEmpty ? library.photos : try selection.photos(of: library)
  }
}
