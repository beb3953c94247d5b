import Checksums
import FileSystem
import Foundation
import Logging
import SystemPackage

/// The library's working folder: `.staging/<change>/`, with the staged files and, once files begin to move into
/// the photo folder, a journal that names them. Files whose places are known beforehand are staged in numbered
/// folders, one for each folder of the library.
enum Staging {
  static let folder: FilePath = ".staging"

  /// What a journal is of; the raw value is its name in the change's folder.
  enum JournalKind: String, CaseIterable {
    /// Files that become photos.
    case change = "journal"
    /// Files that take the places of rotten ones.
    case healing = "heal"

    var name: FilePath { FilePath(rawValue) }
    var unfinishedName: FilePath { FilePath(rawValue + ".new") }
  }

  /// Whether a folder in the working folder is a change's. Whatever else is there is a stranger's.
  static func isChange(_ name: FilePath) -> Bool { UUID(uuidString: name.string) != nil }

  /// Whether a file in a change's folder is one that a change puts there: photos are staged under numbers.
  static func isOwn(_ name: FilePath) -> Bool {
    JournalKind.allCases.contains { $0.name == name || $0.unfinishedName == name } || isNumber(name)
  }

  /// Whether it is a name of a staged file, or of a folder of them.
  static func isNumber(_ name: FilePath) -> Bool {
    name.string.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a file in one of a change's numbered folders is one that it staged: no photo's name begins with a dot, as
  /// those do that other programs leave in any folder.
  static func isStaged(_ name: FilePath) -> Bool { !name.string.utf8.starts(with: [UInt8(ascii: ".")]) }

  /// A change's journal, nil if it has none. Nor does one that cannot be understood stand for anything: what was
  /// moved on its account stays, as a stranger's, and the library can be used.
  static func journal<Journal: Decodable>(
    _ kind: JournalKind, in folder: FilePath, of library: Library
  ) throws -> Journal? {
    let path = folder.appending(kind.name.components)
    guard let status = try library.root.status(of: path), status.kind == .file else { return nil }
    let bytes = try library.root.open(path, .read).read(status.size, at: 0)
    return try? JSONDecoder().decode(Journal.self, from: Data(bytes))
  }

  /// Which files a change puts where, so that a crash in the middle can be taken back.
  struct Journal: Codable {
    struct Item: Codable {
      /// The file's name in the staging folder.
      var name: String?
      var path: String
      var md5: String

      init(_ file: Change.StagedFile) {
        name = file.name
        path = file.path
        md5 = file.md5.description
      }
    }
    var files: [Item]
  }
}

extension LibraryWriter {
  private static let logger = Logger(label: "smilepile.library")

  /// Finishes or removes what a writer left that did not come to its end.
  func recover() throws {
    if try library.root.status(of: Staging.folder) != nil {
      for name in try library.root.directory(Staging.folder).names() where Staging.isChange(name) {
        let wasMade: Bool
        do {
          guard let result = try finish(name.string) else { continue }
          wasMade = result
        } catch let error as FileError {
          // what cannot be read or reached stays for the next start; the rows are whole without it
          Self.logger.warning(
            "what a change left that was cut short could not be tidied away; the next start tries again",
            metadata: ["library": "\(library.path)", "reason": "\(error)"])
          continue
        }
        Self.logger.notice(
          wasMade
            ? "tidied up after a change that was cut short once it was made"
            : "took back a change that was cut short before it was made",
          metadata: ["library": "\(library.path)", "change": "\(name)"])
      }
    }
    do {
      try settleReplacedPhotos()
    } catch {
      // the photos are where their rows say; on a full disk it waits for room
      Self.logger.warning(
        "the files of replaced photos could not be tidied away; the next start tries again",
        metadata: ["library": "\(library.path)", "reason": "\(error)"])
    }
  }

  /// Brings one change to its end. Its id in the database means done; otherwise the files that its journal
  /// names are removed. Then the staging folder goes.
  ///
  /// - Returns: whether the change was made; nil if nothing of it was left, or a photo still needs what is.
  @discardableResult
  func finish(_ changeId: String) throws -> Bool? {
    let folder = Staging.folder.appending(changeId)
    guard try library.root.status(of: folder)?.kind == .directory else { return nil }
    let names = try library.root.directory(folder).names()
    guard names.isEmpty || names.contains(where: Staging.isOwn) else { return nil }
    let isCommitted = try library.read { database in
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT * FROM change WHERE id = ?)", arguments: [changeId]) ?? false
    }
    if !isCommitted {
      guard try finishHealing(changeId, in: folder) else { return nil }
      let journal: Staging.Journal? = try Staging.journal(.change, in: folder, of: library)
      let items = journal?.files ?? []
      for item in items { try removeUncommitted(item, stagedIn: folder) }
      syncFolders(of: items)
    }
    try removeStaging(changeId)
    return isCommitted
  }

  /// Makes removals durable before the journal goes, which after a power cut could otherwise outlive it. Not worth
  /// a failure: what would come back is a file that `verify` names.
  private func syncFolders(of items: [Staging.Journal.Item]) {
    let paths = items.map { FilePath($0.path) }.filter { $0.isRelative && $0.starts(with: "photos") }
    for folder in Set(paths.map { $0.removingLastComponent() }) {
      // the folder may be gone with its last file, and those above it
      for count in stride(from: folder.components.count, to: 0, by: -1) {
        guard let found = try? library.root.directory(FilePath(root: nil, folder.components.prefix(count)))
        else {
          continue
        }
        try? found.sync()
        break
      }
    }
  }

  func removeStaging(_ changeId: String) throws {
    let folder = Staging.folder.appending(changeId)
    guard try library.root.status(of: folder)?.kind == .directory else { return }
    for name in try library.root.directory(folder).names() where Staging.isNumber(name) {
      try library.root.removeFolder(folder.appending(name.components), of: Staging.isStaged)
    }
    try library.root.removeFolder(folder, of: Staging.isOwn)
  }

  /// Removes a file that a change moved into place and did not commit. The journal names it; that it is a photo's
  /// place, that its bytes are those of the journal, that no row has it, and that it is not still in the staging
  /// folder (a stranger's is in its place then) is asked too, since nothing brings a photo back.
  private func removeUncommitted(_ item: Staging.Journal.Item, stagedIn folder: FilePath) throws {
    let path = FilePath(item.path)
    guard path.string == item.path, path.starts(with: "photos"), path.lexicallyNormalized() == path else {
      return
    }
    guard let status = try library.root.status(of: path) else {
      return try library.root.removeEmptyFolders(above: path)
    }
    guard status.kind == .file else { return }
    if let name = item.name.map({ FilePath($0) }), name.isRelative, name.lexicallyNormalized() == name,
      let staged = try library.root.status(of: folder.appending(name.components)),
      staged.identity != status.identity
    {
      // an empty one is the name that was reserved for the file, where the file system has no better way
      guard status.size == 0, staged.size > 0 else { return }
      try library.root.remove(path)
      return try library.root.removeEmptyFolders(above: path)
    }
    let hasRow = try library.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT * FROM photo WHERE path = ?1 AND NOT isFromAssets)
            OR EXISTS (SELECT * FROM replacedPhoto WHERE path = ?1)
          """, arguments: [item.path]) ?? false
    }
    let digest = try MD5Digest.ofFile(library.root.open(path, .read)).digest
    guard !hasRow, digest.description == item.md5 else { return }
    try library.root.remove(path)
    try library.root.removeEmptyFolders(above: path)
  }
}

extension Directory {
  /// Removes the files of a folder that are this program's own, and the folder if that leaves it empty. Nothing else
  /// is touched: what a person put there stays.
  func removeFolder(_ folder: FilePath, of isOwn: (FilePath) -> Bool) throws(FileError) {
    guard try status(of: folder)?.kind == .directory else { return }
    do {
      let inner = try directory(folder)
      for name in try inner.names() where isOwn(name) {
        if try inner.status(of: name)?.kind == .file { try inner.remove(name) }
      }
    }
    do {
      try removeDirectory(folder)
    } catch {
      // ENOTEMPTY, or EEXIST on some file systems: rmdir(2)
      guard [.directoryNotEmpty, .fileExists].contains(error.errno) else { throw error }
    }
  }

  /// Makes a folder and those above it, and makes each durable in the one that holds it. Those that are there may
  /// have been made by a run that was cut short before it did so.
  func makeDirectories(_ path: FilePath, sync: Bool = true) throws(FileError) {
    var made = FilePath()
    for component in path.components {
      let parent = made
      made.append(component)
      try makeDirectory(made)
      guard sync else { continue }
      if parent.isEmpty { try self.sync() } else { try directory(parent).sync() }
    }
  }

  /// Removes the folders above a file, up to but not including the topmost, as long as they are empty.
  func removeEmptyFolders(above path: FilePath) throws(FileError) {
    var folder = path.removingLastComponent()
    while folder.components.count > 1 {
      do {
        try removeDirectory(folder)
      } catch {
        // ENOTEMPTY, or EEXIST on some file systems: rmdir(2); ENOTDIR where a stranger put something else
        guard [.directoryNotEmpty, .fileExists, .notDirectory].contains(error.errno) else { throw error }
        return
      }
      folder = folder.removingLastComponent()
    }
  }
}
