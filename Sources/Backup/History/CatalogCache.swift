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
    var inode: UInt64
    /// When it was last read back whole, in milliseconds since 1970.
    var verifiedAt: Int64?
    /// Something was wrong with it since.
    var isDoubted: Bool?
  }

  private struct Document: Codable {
    var version = CatalogCache.version
    var entries: [Entry] = []
  }

  /// Of another version nothing is taken.
  private static let version = 3
  private static let name: FilePath = "catalog.json"

  private let folder: FilePath
  private let state: Mutex<(entries: [String: Entry], isChanged: Bool)>

  /// Reads the cache in a folder. What cannot be read is as good as empty. Blocks.
  public init(folder: FilePath) {
    self.folder = folder
    let data = try? Data(contentsOf: URL(fileURLWithPath: folder.appending(Self.name.components).string))
    let document = data.flatMap { try? JSONDecoder().decode(Document.self, from: $0) }
    let entries = document?.version == Self.version ? document?.entries ?? [] : []
    state = Mutex(
      (Dictionary(entries.map { ($0.record.path, $0) }, uniquingKeysWith: { first, _ in first }), false))
  }

  /// What is known of a file, nil if it has changed since.
  func record(of path: FilePath, _ status: FileStatus) -> ArchiveRecord? {
    state.withLock { state in
      guard let entry = state.entries[path.absoluteString], entry.modified == status.modified,
        entry.inode == status.identity.inode, entry.record.fileBytes == status.size
      else { return nil }
      return entry.record
    }
  }

  /// When an archive was last read back whole, nil if that is not known, or it has changed since.
  public func verifiedAt(_ record: ArchiveRecord) -> Int64? {
    state.withLock { state in
      state.entries[record.path].flatMap { $0.record == record ? $0.verifiedAt : nil }
    }
  }

  /// Remembers that archives were read back whole. Blocks; what cannot be written is not remembered.
  public func noteVerified(_ paths: [String], at moment: Int64) {
    state.withLock { state in
      for path in paths where state.entries[path] != nil {
        state.entries[path]?.verifiedAt = moment
        state.entries[path]?.isDoubted = nil
        state.isChanged = true
      }
    }
    save()
  }

  /// Remembers that archives, which nobody may have looked at yet, were just read back whole. Those that are not this
  /// project's are not remembered. Blocks; what cannot be read or written is not remembered either.
  public func noteVerified(_ paths: [FilePath], password: Secret?) {
    var found: [String] = []
    for path in paths {
      guard let record = try? ArchiveRecord(path: path, password: password), record.isOurs, !record.isLocked,
        let status = try? File.open(path, .readFollowingLinks).status()
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
        state.isChanged = true
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

  func note(_ record: ArchiveRecord, _ status: FileStatus) {
    state.withLock {
      $0.entries[record.path] = Entry(
        record: record, modified: status.modified, inode: status.identity.inode)
      $0.isChanged = true
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
        state.isChanged = true
      }
    }
    save()
  }

  private func save() {
    let data = state.withLock { state -> Data? in
      guard state.isChanged else { return nil }
      state.isChanged = false
      let entries = state.entries.values.sorted { $0.record.path < $1.record.path }
      return try? JSONEncoder().encode(Document(entries: entries))
    }
    guard let data else { return }
    try? FileManager.default.createDirectory(
      atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? ReplacedFile.write([UInt8](data), as: Self.name, in: folder)
  }
}
