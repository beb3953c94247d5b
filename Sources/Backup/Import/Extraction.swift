import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import Zip

/// Brings photo files out of a backup into a change's staging folder, on several threads. Every byte is counted
/// and hashed on its way, so that what is staged is what the backup's metadata promised.
struct Extraction {
  /// A file to bring.
  struct Item: Hashable, Sendable {
    /// The new photo's id.
    var id: Int64
    /// Which of the backup's photos.
    var source: Int
    /// Its length in bytes.
    var size: Int
    /// Its MD5.
    var md5: MD5Digest
    /// The date that the file gets, in milliseconds since 1970.
    var modified: Int64

    /// Its name in the staging folder; nothing of the archive's.
    var stagedName: String { String(source) }
  }

  let source: BackupSource
  let files: [Item]
  let change: Change
  let counter: ProgressCounter

  /// Extracts all files.
  ///
  /// - Returns: which files are damaged, and how; nothing of them stays staged.
  /// - Throws: what keeps the others from being extracted, as a full disk or a cancellation.
  func run(threads: Int) throws -> [Item: String] {
    let damaged = Mutex<[Item: String]>([:])
    let (source, files, change, counter) = (source, files, change, counter)
    try Workers.forEach(
      0..<files.count, threads: threads, context: { try Reader(source) }
    ) { index, reader in
      let item = files[index]
      try counter.checkCancellation()
      counter.advance(current: source.photos[item.source].record.name)
      do {
        try reader.extract(item, to: change.stage(item.stagedName), counter)
      } catch let error as Damage {
        try change.unstage(item.stagedName)
        damaged.withLock { $0[item] = error.reason }
        counter.advance(bytes: item.size - error.bytesCounted)
      }
      counter.advance(items: 1)
    }
    return damaged.withLock { $0 }
  }

  /// One photo of the backup is not what it should be; the others are not concerned.
  private struct Damage: Error {
    var reason: String
    var bytesCounted: Int
  }

  /// What one thread needs.
  private struct Reader: ~Copyable {
    private let source: BackupSource
    private var entries: EntryReader?

    init(_ source: BackupSource) throws {
      self.source = source
      if let archive = source.archive { entries = try source.entryReader(archive) } else { entries = nil }
    }

    mutating func extract(_ item: Item, to file: consuming File, _ counter: ProgressCounter) throws {
      var hash = RunningMD5()
      var offset = 0
      let output = file
      func take(_ bytes: UnsafeRawBufferPointer) throws {
        try counter.checkCancellation()
        guard offset + bytes.count <= item.size else {
          throw Damage(reason: "it is longer than it should be", bytesCounted: offset)
        }
        hash.update(bytes)
        try output.write(bytes, at: offset)
        offset += bytes.count
        counter.advance(bytes: bytes.count)
      }
      switch source.photos[item.source].content {
      case .asset, .absent:
        throw Damage(reason: "it has no file", bytesCounted: 0)
      case .entry(let entry, _):
        do {
          try entries?.read(entry, take)
        } catch let error as ArchiveError {
          guard let reason = error.faultOfOneEntry else { throw error }
          throw Damage(reason: reason, bytesCounted: offset)
        }
      case .file(let path, _, _):
        try copy(path, take)
      }
      let digest = hash.digest
      guard offset == item.size, digest == item.md5 else {
        throw Damage(
          reason: "its MD5 is \(digest) and should be \(item.md5)", bytesCounted: offset)
      }
      try output.setModified(milliseconds: item.modified)
      output.startWriteBack(from: 0, count: offset)
    }

    /// A file that cannot be read is this photo's misfortune alone.
    private func copy(_ path: FilePath, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
      var offset = 0
      func reading<Value: ~Copyable>(_ body: () throws(FileError) -> Value) throws -> Value {
        do {
          return try body()
        } catch {
          throw Damage(reason: error.description, bytesCounted: offset)
        }
      }
      let file = try reading { () throws(FileError) in try File.open(path, .readFollowingLinks) }
      try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 4096) { buffer in
        while true {
          let count = try reading { () throws(FileError) in try file.read(into: buffer, at: offset) }
          if count == 0 { return }
          try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          offset += count
        }
      }
    }
  }
}

extension MergePlan {
  /// The files that the plan brings, with what the backup promises of them.
  func filesToRestore(_ backup: BackupSource) -> [Extraction.Item] {
    restores.compactMap { restore in
      let photo = backup.photos[restore.source]
      guard let size = photo.content.size, let md5 = photo.content.md5 else { return nil }
      return Extraction.Item(
        id: restore.id, source: restore.source, size: size, md5: md5, modified: photo.record.createdAt)
    }
  }
}
