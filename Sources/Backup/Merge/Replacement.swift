import Checksums
import PhotoLibrary

/// The content of a library after `--strategy replace`: the categories and photos of one backup, and nothing else.
///
/// The IDs are a function of the backup alone. A photo keeps the file of the library's row with the same ID if that
/// file has the photo's content. So replacing a library by the same backup again changes nothing.
package struct Replacement: Sendable {
  /// A photo of the new library.
  package struct Row: Sendable {
    /// The row. Its path is empty unless its file is kept.
    let photo: Photo
    /// The index of the backup's photo.
    let source: Int
    /// True if the library already has the file, at the row's path.
    let isKept: Bool
  }

  /// The current content of the library.
  let library: LibraryContents
  /// The categories with their new IDs.
  let categories: [PhotoLibrary.Category]
  /// The photos that the backup or the library has, in the backup's order.
  let rows: [Row]

  /// - Parameter byID: the category of each ID of the backup.
  init(
    of library: LibraryContents, by backup: OpenedBackup, categories: [PhotoLibrary.Category],
    byID: [Int64: PhotoLibrary.Category]
  ) {
    let ids = Self.ids(of: backup)
    let files = Self.files(of: library, for: backup, ids)
    var photos: [Photo] = []
    var rows: [(source: Int, isKept: Bool)] = []
    for (index, photo) in backup.photos.enumerated() {
      guard let category = byID[photo.record.categoryId] else { continue }
      var row: Photo
      if let file = files[index].map({ library.photos[$0] }), let content = file.content {
        row = MergePlan.row(photo, category: category.id, libraryContent: content)
        row.path = file.path
        rows.append((index, isKept: true))
      } else if photo.isUnavailable {
        continue
      } else {
        row = MergePlan.row(photo, category: category.id)
        rows.append((index, isKept: false))
      }
      row.id = ids[index]
      photos.append(row)
    }
    var favorites = Favorites()
    favorites.add(photos)
    if !favorites.isEmpty {
      for index in photos.indices { photos[index].isFavorite = favorites[photos[index]] }
    }
    self.init(
      library: library, categories: categories,
      rows: zip(photos, rows).map { Row(photo: $0, source: $1.source, isKept: $1.isKept) })
  }

  private init(library: LibraryContents, categories: [PhotoLibrary.Category], rows: [Row]) {
    (self.library, self.categories, self.rows) = (library, categories, rows)
  }

  /// Returns the replacement that keeps only intact files. A photo with a corrupt file comes from the backup, or is
  /// left out if the backup does not have it.
  ///
  /// - Parameter intact: the IDs of the kept photos whose files are intact.
  func keeping(_ intact: Set<Int64>, of backup: OpenedBackup) -> Replacement {
    var rows: [Row] = []
    rows.reserveCapacity(self.rows.count)
    for row in self.rows {
      guard row.isKept, !intact.contains(row.photo.id) else {
        rows.append(row)
        continue
      }
      let photo = backup.photos[row.source]
      guard !photo.isUnavailable else { continue }
      var new = MergePlan.row(photo, category: row.photo.categoryId)
      (new.id, new.isFavorite) = (row.photo.id, row.photo.isFavorite)
      rows.append(Row(photo: new, source: row.source, isKept: false))
    }
    return Replacement(library: library, categories: categories, rows: rows)
  }

  /// Returns the id of each photo of a backup. Photos without a file come last, so that the other ids do not depend
  /// on the library's content.
  private static func ids(of backup: OpenedBackup) -> [Int64] {
    var ids = IDs(used: [], wanted: backup.photos.map(\.record.id))
    var result = backup.photos.map(\.record.id)
    for isMissing in [false, true] {
      for index in result.indices where backup.photos[index].isUnavailable == isMissing {
        result[index] = ids.next(keeping: result[index])
      }
    }
    return result
  }

  /// Returns the index of the library's photo whose file each photo of a backup keeps, by MD5 and size. Each file is kept
  /// once: by the photo with the same id, otherwise by a photo that is missing in the backup, then by a photo that is
  /// corrupt in it, then by any other.
  private static func files(
    of library: LibraryContents, for backup: OpenedBackup, _ ids: [Int64]
  ) -> [Int?] {
    // lazy, since only a backup with missing or corrupt photos needs it: it does not state the sizes of their files
    lazy var contents = Dictionary(
      library.photos.lazy.compactMap(\.content).map { ($0.md5, $0) }, uniquingKeysWith: { _, last in last })
    var wanted: [File] = []
    for need in OpenedBackup.Photo.Need.allCases {
      for index in ids.indices where backup.photos[index].need == need {
        let photo = backup.photos[index]
        let content = photo.md5NotInBackup.map { contents[$0] } ?? photo.location.content
        if let content { wanted.append(File(index: index, id: ids[index], content: content)) }
      }
    }
    let files = library.photos.indices.compactMap { index in
      library.photos[index].content.map { File(index: index, id: library.photos[index].id, content: $0) }
    }
    var result = [Int?](repeating: nil, count: ids.count)
    let matching = Matching.pairs(
      wanted, files, by: [{ Key(content: $0.content, id: $0.id) }, { Key(content: $0.content) }])
    for (photo, file) in matching.pairs { result[photo.index] = file.index }
    return result
  }

  /// A file of the library, or the file that a photo of the backup needs.
  private struct File {
    var index: Int
    var id: Int64
    var content: FileContent
  }

  private struct Key: Hashable {
    var content: FileContent
    var id: Int64?
  }
}

extension OpenedBackup.Photo {
  /// How much a photo needs a file of the library, the greatest need first.
  fileprivate enum Need: CaseIterable { case isUnavailable, isCorrupt, isIntact }

  fileprivate var need: Need {
    isUnavailable ? .isUnavailable : md5NotInBackup == nil ? .isIntact : .isCorrupt
  }

  fileprivate var isUnavailable: Bool { location.unavailable != nil }
}
