import FileSystem
import Operations
import SystemPackage

/// A ZIP archive whose directory was read and validated without libzip. The check of libzip ignores overlapping
/// entries, names and flags, and libzip does not return the offset of an entry's data.
///
/// The file stays open as long as a copy of the value exists. Every `EntryReader` reads from this open file, so it
/// reads what was scanned even if the path is renamed or replaced.
package struct Archive: Sendable {
  /// The path of the archive when it was opened.
  package let path: FilePath
  /// The length of the file, in bytes.
  package let size: Int
  /// The entries in the order of the directory.
  package let entries: [Entry]
  let file: OpenFile
  /// The status of the file when it was opened.
  package var status: FileStatus { file.status }

  /// Opens a file by a path that the user gave, following symbolic links, and reads its directory and local headers.
  /// Blocks; decompresses and writes nothing. Memory is that of the directory, which `limits` bounds.
  /// - Throws: if the file cannot be opened, is not a single ZIP archive, or contradicts itself, or if an entry is a
  ///   special file or has an unsafe name. Damaged data of an entry is found only when the entry is read.
  package init(path: FilePath, limits: Limits = Limits()) throws(ArchiveError) {
    try self.init(OpenFile(path), limits: limits)
  }

  /// Reads the directory and the local headers of a file that is open for reading, as `init(path:limits:)`.
  package init(_ file: consuming File, limits: Limits = Limits()) throws(ArchiveError) {
    try self.init(OpenFile(file), limits: limits)
  }

  /// Reads the directory of an open file.
  init(_ file: OpenFile, limits: Limits) throws(ArchiveError) {
    let path = file.file.path
    let size = file.status.size
    guard size > 0 else { throw .emptyFile(path) }
    let end = try DirectoryEnd.find(in: file.file, size: size)
    var scan = try DirectoryScan.read(file.file, end: end, fileSize: size, limits: limits)
    var headers = LocalHeaderScan(path: path, directoryOffset: end.offset)
    try headers.check(&scan, in: file.file)
    entries = scan.entries
    self.path = path
    self.size = size
    self.file = file
  }

  /// Throws `ArchiveError.changed` if another program has written to the file since it was opened. Blocks.
  package func requireUnchanged() throws(ArchiveError) {
    let now = try ArchiveError.onFile { () throws(FileError) in try file.file.status() }
    // a new name or other permissions do not concern the readers
    guard now.size == status.size, now.modified == status.modified else { throw .changed(path) }
  }

  /// Returns true if an entry belongs to this archive.
  func contains(_ entry: Entry) -> Bool {
    entries.indices.contains(entry.index) && entries[entry.index] == entry
  }

  /// Returns true if a file begins like an archive: with an entry, with the end of an empty archive, or with the
  /// signature of a split archive and an entry. Reads eight bytes; blocks. APPNOTE 4.3.7, 4.3.16, 8.5.4.
  package static func isArchive(_ file: borrowing File) throws(ArchiveError) -> Bool {
    let buffer = try RecordBuffer(reading: 8, of: file, at: 0)
    guard buffer.count == 8 else { return false }
    switch buffer.bytes.u32(0) {
    case Signature.localHeader, Signature.end: return true
    case Signature.descriptor, Signature.temporarySpanning:
      return buffer.bytes.u32(4) == Signature.localHeader
    default: return false
    }
  }

  /// Returns true if a file ends with the end record of an archive without a comment. Reads four bytes; blocks. APPNOTE
  /// 4.3.16.
  package static func hasEnd(_ file: borrowing File) throws(FileError) -> Bool {
    let size = try file.status().size
    guard size >= RecordLength.end else { return false }
    let bytes = try file.read(4, at: size - RecordLength.end)
    return bytes.count == 4 && bytes.withUnsafeBytes { $0.u32(0) } == Signature.end
  }

  /// Returns whether a file begins with the local header of an encrypted entry. APPNOTE 4.4.4.
  static func beginsEncrypted(_ file: borrowing File) throws(ArchiveError) -> Bool {
    let buffer = try RecordBuffer(reading: 8, of: file, at: 0)
    guard buffer.count == 8, buffer.bytes.u32(0) == Signature.localHeader else { return false }
    return buffer.bytes.u16(6) & 1 != 0
  }
}
