import FileSystem
import Operations
import SystemPackage

/// A ZIP archive whose directory has been read and checked by our own scan. libzip's own check misses
/// overlapping entries, names and flags, and its functions do not say where an entry's data is.
///
/// The file stays open as long as a copy of the value lives, and every `EntryReader` reads from that open
/// file, so that what is read is what was scanned, whatever becomes of the path.
package struct Archive: Sendable {
  /// Where the archive was opened.
  package let path: FilePath
  /// The length of the file, in bytes.
  package let size: Int
  /// The entries in the order of the directory.
  package let entries: [Entry]
  let file: ArchiveFile
  /// The file, for what is asked about its disk.
  package var identity: FileStatus.Identity { file.status.identity }

  /// Opens a file by a path that a person gave, following symbolic links, and reads its directory and the
  /// local headers; nothing is expanded, and nothing is written. Blocks. Memory is that of the directory,
  /// bounded by `limits`.
  /// - Throws: why the file is refused: it cannot be opened, is no archive or not one alone, contradicts
  ///   itself, or holds an entry that is no file or folder or has an unsafe name. What is wrong with the
  ///   data of an entry shows when that is read.
  package init(path: FilePath, limits: Limits = Limits()) throws(ArchiveError) {
    try self.init(ArchiveFile(path), limits: limits)
  }

  /// Reads the directory of an open file.
  init(_ file: ArchiveFile, limits: Limits) throws(ArchiveError) {
    let path = file.file.path
    let size = file.status.size
    guard size > 0 else { throw .emptyFile(path) }
    let end = try DirectoryEnd.find(in: file.file, size: size)
    let scan = try DirectoryScan.read(file.file, end: end, fileSize: size, limits: limits)
    var headers = LocalHeaderScan(path: path, directoryOffset: end.offset)
    entries = try headers.check(scan, in: file.file)
    self.path = path
    self.size = size
    self.file = file
  }

  /// Whether an entry is one of this archive's.
  func holds(_ entry: Entry) -> Bool {
    entries.indices.contains(entry.index) && entries[entry.index] == entry
  }

  /// Whether a file begins as an archive does: with an entry, with the end of an empty archive, or with the
  /// mark of an archive that was to be split, and an entry. Names are never looked at. Reads eight bytes;
  /// blocks. APPNOTE 4.3.7, 4.3.16, 8.5.4.
  package static func isArchive(_ file: borrowing File) throws(ArchiveError) -> Bool {
    var buffer = RecordBuffer(capacity: 8)
    try ArchiveError.onFile { () throws(FileError) in try buffer.fill(8, from: file, at: 0) }
    guard buffer.count == 8 else { return false }
    switch buffer.bytes.u32(0) {
    case Signature.localHeader, Signature.end: return true
    case Signature.descriptor, Signature.temporarySpanning:
      return buffer.bytes.u32(4) == Signature.localHeader
    default: return false
    }
  }
}
