import FileSystem
import Foundation
import Secrets
import Synchronization
import SystemPackage

/// What is known of archives from the last time that they were read, in a file that may be deleted at any time. An
/// archive that was moved, or whose length or date has changed, is read again.
public final class CatalogCache: Sendable {
  private struct Entry: Codable {
    /// What it says, under the path that it has without links.
    var record: ArchiveRecord
    var modified: Int64
    /// When it was last read back whole, in milliseconds since 1970.
    var verifiedAt: Int64?
    /// Something was wrong with it since.
    var isDoubted: Bool?

    /// The inode says nothing: FAT, exFAT and FUSE make up new ones with every mount.
    func isOf(_ status: FileStatus) -> Bool {
      modified == status.modified && record.fileBytes == status.size
    }

    func isOf(_ record: ArchiveRecord) -> Bool { self.record == record.moved(to: self.record.path) }
  }

  private struct Document: Codable {
    var version = CatalogCache.version
    var entries: [Entry] = []
  }

  /// Of another version nothing is taken.
  private static let version = 5
  private static let name: FilePath = "catalog.json"

  private let folder: FilePath
  /// What is known, and the paths of which this process knows something that the file may not say yet.
  private let state: Mutex<(entries: [String: Entry], changed: Set<String>)>

  /// Reads the cache in a folder. What cannot be read is as good as empty. Blocks.
  public init(folder: FilePath) {
    self.folder = folder
    state = Mutex((Self.read(folder), []))
  }

  private static func read(_ folder: FilePath) -> [String: Entry] {
    let data = try? Data(contentsOf: URL(fileURLWithPath: folder.appending(name.components).string))
    let document = data.flatMap { try? JSONDecoder().decode(Document.self, from: $0) }
    let entries = document?.version == version ? document?.entries ?? [] : []
    return Dictionary(entries.map { ($0.record.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// By what a file is known, whatever links lead to it.
  private static func key(_ path: FilePath) -> String { (path.realPath ?? path).absoluteString }

  private func entry(of path: FilePath) -> Entry? {
    let key = Self.key(path)
    return state.withLock { $0.entries[key] }
  }

  /// What is known of a file, nil if it has changed since.
  func record(of path: FilePath, _ status: FileStatus) -> ArchiveRecord? {
    guard let entry = entry(of: path), entry.isOf(status) else { return nil }
    return entry.record.moved(to: path.absoluteString)
  }

  /// When an archive was last read back whole, nil if that is not known, or its file has changed since. Blocks.
  public func verifiedAt(_ record: ArchiveRecord) -> Int64? {
    let path = FilePath(record.path)
    guard let entry = entry(of: path), entry.isOf(record) else { return nil }
    return Self.isUnchanged(path, entry) ? entry.verifiedAt : nil
  }

  /// The same of an archive of which only the path is known. Blocks.
  public func verifiedAt(_ path: FilePath) -> Int64? {
    guard let entry = entry(of: path), Self.isUnchanged(path, entry) else { return nil }
    return entry.verifiedAt
  }

  private static func isUnchanged(_ path: FilePath, _ entry: Entry) -> Bool {
    guard let status = try? File.open(path, .readFollowingLinks).status() else { return false }
    return entry.isOf(status)
  }

  /// Remembers that archives were read back whole. Blocks; what cannot be written is not remembered.
  public func noteVerified(_ paths: [String], at moment: Int64) {
    change(paths.map { FilePath($0) }) { entry in
      entry.verifiedAt = moment
      entry.isDoubted = nil
    }
  }

  /// Changes what is known of archives that are known, and writes it.
  private func change(_ paths: [FilePath], _ body: (inout Entry) -> Void) {
    let keys = paths.map(Self.key)
    state.withLock { state in
      for key in keys {
        guard var entry = state.entries[key] else { continue }
        body(&entry)
        state.entries[key] = entry
        state.changed.insert(key)
      }
    }
    save()
  }

  /// Remembers that archives, which nobody may have looked at yet, were just read back whole, as
  /// `noteVerified(_:)` of what they say of themselves.
  public func noteVerified(_ paths: [FilePath], password: Secret?) {
    noteVerified(paths.compactMap { try? ArchiveRecord(path: $0, password: password) })
  }

  /// Remembers that archives were just read back whole. Those that are not this project's are not remembered. Blocks; what
  /// cannot be read or written is not remembered either.
  public func noteVerified(_ records: [ArchiveRecord]) {
    var found: [String] = []
    for record in records where record.isOurs && !record.isLocked {
      guard let status = try? File.open(FilePath(record.path), .readFollowingLinks).status(),
        status.size == record.fileBytes
      else { continue }
      note(record, status)
      found.append(record.path)
    }
    noteVerified(found, at: Date().milliseconds)
  }

  /// Forgets that archives were read back, since there is reason to doubt them. Blocks.
  public func doubt(_ paths: [FilePath]) {
    change(paths) { entry in
      entry.verifiedAt = nil
      entry.isDoubted = true
    }
  }

  /// Notes that archives were restored from, of which there was reason to doubt that. Blocks.
  public func trust(_ paths: [FilePath]) { change(paths) { $0.isDoubted = nil } }

  /// Whether there is reason to doubt an archive that nobody has read back since.
  public func isDoubted(_ record: ArchiveRecord) -> Bool {
    entry(of: FilePath(record.path)).map { $0.isOf(record) && $0.isDoubted == true } ?? false
  }

  /// The same of an archive of which only the path is known. Blocks.
  public func isDoubted(_ path: FilePath) -> Bool {
    guard let entry = entry(of: path), entry.isDoubted == true else { return false }
    return Self.isUnchanged(path, entry)
  }

  /// Remembers what an archive says. Of one that is as it was, what is known besides stays.
  func note(_ record: ArchiveRecord, _ status: FileStatus) {
    let key = Self.key(FilePath(record.path))
    state.withLock {
      if let known = $0.entries[key], known.isOf(status), known.isOf(record) { return }
      $0.entries[key] = Entry(record: record.moved(to: key), modified: status.modified)
      $0.changed.insert(key)
    }
  }

  /// Forgets what is no longer in a folder, and writes the rest.
  func save(keeping archives: [ArchiveRecord], of folder: FilePath) {
    let kept = Set(archives.map { Self.key(FilePath($0.path)) })
    let prefix = Self.key(folder)
    state.withLock { state in
      for path in state.entries.keys
      where !kept.contains(path) && FilePath(path).removingLastComponent().string == prefix {
        state.entries[path] = nil
        state.changed.insert(path)
      }
    }
    save()
  }

  /// Writes what this process has learnt into what others have written since.
  private func save() {
    guard state.withLock({ !$0.changed.isEmpty }) else { return }
    try? FileManager.default.createDirectory(
      atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = try? FolderLock(folder, exclusive: true, waiting: .seconds(5))
    defer { withExtendedLifetime(lock) {} }
    let (entries, changed) = state.withLock { state in
      var entries = Self.read(folder)
      for path in state.changed { entries[path] = state.entries[path] }
      defer { state = (entries, []) }
      return (entries, state.changed)
    }
    do {
      let document = Document(entries: entries.values.sorted { $0.record.path < $1.record.path })
      try ReplacedFile.write([UInt8](JSONEncoder().encode(document)), as: Self.name, in: folder)
    } catch {
      // this process goes on knowing it
      state.withLock { $0.changed.formUnion(changed) }
    }
  }
}
