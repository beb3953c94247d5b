import FileSystem
import Foundation
import Secrets
import Synchronization
import SystemPackage

/// What is known of archives from the last time that they were read, in a file that may be deleted at any time. An
/// archive that was moved, or whose length or date has changed, is read again.
public final class CatalogCache: Sendable {
  private struct Entry: Codable {
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
  }

  private struct Document: Codable {
    var version = CatalogCache.version
    var entries: [Entry] = []
  }

  /// Of another version nothing is taken.
  private static let version = 4
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

  /// What is known of a file, nil if it has changed since.
  func record(of path: FilePath, _ status: FileStatus) -> ArchiveRecord? {
    state.withLock { state in
      guard let entry = state.entries[path.absoluteString], entry.isOf(status) else { return nil }
      return entry.record
    }
  }

  /// When an archive was last read back whole, nil if that is not known, or its file has changed since. Blocks.
  public func verifiedAt(_ record: ArchiveRecord) -> Int64? {
    let entry = state.withLock { $0.entries[record.path] }
    guard let entry, let moment = entry.verifiedAt, entry.record == record,
      let status = try? File.open(FilePath(record.path), .readFollowingLinks).status(), entry.isOf(status)
    else { return nil }
    return moment
  }

  /// Remembers that archives were read back whole. Blocks; what cannot be written is not remembered.
  public func noteVerified(_ paths: [String], at moment: Int64) {
    state.withLock { state in
      for path in paths where state.entries[path] != nil {
        state.entries[path]?.verifiedAt = moment
        state.entries[path]?.isDoubted = nil
        state.changed.insert(path)
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
    state.withLock { state in
      for path in paths.map(\.absoluteString) where state.entries[path] != nil {
        state.entries[path]?.verifiedAt = nil
        state.entries[path]?.isDoubted = true
        state.changed.insert(path)
      }
    }
    save()
  }

  /// Notes that archives were restored from, of which there was reason to doubt that. Blocks.
  public func trust(_ paths: [FilePath]) {
    state.withLock { state in
      for path in paths.map(\.absoluteString) where state.entries[path]?.isDoubted != nil {
        state.entries[path]?.isDoubted = nil
        state.changed.insert(path)
      }
    }
    save()
  }

  /// Whether there is reason to doubt an archive that nobody has read back since.
  public func isDoubted(_ record: ArchiveRecord) -> Bool {
    state.withLock { state in
      state.entries[record.path].map { $0.record == record && $0.isDoubted == true } ?? false
    }
  }

  /// The same of an archive of which only the path is known. Blocks.
  public func isDoubted(_ path: FilePath) -> Bool {
    let entry = state.withLock { $0.entries[path.absoluteString] }
    guard let entry, entry.isDoubted == true, let status = try? File.open(path, .readFollowingLinks).status()
    else { return false }
    return entry.isOf(status)
  }

  /// Remembers what an archive says. Of one that is as it was, what is known besides stays.
  func note(_ record: ArchiveRecord, _ status: FileStatus) {
    state.withLock {
      if let known = $0.entries[record.path], known.isOf(status), known.record == record { return }
      $0.entries[record.path] = Entry(
        record: record, modified: status.modified)
      $0.changed.insert(record.path)
    }
  }

  /// Forgets what is no longer in a folder, and writes the rest.
  func save(keeping archives: [ArchiveRecord], of folder: FilePath) {
    let kept = Set(archives.map(\.path))
    let prefix = folder.absoluteString
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
