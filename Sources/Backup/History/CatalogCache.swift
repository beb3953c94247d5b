import FileSystem
import Foundation
import Secrets
import Synchronization
import SystemPackage

/// What is known of archives from the last time that they were read, in a file that may be deleted at any time. An
/// archive that was moved, or whose length or date has changed, is read again. Processes share the file: what one of
/// them changes, it changes in what the others have written by then.
public final class CatalogCache: Sendable {
  private struct Entry: Equatable, Codable {
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

    /// Whether it is nothing but what the archive says, of which another knows more.
    func isLess(than other: Entry) -> Bool {
      record == other.record && modified == other.modified && verifiedAt == nil && isDoubted == nil
    }

    func isOf(_ record: ArchiveRecord) -> Bool { self.record == record.moved(to: self.record.path) }
  }

  private struct Document: Codable {
    var version = CatalogCache.version
    var entries: [Entry] = []
  }

  private struct State {
    /// What is known, by path.
    var entries: [String: Entry]
    /// What this process knows and the file does not; nil for what is gone.
    var unsaved: [String: Entry?] = [:]

    /// Takes what the file says for what is known, but for what it does not say yet.
    mutating func takeIn(_ saved: [String: Entry]) {
      entries = saved
      for (path, entry) in unsaved {
        if let entry, let saved = saved[path], entry.isLess(than: saved) { continue }
        entries[path] = entry
      }
    }
  }

  /// Of another version nothing is taken.
  private static let version = 5
  private static let name: FilePath = "catalog.json"

  private let folder: FilePath
  private let state: Mutex<State>

  /// Reads the cache in a folder. What cannot be read is as good as empty. Blocks.
  public init(folder: FilePath) {
    self.folder = folder
    state = Mutex(State(entries: Self.read(folder)))
  }

  private static func read(_ folder: FilePath) -> [String: Entry] {
    let data = try? Data(contentsOf: URL(fileURLWithPath: folder.appending(name.components).string))
    let document = data.flatMap { try? JSONDecoder().decode(Document.self, from: $0) }
    let entries = document?.version == version ? document?.entries ?? [] : []
    return Dictionary(entries.map { ($0.record.path, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

// MARK: What is known

extension CatalogCache {
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
    // one that is not opened says nothing of itself
    guard let entry = entry(of: path), record.isLocked || entry.isOf(record) else { return nil }
    return known(of: path)?.verifiedAt
  }

  /// Whether there is reason to doubt an archive that nobody has read back since.
  public func isDoubted(_ record: ArchiveRecord) -> Bool {
    entry(of: FilePath(record.path)).map { $0.isOf(record) && $0.isDoubted == true } ?? false
  }

  /// Both of an archive of which only the path is known; nil if nothing is, or its file has changed since. Blocks.
  public func known(of path: FilePath) -> (verifiedAt: Int64?, isDoubted: Bool)? {
    guard let entry = entry(of: path),
      let status = try? File.open(path, .readFollowingLinks).status(), entry.isOf(status)
    else { return nil }
    return (entry.verifiedAt, entry.isDoubted == true)
  }
}

// MARK: What is learnt

extension CatalogCache {
  /// Remembers that archives were read back whole. Blocks; what cannot be written, this process alone remembers.
  public func noteVerified(_ paths: [String], at moment: Int64) {
    change(paths.map { FilePath($0) }) { entry in
      entry.verifiedAt = moment
      entry.isDoubted = nil
    }
  }

  /// Remembers that archives, which nobody may have looked at yet, were just read back whole, as
  /// `noteVerified(_:)` of what they say of themselves.
  public func noteVerified(_ paths: [FilePath], password: Secret?) {
    noteVerified(paths.compactMap { try? ArchiveRecord(path: $0, password: password) })
  }

  /// Remembers that archives were just read back whole. Those that are not this project's are not remembered. Blocks; what
  /// cannot be read is not remembered either.
  public func noteVerified(_ records: [ArchiveRecord]) {
    noteVerified(records.filter { note($0) }.map(\.path), at: Date().milliseconds)
  }

  /// Remembers what an archive of this project's says, as it is now, until something is saved. Blocks.
  ///
  /// - Returns: whether it is remembered.
  @discardableResult
  public func note(_ record: ArchiveRecord) -> Bool {
    guard record.isOurs, !record.isLocked,
      let status = try? File.open(FilePath(record.path), .readFollowingLinks).status(),
      status.size == record.fileBytes
    else { return false }
    note(record, status)
    return true
  }

  /// Remembers that all photos in archives were restored from them, and came back. Blocks.
  ///
  /// - Parameters:
  ///   - paths: the archives.
  ///   - moment: when that began.
  ///   - endsDoubt: there was reason to doubt them when it began; if there was none, one that has turned up meanwhile stays.
  public func noteRestored(_ paths: [String], at moment: Int64, endsDoubt: Bool) {
    change(paths.map { FilePath($0) }) { entry in
      guard endsDoubt || entry.isDoubted != true else { return }
      entry.isDoubted = nil
      entry.verifiedAt = max(moment, entry.verifiedAt ?? .min)
    }
  }

  /// Forgets that archives were read back, since there is reason to doubt them. Looks at those that are not known as they
  /// are now; blocks.
  ///
  /// - Parameters:
  ///   - paths: the archives.
  ///   - password: for those that are encrypted.
  public func doubt(_ paths: [FilePath], password: Secret? = nil) {
    for path in paths where known(of: path) == nil {
      if let record = try? ArchiveRecord(path: path, password: password) { note(record) }
    }
    change(paths) { entry in
      entry.verifiedAt = nil
      entry.isDoubted = true
    }
  }

  /// Remembers what an archive says, until `save`. Of one that is as it was, what is known besides stays.
  func note(_ record: ArchiveRecord, _ status: FileStatus) {
    let key = Self.key(FilePath(record.path))
    state.withLock {
      if let known = $0.entries[key], known.isOf(status), known.isOf(record) { return }
      let entry = Entry(record: record.moved(to: key), modified: status.modified)
      $0.entries[key] = entry
      $0.unsaved[key] = entry
    }
  }

  /// Forgets what is no longer in a folder, and writes the rest.
  func save(keeping archives: [ArchiveRecord], of folder: FilePath) {
    let kept = Set(archives.map { Self.key(FilePath($0.path)) })
    let prefix = Self.key(folder)
    func isGone(_ path: String) -> Bool {
      !kept.contains(path) && FilePath(path).removingLastComponent().string == prefix
    }
    guard state.withLock({ !$0.unsaved.isEmpty || $0.entries.keys.contains(where: isGone) }) else { return }
    update { entries in
      for path in entries.keys where isGone(path) { entries[path] = nil }
    }
  }

  /// Changes what is known of archives that are known.
  private func change(_ paths: [FilePath], _ body: (inout Entry) -> Void) {
    // whoever has nothing to say makes no folder, and waits for nobody
    guard !paths.isEmpty else { return }
    let keys = Set(paths.map(Self.key))
    update { entries in
      for key in keys {
        guard var entry = entries[key] else { continue }
        body(&entry)
        entries[key] = entry
      }
    }
  }

  /// Takes in what others have learnt since. Blocks.
  func refresh() {
    let saved = Self.read(folder)
    state.withLock { $0.takeIn(saved) }
  }

  /// Changes what the file says by now, together with what this process has learnt.
  private func update(_ body: (inout [String: Entry]) -> Void) {
    try? FileManager.default.createDirectory(
      atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = try? FolderLock(folder, exclusive: true, waiting: .seconds(5))
    defer { withExtendedLifetime(lock) {} }
    let saved = Self.read(folder)
    let entries = state.withLock { state in
      state.takeIn(saved)
      body(&state.entries)
      return state.entries
    }
    guard entries != saved else { return state.withLock { $0.unsaved = [:] } }
    do {
      let document = Document(entries: entries.values.sorted { $0.record.path < $1.record.path })
      try ReplacedFile.write([UInt8](JSONEncoder().encode(document)), as: Self.name, in: folder)
      state.withLock { $0.unsaved = [:] }
    } catch {
      // this process goes on knowing it
      state.withLock { state in
        for path in Set(saved.keys).union(entries.keys) where entries[path] != saved[path] {
          state.unsaved[path] = .some(entries[path])
        }
      }
    }
  }
}
