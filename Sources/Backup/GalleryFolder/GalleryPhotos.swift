import Gallery
import Operations
import PhotoLibrary
import Pictures
import SystemPackage

/// The photos of a gallery, and where their bytes are: in a library, or in an archive and its chain.
struct GalleryPhotos: Sendable {
  /// The IDs and displayed names of the categories, in their order.
  let categories: [(id: Int64, name: String)]
  /// When the library or archive had these photos; nil for now.
  let date: Timestamp?
  /// Which photos the library or archive has besides the selected ones.
  let extent: Gallery.Extent
  /// The selected photos that have files.
  let items: [GalleryItem]
  /// The selected photos of an archive whose files are missing or corrupt. The gallery lacks them.
  let missing: [Finding]
  /// The selected photos that are known to be missing or corrupt, and of which the gallery may have pictures.
  let damaged: [Finding]
  /// The number of selected photos that ship inside the app.
  let assets: Int
  /// Warnings about the library or archive.
  let warnings: [String]
  /// The cache with the thumbnails of the library; nil for an archive, whose thumbnails may show other photos.
  let cache: PictureCache?
}

extension GalleryPhotos {
  /// Selects photos of a library. Reads the rows and the lengths of the files. Blocks.
  ///
  /// - Parameter whileWaiting: called while another process clears the cache; may throw to give up.
  /// - Throws: `LibraryError.noSuchCategory`; what opening the cache throws.
  init(_ library: Library, _ options: GalleryFolderOptions, whileWaiting: () throws -> Void) throws {
    cache = try PictureCache(of: library, lockWait: options.lockWait, whileWaiting: whileWaiting)
    let contents = try library.contents()
    let selected =
      try options.categories.isEmpty ? contents.categories : contents.categories.named(options.categories)
    categories = selected.map { ($0.id, $0.displayName) }
    extent = options.selectsSomePhotos ? .selection : .all
    let ids = Set(selected.map(\.id))
    let photos = contents.photos.filter {
      ids.contains($0.categoryId) && options.taken.contains($0.createdAt)
    }
    let withFiles = photos.compactMap { photo in photo.content.map { (photo, $0) } }
    assets = photos.count - withFiles.count
    damaged = library.alteredFiles(of: withFiles.map(\.0), in: contents)
    items = withFiles.map { photo, content in
      GalleryItem(
        id: photo.id, name: photo.name, fileName: photo.fileName, category: photo.categoryId,
        takenAt: photo.createdAt, content: content, bytes: .photo(photo.path, of: library),
        label: contents.label(of: photo))
    }
    (date, missing, warnings) = (nil, [], [])
  }

  /// Selects photos of a backup whose checksums are complete.
  ///
  /// - Throws: `ExtractError.noSuchCategory`; `BackupError.passwordNeeded`.
  init(_ backup: OpenedBackup, _ options: GalleryFolderOptions) throws {
    for name in options.categories where backup.metadata.categories(named: name).isEmpty {
      throw ExtractError.noSuchCategory(backup.path, name)
    }
    let selected =
      options.categories.isEmpty
      ? backup.metadata.categories : options.categories.flatMap(backup.metadata.categories(named:))
    let ids = Set(selected.map(\.id))
    categories = backup.metadata.categories.filter { ids.contains($0.id) }.map {
      ($0.id, $0.displayName.isEmpty ? $0.name : $0.displayName)
    }
    date = backup.metadata.exportDate
    let provenance = backup.metadata.smilepile
    extent =
      provenance?.part.map { .part(number: $0.number, count: $0.count) }
      ?? (options.selectsSomePhotos || provenance?.isPartial == true ? .selection : .all)
    var items: [GalleryItem] = []
    var missing: [Finding] = []
    var damaged: [Finding] = []
    var assets = 0
    var isEncrypted = false
    for photo in backup.photos {
      let record = photo.record
      guard ids.contains(record.categoryId), options.taken.contains(record.createdAt) else { continue }
      let label = backup.label(of: photo)
      switch photo.location {
      case .asset: assets += 1
      case .unavailable(let unavailable): missing.append(Finding(label, unavailable.reason))
      case .entry, .file:
        guard let content = photo.location.content else {
          missing.append(Finding(label, "its MD5 is unknown"))
          continue
        }
        if photo.originalMD5 != nil {
          damaged.append(Finding(label, "it was already damaged when the backup was made"))
        }
        if photo.location.isEncrypted { isEncrypted = true }
        items.append(
          GalleryItem(
            id: record.id, name: record.name, fileName: photo.fileName, category: record.categoryId,
            takenAt: record.createdAt, content: content, bytes: backup.bytes(at: photo.location),
            label: label))
      }
    }
    if isEncrypted { try backup.requirePassword(toRead: .photos) }
    (self.items, self.assets) = (items, assets)
    (self.missing, self.damaged) = (missing + backup.skipped, damaged)
    (warnings, cache) = (backup.warnings, nil)
  }
}
