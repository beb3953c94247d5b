import Operations

/// The photos and categories that `remove` removes: a pure function of the library and the selection. Categories alone
/// are selected with their photos; together with other conditions they only restrict the photos.
public struct RemovePlan: Sendable {
  /// The photos to remove.
  public let photos: [Photo]
  /// The categories to remove. All their photos are removed too.
  public let categories: [Category]

  /// Bytes of the photos' files.
  public var bytes: Int { photos.saturatedSum { $0.isFromAssets ? 0 : $0.fileSize } }

  /// How much is removed.
  var removal: Removal { Removal(photos: photos.count, categories: categories.count) }

  /// - Throws: `LibraryError.noSuchCategory` or `.noSuchPhoto` if a condition matches nothing.
  public init(_ library: LibraryContents, _ selection: LibrarySelection) throws {
    photos = try selection.photos(of: library)
    categories = selection.selectsWholeCategories ? try library.categories.named(selection.categories) : []
  }

  /// The change of the rows.
  package var edit: LibraryEdit {
    var edit = LibraryEdit()
    edit.removedPhotos = photos.map(\.id)
    edit.removedCategories = categories.map(\.id)
    edit.moves = photos.map { .photo($0.id, to: nil) } + categories.map { .category($0.id, to: nil) }
    return edit
  }
}
