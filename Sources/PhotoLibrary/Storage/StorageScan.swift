import FileSystem
import Operations
import SystemPackage

/// Lists everything in a library's folder: adds up its disk space by purpose, and collects what `clean` may remove and
/// what this program did not make.
struct StorageScan {
  private typealias Purpose = LibraryStorage.Purpose

  /// What a folder contains.
  private enum Region {
    case root, photos, staging, undo, quarantine, lost, cache, untracked
    /// The folder of one operation.
    case operation(Purpose, item: FilePath?)
    /// The folder of the corrupt files of one repair.
    case repair(item: FilePath)

    var isOfOperations: Bool {
      switch self {
      case .staging, .undo, .quarantine, .operation, .repair: true
      case .root, .photos, .lost, .cache, .untracked: false
      }
    }

    /// True if files in it are listed as untracked by their own paths.
    var listsUntracked: Bool {
      switch self {
      case .root, .photos, .staging, .undo, .operation, .cache: true
      case .quarantine, .repair, .lost, .untracked: false
      }
    }
  }

  /// The purpose of a file or folder, the item that it belongs to, and what it contains.
  private struct Place {
    let purpose: Purpose
    var item: FilePath?
    let region: Region

    static let untracked = Place(purpose: .untracked, region: .untracked)
  }

  private(set) var storage = LibraryStorage()
  /// The folders of operations that could not be listed, so that items may be missing.
  private(set) var unlisted: [Finding] = []
  private let library: Library
  private let rows: StorageRows
  private let findsOnlyUntracked: Bool
  private var items: [FilePath: CleanItem] = [:]
  /// The untracked files and folders by the topmost folder that has them; empty for those in the library's folder.
  private var untracked: [FilePath: [FilePath]] = [:]
  /// The files with several names that were counted.
  private var counted: Set<FileStatus.Identity> = []
  /// The folders of items that stay, since they have untracked files.
  private var kept: Set<FilePath> = []

  /// - Parameter findsOnlyUntracked: true to list only the folders that are not untracked themselves, and to throw the error
  ///   of a folder that cannot be listed.
  /// - Throws: `LibraryError`, or `FileError` if the library's folder cannot be listed, or if the process
  ///   lacks memory or open files.
  init(_ library: Library, findsOnlyUntracked: Bool = false) throws {
    (self.library, self.findsOnlyUntracked) = (library, findsOnlyUntracked)
    rows = try library.read { try StorageRows($0, withUndo: !findsOnlyUntracked) }
    storage.freeBytes = try library.root.fileSystem().freeBytes
    storage[.database].bytes = try library.root.status().allocatedBytes
    try scan(library.root, at: FilePath(), .root)
  }

  /// The untracked files and folders, relative to the library. The contents of untracked folders are left out.
  var untrackedFiles: [FilePath] {
    let folders = ["", "photos", StagingFolder.parent, ReplacedFiles.parent, Library.pictureCache]
    return folders.flatMap { untracked[$0] ?? [] }
  }

  /// What `clean` may remove, sorted by path. Includes an undo without files.
  var cleanItems: [CleanItem] {
    var items = items
    for change in rows.keptChanges {
      let folder = ReplacedFiles.parent.appending(change)
      items[folder] = items[folder] ?? CleanItem(.undo, folder, operationID: change)
    }
    return items.values.map { item in
      var item = item
      item.entries.removeAll { kept.contains($0.path) }
      return item
    }.filter { !$0.entries.isEmpty || $0.kind == .undo }.sorted { $0.path.string < $1.path.string }
  }

  private mutating func scan(
    _ directory: borrowing Directory, at folder: FilePath, _ region: Region
  ) throws(FileError) {
    for name in try directory.names() {
      let path = name.inFolder(folder)
      guard let status = try directory.status(of: name) else { continue }
      let place = try place(of: name, path, status, region)
      add(path, status, place, in: region)
      guard status.kind == .directory, !findsOnlyUntracked || place.region.listsUntracked else { continue }
      do {
        try scan(directory.directory(name), at: path, place.region)
      } catch {
        // another process may have removed the folder
        guard !error.isMissing else { continue }
        if findsOnlyUntracked || error.cause == .environment { throw error }
        let finding = Finding(.folder(library.root.path(of: path).string), message: "\(error)")
        storage.unreadable.append(finding)
        if place.region.isOfOperations { unlisted.append(finding) }
      }
    }
  }

  private mutating func add(_ path: FilePath, _ status: FileStatus, _ place: Place, in region: Region) {
    if place.purpose == .untracked {
      if region.listsUntracked {
        let top = path.components.count == 1 ? FilePath() : FilePath(path.components.first?.string ?? "")
        untracked[top, default: []].append(path)
      }
      keepFolders(above: path, in: region)
    }
    let isFolder = status.kind == .directory
    if !isFolder { storage[place.purpose].files += 1 }
    let hasOtherName = !isFolder && status.linkCount > 1
    if !hasOtherName || counted.insert(status.identity).inserted {
      storage[place.purpose].bytes += status.allocatedBytes
    }
    guard let item = place.item else { return }
    items[item]?.entries.append(
      CleanItem.Entry(path: path, bytes: hasOtherName ? 0 : status.allocatedBytes, isFolder: isFolder))
  }

  private mutating func place(
    of name: FilePath, _ path: FilePath, _ status: FileStatus, _ region: Region
  ) throws(FileError) -> Place {
    let isFolder = status.kind == .directory
    switch region {
    case .root: return topLevel(name, isFolder: isFolder)
    case .photos: return try isFolder ? Place(purpose: .photos, region: .photos) : placeInPhotos(path, status)
    case .staging, .undo, .quarantine:
      guard isFolder, StagingFolder.isOperationID(name.string) else { return .untracked }
      return placeOfOperation(name.string, path, region)
    case .operation(let purpose, let item):
      guard StagingFolder.isNumber(name), !isFolder else { return .untracked }
      return Place(purpose: purpose, item: item, region: region)
    case .repair(let item):
      guard status.kind == .file, Quarantine.isFileName(name) else { return .untracked }
      return Place(purpose: .quarantined, item: item, region: region)
    case .lost: return Place(purpose: .quarantined, region: .lost)
    case .cache:
      return Library.pictureCacheFiles.contains(name) ? Place(purpose: .cache, region: .cache) : .untracked
    case .untracked: return .untracked
    }
  }

  private func topLevel(_ name: FilePath, isFolder: Bool) -> Place {
    switch name {
    case "photos": Place(purpose: .photos, region: .photos)
    case StagingFolder.parent: Place(purpose: .database, region: .staging)
    case ReplacedFiles.parent: Place(purpose: .database, region: .undo)
    case Quarantine.parent: Place(purpose: .database, region: .quarantine)
    case LostDatabases.parent: Place(purpose: .database, region: .lost)
    case Library.pictureCache: isFolder ? Place(purpose: .cache, region: .cache) : .untracked
    case _ where Library.ownedNames.contains(name): Place(purpose: .database, region: .untracked)
    default: .untracked
    }
  }

  private mutating func placeInPhotos(_ path: FilePath, _ status: FileStatus) throws(FileError) -> Place {
    if rows.photos.contains(path) { return Place(purpose: .photos, region: .photos) }
    // a file that cannot be read may be the photo's
    if let replaced = rows.replaced[path],
      replaced.photos.contains(where: { (try? library.isUnchanged($0)) ?? true })
    {
      return placeOfChange(replaced.change, path)
    }
    if let move = rows.additions[path] {
      let staged = try library.root.status(of: move.stagedPath)
      // if the staged file exists, another program put a file at its place, unless that reserves the name
      let isOwn = staged.map { $0.identity == status.identity || status.size == 0 && $0.size > 0 } ?? true
      if isOwn { return makeItem(.staged, path, move.operationID) }
    }
    return .untracked
  }

  private mutating func placeOfOperation(_ id: String, _ path: FilePath, _ region: Region) -> Place {
    switch region {
    case .undo: return placeOfChange(id, path)
    case .quarantine:
      items[path] = CleanItem(.quarantined, path, operationID: id)
      return Place(purpose: .quarantined, item: path, region: .repair(item: path))
    default:
      // the staged files of a repair may be the only files of their photos
      guard rows.repairs.contains(id) else { return makeItem(.staged, path, id) }
      return Place(purpose: .photos, region: .operation(.photos, item: nil))
    }
  }

  private mutating func placeOfChange(_ change: String, _ path: FilePath) -> Place {
    makeItem(rows.keptChanges.contains(change) ? .undo : .obsoleteUndo, path, change)
  }

  private mutating func makeItem(_ kind: CleanItem.Kind, _ path: FilePath, _ operation: String) -> Place {
    items[path] = CleanItem(kind, path, operationID: operation)
    let purpose: Purpose = kind == .undo ? .undo : .leftovers
    return Place(purpose: purpose, item: path, region: .operation(purpose, item: path))
  }

  private mutating func keepFolders(above path: FilePath, in region: Region) {
    switch region {
    case .operation(_, item: _?), .repair:
      var folder = path.removingLastComponent()
      while folder.components.count > 1 {
        kept.insert(folder)
        folder = folder.removingLastComponent()
      }
    case .operation, .root, .photos, .staging, .undo, .quarantine, .lost, .cache, .untracked:
      return
    }
  }
}

extension Library {
  /// Returns the files and folders in the library that this program did not make, relative to the library. Blocks.
  public func untrackedFiles() throws -> [FilePath] {
    try StorageScan(self, findsOnlyUntracked: true).untrackedFiles
  }
}
