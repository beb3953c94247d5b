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

  /// Reads an entry to its end; passes the bytes to `take` piece by piece.
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
}
