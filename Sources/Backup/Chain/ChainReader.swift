import FileSystem
import SystemPackage
import Zip

/// Decompresses and decrypts entries of a backup and of its chain, for one thread.
struct ChainReader: ~Copyable {
  /// The reader of the most recent archive.
  private var entries: EntryReader?
  private var path: FilePath?

  /// - Throws: `ArchiveError` if an archive has changed since it was opened.
  init(_ source: OpenedBackup) throws(ArchiveError) {
    for base in source.chain?.bases ?? [] {
      guard let archive = base.archive else { continue }
      _ = try base.entryReader(archive)
    }
    guard let archive = source.archive else { return }
    entries = try source.entryReader(archive)
    path = archive.path
  }

  /// Reads an entry to its end; passes the bytes to `take` piece by piece. See `EntryReader.read(_:_:)`.
  mutating func read(
    _ entry: Entry, of archive: Archive, in holder: OpenedBackup,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    if path != archive.path {
      entries = try holder.entryReader(archive)
      path = archive.path
    }
    try entries?.read(entry, take)
  }

  /// Reads the bytes of a photo to their end, from an archive of the chain or from a file.
  ///
  /// - Returns: why the bytes cannot be read, or are corrupt; nil if all were read.
  /// - Throws: what `take` throws; an error that concerns all photos.
  mutating func read(
    _ location: PhotoLocation, of source: OpenedBackup,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> String? {
    do {
      if case .file(let path, _, _) = location {
        try File.readPieces(
          opening: { () throws(FileError) in try File.open(path, .readFollowingLinks) }, take)
      } else if let (entry, holder, archive) = source.entry(of: location) {
        try read(entry, of: archive, in: holder, take)
      } else {
        return "it has no file"
      }
      return nil
    } catch let error as File.Unreadable {
      return "\(error.error)"
    } catch let error as ArchiveError {
      guard let fault = error.faultOfOneEntry else { throw error }
      return fault
    }
  }
}
