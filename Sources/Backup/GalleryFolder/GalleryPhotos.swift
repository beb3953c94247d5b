import Checksums
import FileSystem
import Gallery
import Operations
import PhotoLibrary
import Pictures
import SystemPackage

/// The photos of a gallery, and the library or archive that has their bytes.
protocol GalleryPhotos: Sendable {
  /// The IDs and displayed names of the categories, in their order.
  var categories: [(id: Int64, name: String)] { get }
  /// When the library or archive had these photos, in milliseconds since 1970; nil for now.
  var date: Int64? { get }
  /// Which photos the library or archive has besides the selected ones.
  var extent: Gallery.Extent { get }
  /// The selected photos that have files.
  var items: [GalleryItem] { get }
  /// The selected photos of an archive whose files are missing or corrupt. The gallery lacks them.
  var leftOut: [Finding] { get }
  /// The selected photos that are known to be missing or corrupt, and of which the gallery may have pictures.
  var damaged: [Finding] { get }
  /// The number of selected photos that ship inside the app.
  var assets: Int { get }
  /// Warnings about the library or archive.
  var warnings: [String] { get }
  /// The cache with the thumbnails of the library; nil for an archive.
  var cache: PictureCache? { get }
  /// Returns a reader for one thread.
  func reader() throws -> any GalleryPhotoReader
  /// Returns the finding for an item whose bytes cannot be read, or are not those of its row.
  func finding(ofItem index: Int, _ fault: GalleryPhotoFault) -> Finding
  /// The archive that should have the bytes of an item; nil for a library.
  func archive(ofItem index: Int) -> FilePath?
}

/// Reads photos on one thread.
protocol GalleryPhotoReader: AnyObject {
  /// Passes the bytes of an item to `take`, piece by piece. Blocks.
  ///
  /// - Returns: why the bytes cannot be read; nil if all were read.
  /// - Throws: what `take` throws; an error that concerns all photos.
  func read(
    _ index: Int, _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> GalleryPhotoFault?
}

/// Why the bytes of a photo cannot be used.
enum GalleryPhotoFault: Error {
  /// The file does not exist.
  case missing
  /// The bytes are not those of the row.
  case corrupt
  /// They cannot be read, for this reason.
  case unreadable(String)
}

/// The selected photos of a library.
final class LibraryGalleryPhotos: GalleryPhotos {
  let categories: [(id: Int64, name: String)]
  let extent: Gallery.Extent
  let items: [GalleryItem]
  let date: Int64? = nil
  let leftOut: [Finding] = []
  let damaged: [Finding]
  let assets: Int
  let warnings: [String] = []
  let cache: PictureCache?
  private let library: Library
  private let paths: [String]

  /// Reads the rows and the lengths of the files. Blocks.
  ///
  /// - Parameter whileWaiting: called while another process clears the cache; may throw to give up.
  /// - Throws: `LibraryError.noSuchCategory`; what opening the cache throws.
  init(_ library: Library, _ options: GalleryFolderOptions, whileWaiting: () throws -> Void) throws {
    self.library = library
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
    paths = withFiles.map(\.0.path)
    damaged = library.alteredFiles(of: withFiles.map(\.0), in: contents)
    items = withFiles.map { photo, content in
      GalleryItem(
        id: photo.id, name: photo.name, fileName: photo.fileName, category: photo.categoryId,
        takenAt: photo.createdAt, content: content, label: contents.label(of: photo))
    }
  }

  func reader() -> any GalleryPhotoReader { Reader(library, paths) }

  func finding(ofItem index: Int, _ fault: GalleryPhotoFault) -> Finding {
    let label = items[index].label
    switch fault {
    case .missing: return .missingInLibrary(label)
    case .corrupt: return .corruptInLibrary(label)
    case .unreadable(let reason): return Finding(label, reason)
    }
  }

  func archive(ofItem index: Int) -> FilePath? { nil }

  private final class Reader: GalleryPhotoReader {
    private let library: Library
    private let paths: [String]

    init(_ library: Library, _ paths: [String]) { (self.library, self.paths) = (library, paths) }

    func read(
      _ index: Int, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> GalleryPhotoFault? {
      do {
        try File.readPieces(
          opening: { () throws(FileError) in try library.openPhoto(at: paths[index]) }, take)
        return nil
      } catch let fault as File.Unreadable {
        return fault.error.isMissing ? .missing : .unreadable("\(fault.error)")
      }
    }
  }
}

/// The selected photos of an archive and its chain. The thumbnails that an archive has are not used, since they may show
/// other photos.
final class ArchiveGalleryPhotos: GalleryPhotos {
  let categories: [(id: Int64, name: String)]
  let date: Int64?
  let extent: Gallery.Extent
  let items: [GalleryItem]
  let leftOut: [Finding]
  let damaged: [Finding]
  let assets: Int
  let warnings: [String]
  let cache: PictureCache? = nil
  private let backup: OpenedBackup
  /// The index of each item in the backup.
  private let indices: [Int]

  /// Maps the photos of a backup whose checksums are complete.
  ///
  /// - Throws: `ExtractError.noSuchCategory`; `BackupError.passwordNeeded`.
  init(_ backup: OpenedBackup, _ options: GalleryFolderOptions) throws {
    self.backup = backup
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
    var indices: [Int] = []
    var leftOut: [Finding] = []
    var damaged: [Finding] = []
    var assets = 0
    var isEncrypted = false
    for (index, photo) in backup.photos.enumerated() {
      let record = photo.record
      guard ids.contains(record.categoryId), options.taken.contains(record.createdAt) else { continue }
      let label = backup.label(of: photo)
      switch photo.location {
      case .asset: assets += 1
      case .unavailable(let unavailable): leftOut.append(Finding(label, unavailable.reason))
      case .entry, .file:
        guard let size = photo.location.size, let md5 = photo.location.md5 else {
          leftOut.append(Finding(label, "its MD5 is unknown"))
          continue
        }
        if photo.originalMD5 != nil {
          damaged.append(Finding(label, "it was already damaged when the backup was made"))
        }
        isEncrypted = isEncrypted || photo.location.isEncrypted
        indices.append(index)
        items.append(
          GalleryItem(
            id: record.id, name: record.name, fileName: photo.fileName, category: record.categoryId,
            takenAt: record.createdAt, content: FileContent(md5: md5, size: size), label: label))
      }
    }
    if isEncrypted { try backup.requirePassword(toRead: .photos) }
    (self.items, self.indices, self.assets) = (items, indices, assets)
    (self.leftOut, self.damaged) = (leftOut + backup.leftOut, damaged)
    warnings = backup.warnings
  }

  func reader() throws -> any GalleryPhotoReader { try Reader(backup, indices) }

  func finding(ofItem index: Int, _ fault: GalleryPhotoFault) -> Finding {
    let reason =
      switch fault {
      case .missing: "its file is missing"
      case .corrupt: "it is corrupt in the archive (MD5 or size differs from the one recorded)"
      case .unreadable(let reason): reason
      }
    return Finding(items[index].label, reason)
  }

  func archive(ofItem index: Int) -> FilePath? { backup.archive(of: backup.photos[indices[index]]) }

  private final class Reader: GalleryPhotoReader {
    private let backup: OpenedBackup
    private let indices: [Int]
    private var entries: ChainReader

    init(_ backup: OpenedBackup, _ indices: [Int]) throws {
      (self.backup, self.indices) = (backup, indices)
      entries = try ChainReader(backup)
    }

    func read(
      _ index: Int, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> GalleryPhotoFault? {
      try entries.read(backup.photos[indices[index]].location, of: backup, take).map { .unreadable($0) }
    }
  }
}
