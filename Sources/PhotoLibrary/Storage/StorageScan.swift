internal import Databases
import FileSystem
internal import GRDB
import Operations
import SystemPackage

/// Lists everything in a library's folder, adds up its disk space by purpose, and collects what `clean` may
/// remove.
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
  private let untracked: Set<FilePath>
  private let rows: StorageRows
  private var items: [FilePath: CleanItem] = [:]
  /// The files with several names that were counted.
  private var counted: Set<FileStatus.Identity> = []
  /// The folders of items that stay, since they have untracked files.
  private var kept: Set<FilePath> = []

  /// - Throws: `LibraryError`, or `FileError` if the library's folder cannot be listed, or if the process
  ///   lacks memory or open files.
  init(_ library: Library) throws {
    self.library = library
    untracked = Set(try UntrackedFiles(in: library).paths)
    rows = try library.read { try StorageRows($0) }
    storage.freeBytes = try library.root.fileSystem().freeBytes
    storage[.database].bytes = try library.root.status().allocatedBytes
    try count(library.root, at: FilePath(), .root)
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

  private mutating func count(
    _ directory: borrowing Directory, at folder: FilePath, _ region: Region
  ) throws(FileError) {
    for name in try directory.names() {
      let path = name.inFolder(folder)
      guard let status = try directory.status(of: name) else { continue }
      let place = try place(of: name, path, status, region)
      add(path, status, place)
      guard status.kind == .directory else { continue }
      do {
        try count(directory.directory(name), at: path, place.region)
      } catch {
        if error.cause == .environment { throw error }
        // another process may have removed the folder
        guard !error.isMissing else { continue }
        let finding = Finding(.folder(library.root.path(of: path).string), message: "\(error)")
        storage.unreadable.append(finding)
        if place.region.isOfOperations { unlisted.append(finding) }
      }
    }
  }

  private mutating func add(_ path: FilePath, _ status: FileStatus, _ place: Place) {
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
    if untracked.contains(path) {
      keepFolders(above: path, in: region)
      return .untracked
    }
    switch region {
    case .root: return Self.topLevel(name)
    case .photos: return try placeInPhotos(path, status)
    case .staging:
      // the staged files of a repair may be the only files of their photos
      if rows.repairs.contains(name.string) {
        return Place(purpose: .photos, region: .operation(.photos, item: nil))
      }
      return placeOfOperation(name.string, .staged, path)
    case .undo: return placeOfChange(name.string, path)
    case .quarantine:
      guard status.kind == .directory, StagingFolder.isOperationID(name.string) else { return .untracked }
      makeItem(.quarantined, path, operationID: name.string)
      return Place(purpose: .quarantined, item: path, region: .repair(item: path))
    case .operation(let purpose, let item): return Place(purpose: purpose, item: item, region: region)
    case .repair(let item):
      guard status.kind == .file, Quarantine.isFileName(name) else {
        keepFolders(above: path, in: region)
        return .untracked
      }
      return Place(purpose: .quarantined, item: item, region: region)
    case .lost: return Place(purpose: .quarantined, region: .lost)
    case .cache: return Place(purpose: .cache, region: .cache)
    case .untracked: return .untracked
    }
  }

  /// Everything else in the library's folder is untracked.
  private static func topLevel(_ name: FilePath) -> Place {
    switch name {
    case "photos": Place(purpose: .photos, region: .photos)
    case StagingFolder.parent: Place(purpose: .database, region: .staging)
    case ReplacedFiles.parent: Place(purpose: .database, region: .undo)
    case Quarantine.parent: Place(purpose: .database, region: .quarantine)
    case LostLibrary.lostFiles: Place(purpose: .database, region: .lost)
    case Library.pictureCache: Place(purpose: .cache, region: .cache)
    default: Place(purpose: .database, region: .untracked)
    }
  }

  private mutating func placeInPhotos(_ path: FilePath, _ status: FileStatus) throws(FileError) -> Place {
    guard status.kind != .directory else { return Place(purpose: .photos, region: .photos) }
    if let change = rows.replaced[path] { return placeOfChange(change, path) }
    if let move = rows.additions[path] {
      let staged = try library.root.status(of: move.stagedPath)
      // if the staged file exists, another program put a file at its place, unless that reserves the name
      let isOwn = staged.map { $0.identity == status.identity || status.size == 0 && $0.size > 0 } ?? true
      return isOwn ? placeOfOperation(move.operationID, .staged, path) : .untracked
    }
    return Place(purpose: .photos, region: .photos)
  }

  private mutating func placeOfChange(_ change: String, _ path: FilePath) -> Place {
    placeOfOperation(change, rows.keptChanges.contains(change) ? .undo : .obsoleteUndo, path)
  }

  private mutating func placeOfOperation(_ id: String, _ kind: CleanItem.Kind, _ path: FilePath) -> Place {
    let purpose: Purpose = kind == .undo ? .undo : .leftovers
    makeItem(kind, path, operationID: id)
    return Place(purpose: purpose, item: path, region: .operation(purpose, item: path))
  }

  private mutating func makeItem(_ kind: CleanItem.Kind, _ path: FilePath, operationID: String) {
    items[path] = items[path] ?? CleanItem(kind, path, operationID: operationID)
  }

  private mutating func keepFolders(above path: FilePath, in region: Region) {
    switch region {
    case .operation(_, item: _?), .repair:
      var folder = path.removingLastComponent()
      while folder.components.count > 1 {
        kept.insert(folder)
        folder = folder.removingLastComponent()
      }
    case .operation(_, item: nil), .root, .photos, .staging, .undo, .quarantine, .lost, .cache, .untracked:
      return
    }
  }
}

/// The rows by which a scan knows the files that are not those of photos.
private struct StorageRows {
  /// The changes whose undo the library keeps, newest first.
  let keptChanges: [String]
  /// The changes that replaced or removed photos, by the paths of their files.
  private(set) var replaced: [FilePath: String] = [:]
  /// The moves of additions that were not committed, by the paths of the places.
  private(set) var additions: [FilePath: FileMove] = [:]
  /// The IDs of the repairs that are not complete.
  private(set) var repairs: Set<String> = []

  init(_ database: Database) throws {
    keptChanges = try UndoStack(database).kept
    let files = try database.rows(
      """
      SELECT changeId, path FROM replacedPhoto
      WHERE NOT isFromAssets AND path NOT IN (SELECT path FROM photo WHERE NOT isFromAssets)
      """, of: "replacedPhoto"
    ) { row in (change: try row.text("changeId", at: 0), path: FilePath(try row.text("path", at: 1))) }
    let ages = Dictionary(
      keptChanges.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for file in files {
      // several changes may have removed one file, which the newest one needs
      let known = replaced[file.path].map { ages[$0, default: .max] } ?? .max
      if replaced[file.path] == nil || ages[file.change, default: .max] < known {
        replaced[file.path] = file.change
      }
    }
    for move in try FileMove.pending(in: database) where move.isValid {
      switch move.kind {
      case .add: additions[move.targetPath] = move
      case .repair: repairs.insert(move.operationID)
      }
    }
  }
}
