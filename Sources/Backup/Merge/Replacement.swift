import PhotoLibrary

/// The content of a library after `--strategy replace`: the categories and photos of one backup, and nothing else.
///
/// The IDs are a function of the backup alone. A photo keeps the file of the library's row with the same ID if that
/// file has the photo's content. So replacing a library by the same backup again changes nothing.
package struct Replacement: Sendable {
  /// A photo of the new library.
  package struct Row: Sendable {
    /// The row. Its path is empty unless its file is kept.
    fileprivate(set) var photo: Photo
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
  private(set) var rows: [Row] = []

  /// - Parameter byID: the category of each ID of the backup.
  init(
    of library: LibraryContents, by backup: OpenedBackup, categories: [PhotoLibrary.Category],
    byID: [Int64: PhotoLibrary.Category]
  ) {
    (self.library, self.categories) = (library, categories)
    let ids = Self.ids(of: backup)
    let files = Self.files(of: library, for: backup, ids)
    for (index, photo) in backup.photos.enumerated() {
      guard let category = byID[photo.record.categoryId] else { continue }
      let file = files[index].map { library.photos[$0] }
      guard file != nil || !photo.isUnavailable else { continue }
      var row = MergePlan.row(photo, category: category.id, libraryContent: file?.content)
      row.id = ids[index]
      if let file { row.path = file.path }
      rows.append(Row(photo: row, source: index, isKept: file != nil))
    }
    var favorites = Favorites()
    favorites.add(rows.lazy.map(\.photo))
    guard !favorites.isEmpty else { return }
    for index in rows.indices { rows[index].photo.isFavorite = favorites[rows[index].photo] }
  }

  /// Keeps only intact files. A photo with a corrupt file comes from the backup, or is left out if the backup does not
  /// have it.
  ///
  /// - Parameter intact: the IDs of the kept photos whose files are intact.
  mutating func keep(_ intact: Set<Int64>, of backup: OpenedBackup) {
    rows = rows.compactMap { row in
      guard row.isKept, !intact.contains(row.photo.id) else { return row }
      let photo = backup.photos[row.source]
      guard !photo.isUnavailable else { return nil }
      var new = MergePlan.row(photo, category: row.photo.categoryId)
      (new.id, new.isFavorite) = (row.photo.id, row.photo.isFavorite)
      return Row(photo: new, source: row.source, isKept: false)
    }
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
