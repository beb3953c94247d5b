import Checksums
import PhotoLibrary

/// What a library is to hold under `--strategy replace`: the categories and photos of one backup, and nothing else.
///
/// The ids are a function of the backup alone, and a photo keeps the file of the library's row of the same id if that
/// has its content. So a library that a backup has replaced differs in nothing from what the same backup asks for.
struct Replacement: Sendable {
  /// A photo that the library is to hold.
  struct Row: Sendable {
    /// The row. Its path is empty until its file has a place in the library.
    var photo: Photo
    /// Which of the backup's photos, by index.
    let source: Int
    /// Its file lies in the library already, at the row's path.
    var isKept = false
  }

  /// What the library holds now.
  let library: LibraryContents
  /// The categories, with their new ids.
  let categories: [PhotoLibrary.Category]
  /// In the backup's order.
  private(set) var rows: [Row] = []
  /// Which of the backup's photos neither the backup nor the library has, by index.
  private(set) var absent: [Int] = []

  /// - Parameter byID: the category of each id of the backup.
  init(
    of library: LibraryContents, by backup: BackupSource, categories: [PhotoLibrary.Category],
    byID: [Int64: PhotoLibrary.Category]
  ) {
    self.library = library
    self.categories = categories
    let ids = Self.ids(of: backup)
    let files = Self.files(of: library, for: backup, ids)
    for (index, photo) in backup.photos.enumerated() {
      guard let category = byID[photo.record.categoryId] else { continue }
      var row = Row(photo: MergePlan.row(photo, category: category.id), source: index)
      if let file = files[index].map({ library.photos[$0] }), let md5 = file.md5 {
        row.photo = MergePlan.row(photo, category: category.id, held: (md5, file.fileSize))
        row.photo.path = file.path
        row.isKept = true
      } else if case .absent = photo.content {
        absent.append(index)
        continue
      }
      row.photo.id = ids[index]
      rows.append(row)
    }
    var favorites = Favorites()
    favorites.add(rows.lazy.map(\.photo))
    guard !favorites.isEmpty else { return }
    for index in rows.indices { rows[index].photo.isFavorite = favorites[rows[index].photo] }
  }

  /// Returns the id of each photo of a backup. Those without a file come last, so that the other ids do not depend on
  /// what the library has of them.
  private static func ids(of backup: BackupSource) -> [Int64] {
    var ids = IDs(used: [], wanted: backup.photos.map(\.record.id))
    var result = backup.photos.map(\.record.id)
    for wantsAbsent in [false, true] {
      for index in result.indices where backup.photos[index].isAbsent == wantsAbsent {
        result[index] = ids.next(keeping: result[index])
      }
    }
    return result
  }

  /// Returns for each photo of a backup the library's photo whose file it keeps, by index. Each file is kept once: by
  /// the photo of the same id, else by a photo that the backup does not hold, or holds only damaged, else by any other.
  private static func files(
    of library: LibraryContents, for backup: BackupSource, _ ids: [Int64]
  ) -> [Int?] {
    var libraryFiles: [MD5Digest: [Int]] = [:]
    for index in library.photos.indices.reversed() {
      if let md5 = library.photos[index].md5 { libraryFiles[md5, default: []].append(index) }
    }
    guard !libraryFiles.isEmpty else { return Array(repeating: nil, count: ids.count) }
    let byID = Dictionary(uniqueKeysWithValues: library.photos.indices.map { (library.photos[$0].id, $0) })
    var isTaken = Array(repeating: false, count: library.photos.count)
    var result = [Int?](repeating: nil, count: ids.count)
    for index in ids.indices {
      guard let file = byID[ids[index]], backup.photos[index].hasContent(of: library.photos[file]) else {
        continue
      }
      result[index] = file
      isTaken[file] = true
    }
    let order = ids.indices.filter { result[$0] == nil }
    for rank in BackupSource.Photo.Need.allCases {
      for index in order where backup.photos[index].need == rank {
        let photo = backup.photos[index]
        guard let md5 = photo.wantedMD5 else { continue }
        while let file = libraryFiles[md5]?.popLast() {
          guard !isTaken[file], photo.hasContent(of: library.photos[file]) else { continue }
          result[index] = file
          isTaken[file] = true
          break
        }
      }
    }
    return result
  }

  /// Reads the files that are to be kept. A photo whose file is damaged comes from the backup, or is absent where the
  /// backup does not have it.
  mutating func checkKept(_ backup: BackupSource, isWhole: (Row) throws -> Bool) rethrows {
    var checked: [Row] = []
    checked.reserveCapacity(rows.count)
    for var row in rows {
      if try row.isKept && !isWhole(row) {
        let photo = backup.photos[row.source]
        if photo.isAbsent {
          absent.append(row.source)
          continue
        }
        let old = row.photo
        row.photo = MergePlan.row(photo, category: old.categoryId)
        (row.photo.id, row.photo.isFavorite) = (old.id, old.isFavorite)
        row.isKept = false
      }
      checked.append(row)
    }
    rows = checked
    absent.sort()
  }
}

extension MergePlan {
  /// Makes the plan what a replacement changes: rows that the library has already are left alone.
  mutating func settle(_ replacement: Replacement) {
    self.replacement = replacement
    absent = replacement.absent
    settleCategories(replacement)
    settlePhotos(replacement)
  }

  private mutating func settleCategories(_ replacement: Replacement) {
    var goes = Dictionary(uniqueKeysWithValues: replacement.library.categories.map { ($0.id, $0) })
    (edit.newCategories, edit.changedCategories, changedCategoryValues) = ([], [], 0)
    for category in replacement.categories {
      // of another name it is another category, whatever its id
      guard let old = goes[category.id], old.name == category.name else {
        edit.newCategories.append(category)
        continue
      }
      goes[category.id] = nil
      if old.hasValues(of: category), old == category { continue }
      if !old.hasValues(of: category) { changedCategoryValues += 1 }
      edit.changedCategories.append(category)
    }
    edit.removedCategories = goes.keys.sorted()
  }

  private mutating func settlePhotos(_ replacement: Replacement) {
    var goes = Dictionary(uniqueKeysWithValues: replacement.library.photos.map { ($0.id, $0) })
    let changedNames = Set(edit.newCategories.map(\.id))
    (edit.newPhotos, edit.changedPhotos, restores) = ([], [], [])
    (photosImported, photosSkipped) = (0, 0)
    for row in replacement.rows {
      let photo = row.photo
      let hasFile = row.isKept || photo.isFromAssets
      if hasFile, let old = goes[photo.id], old.hasFile(of: photo) {
        goes[photo.id] = nil
        if old.isIdentical(to: photo), !changedNames.contains(photo.categoryId) {
          photosSkipped += 1
          continue
        }
        edit.changedPhotos.append(photo)
      } else {
        if !hasFile { restores.append(Restore(id: photo.id, source: row.source)) }
        edit.newPhotos.append(photo)
      }
      photosImported += 1
    }
    edit.removedPhotos = goes.keys.sorted()
  }
}

extension BackupSource.Photo {
  /// How much a photo depends on a file that the library has, the most first.
  fileprivate enum Need: CaseIterable { case isAbsent, isDamaged, isThere }

  fileprivate var need: Need { isAbsent ? .isAbsent : lost == nil ? .isThere : .isDamaged }

  fileprivate var isAbsent: Bool {
    if case .absent = content { true } else { false }
  }

  /// The MD5 of the right bytes, if the backup says one.
  fileprivate var wantedMD5: MD5Digest? { lost ?? content.md5 }

  /// Whether a photo of the library has the right bytes.
  fileprivate func hasContent(of photo: Photo) -> Bool {
    guard let md5 = wantedMD5, md5 == photo.md5 else { return false }
    return lost != nil || content.size == photo.fileSize
  }
}

extension Photo {
  /// Whether two rows of one id stand for the same file, or both for assets of the app.
  fileprivate func hasFile(of other: Photo) -> Bool {
    isFromAssets == other.isFromAssets
      && (isFromAssets || md5 == other.md5 && path.utf8.elementsEqual(other.path.utf8))
  }

  /// Compares texts by their bytes: Swift takes é and e with an accent for equal.
  fileprivate func isIdentical(to other: Photo) -> Bool {
    self == other && name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
      && originalPath.utf8.elementsEqual(other.originalPath.utf8)
  }
}
