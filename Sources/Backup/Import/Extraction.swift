import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import Zip

/// Brings photo files out of a backup into a change's staging folder, on several threads. Every byte is counted
/// and hashed on its way, so that what is staged is what the backup's metadata promised.
final class Extraction: Sendable {
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
    /// Its name in the staging folder.
    var stagedName = ""
  }

  let source: BackupSource
  let files: [Item]
  let change: Change
  let counter: ProgressCounter
  private let damaged = Mutex<[Item: String]>([:])

  init(source: BackupSource, files: [Item], change: Change, counter: ProgressCounter) {
    self.source = source
    self.files = files
    self.change = change
    self.counter = counter
  }

  /// Extracts all files.
  ///
  /// - Returns: which files are damaged, and how; nothing of them stays staged.
  /// - Throws: what keeps the others from being extracted, as a full disk or a cancellation.
  func run(_ readers: Readers) throws -> [Item: String] {
    let source = source
    try SideBySide.read(
      0..<files.count, readers, files: 2, context: { try Reader(source) }
    ) { index, reader in
      let item = self.files[index]
      try self.counter.checkCancellation()
      self.counter.advance(current: source.photos[item.source].record.name)
      return try reader.photo(item, of: self)
    }
    return damaged.withLock { $0 }
  }

  /// Leaves a photo out, and takes back what was staged of it.
  func giveUp(_ photo: ExtractedPhoto, _ reason: String) throws {
    try change.unstage(photo.item.stagedName)
    damaged.withLock { $0[photo.item] = reason }
    counter.advance(items: 1, bytes: photo.item.size - photo.count)
  }

  /// What one thread needs.
  private struct Reader: ~Copyable {
    private let source: BackupSource
    /// For what is expanded or decrypted.
    private var entries: ChainReader

    /// - Throws: if an archive has changed since it was opened.
    init(_ source: BackupSource) throws {
      self.source = source
      entries = try ChainReader(source)
    }

    /// A photo that is to be read side by side with others; nil for one that had to be expanded or decrypted, and has
    /// been extracted.
    mutating func photo(_ item: Item, of extraction: Extraction) throws -> ExtractedPhoto? {
      let output = try extraction.change.stage(item.stagedName)
      let content = source.photos[item.source].content
      if case .file(let path, _, _) = content {
        let file = LooseFile(path)
        return ExtractedPhoto(item, to: output, of: extraction) { try file.read(into: $0) }
      }
      guard let (entry, holder, archive) = source.place(of: content) else {
        let photo = ExtractedPhoto(item, to: output, of: extraction)
        try photo.fail(ExtractedPhoto.Damage(reason: "it has no file"))
        return nil
      }
      if var plain = try PlainEntry(entry, of: archive) {
        return ExtractedPhoto(item, to: output, of: extraction) { try plain.read(into: $0) }
      }
      try extract(entry, of: archive, in: holder, as: ExtractedPhoto(item, to: output, of: extraction))
      return nil
    }

    private mutating func extract(
      _ entry: Entry, of archive: Archive, in holder: BackupSource, as photo: ExtractedPhoto
    ) throws {
      var hash = RunningMD5()
      do {
        try entries.read(entry, of: archive, in: holder) { bytes in
          try photo.take(bytes)
          hash.update(bytes)
        }
        try photo.finish(hash.digest)
      } catch {
        try photo.fail(error)
      }
    }
  }
}

/// A photo file beside a backup. One that cannot be read is that photo's misfortune alone.
private final class LooseFile {
  private let path: FilePath
  private var opened: SharedFile.Open?
  private var position = 0

  init(_ path: FilePath) { self.path = path }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      let file = if let opened { opened } else { SharedFile.Open(try File.open(path, .readFollowingLinks)) }
      opened = file
      let count = try file.file.read(into: buffer, at: position)
      position += count
      return count
    } catch {
      throw ExtractedPhoto.Damage(reason: error.description)
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
