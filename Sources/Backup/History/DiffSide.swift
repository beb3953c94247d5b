import PhotoLibrary

/// The content of a backup or a library, as far as a diff compares it. Ids are not compared, since they differ
/// between phones.
public struct DiffSide: Sendable, Equatable {
  /// The categories, in any order.
  public var categories: [PhotoLibrary.Category]
  /// The photos, in any order. Assets of the app have the size 0. A photo that is no asset and has no MD5 is one of a JSON
  /// backup, or the phone lost its file.
  public var photos: [Photo]

  /// Makes a side of these parts.
  public init(categories: [PhotoLibrary.Category], photos: [Photo]) {
    self.categories = categories
    self.photos = photos
  }
}

extension DiffSide {
  /// Describes a library in the values that an archive of it would have.
  public init(_ library: LibraryContents) {
    self.init(categories: library.categories, photos: library.photos)
    for index in categories.indices {
      categories[index].position = categories[index].position.clamped(to: Metadata.positions)
      categories[index].createdAt = categories[index].createdAt.clamped(to: Metadata.dates)
    }
    for index in photos.indices {
      photos[index].createdAt = photos[index].createdAt.clamped(to: Metadata.dates)
      if photos[index].isFromAssets { photos[index].fileSize = 0 }
    }
  }

  /// Describes a backup. A photo that was already corrupt when the backup was made has the MD5 that the library
  /// recorded. A photo that is stored in the base has the MD5 of the file there.
  init(_ backup: OpenedBackup) {
    categories = backup.metadata.categories.map { category in
      PhotoLibrary.Category(
        id: category.id, name: category.name, displayName: category.displayName, position: category.position,
        iconResource: category.iconResource, colorHex: category.colorHex, isDefault: category.isDefault,
        createdAt: category.createdAt, valuesAsOf: 0)
    }
    photos = backup.photos.map { photo in
      let record = photo.record
      let isAsset = record.isFromAssets
      return Photo(
        id: record.id, categoryId: record.categoryId, name: record.name, path: isAsset ? record.path : "",
        originalPath: photo.originalPath, isFromAssets: isAsset, createdAt: record.createdAt,
        fileSize: isAsset ? 0 : photo.location.size ?? Int(record.fileSize),
        md5: isAsset ? nil : photo.originalMD5 ?? photo.location.md5)
    }
  }
}

extension Photo {
  /// True if the photo of a side has a file whose MD5 is unknown.
  var hasUnknownContent: Bool { md5 == nil && !isFromAssets }
}
