import FileSystem
import Secrets

/// Writes a ZIP archive: stored entries whose bytes the caller places in the file, and deflated texts. The caller adds
/// the entries and then calls `write`; nothing is written before.
///
/// Local headers contain sizes and CRC. There are no data descriptors and no entries of folders. ZIP64 is used only if
/// a number needs it.
///
/// With a password, libzip encrypts every entry with WinZip's AES-256, and this type writes all bytes, including those
/// of placed entries. Names, dates, sizes and the CRCs that libzip writes are not encrypted.
package struct ArchiveWriter {
  /// Writes a text in pieces.
  package typealias Text = (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  private let password: Secret?
  private var entries: [NewEntry] = []
  private var names: Set<String> = []

  /// Makes a writer of an archive, encrypted if there is a password. Writes nothing.
  /// - Throws: `ArchiveWriteError.password` if the password is empty or contains a zero byte.
  package init(password: Secret? = nil) throws(ArchiveWriteError) {
    if password?.withBytes({ $0.isEmpty || $0.contains(0) }) == true { throw .password }
    self.password = password
  }

  /// Adds a stored entry of `size` bytes, which `PlacedContents` provides under the next index. `modified` is in
  /// milliseconds since 1970; ZIP stores it as local time between 1980 and 2107, in steps of two seconds.
  package mutating func addPlaced(
    _ name: String, size: Int, modified: Int64
  ) throws(ArchiveWriteError) {
    try add(NewEntry(name: name, modified: modified, contents: .placed(size: size)))
  }

  /// Adds a deflated entry of less than 4 GiB. `write` calls `text` after it has processed the entries added before,
  /// and throws what `text` throws.
  ///
  /// - Parameter isCompressed: true to store the bytes as they are, since they are compressed already. An encrypted archive
  ///   deflates them nevertheless.
  package mutating func addText(
    _ name: String, modified: Int64, isCompressed: Bool = false, _ text: @escaping Text
  ) throws(ArchiveWriteError) {
    try add(NewEntry(name: name, modified: modified, contents: .text(text, isCompressed: isCompressed)))
  }

  private mutating func add(_ entry: NewEntry) throws(ArchiveWriteError) {
    let name = entry.name.utf8
    guard !name.isEmpty, name.count < Int(UInt16.max), name.last != UInt8(ascii: "/"), !name.contains(0)
    else { throw .name(entry.name) }
    guard names.insert(entry.name).inserted else { throw .duplicate(entry.name) }
    entries.append(entry)
  }

  /// Returns the size of the local header of an entry of this name that does not need ZIP64. APPNOTE 4.3.7.
  package static func headerSize(_ name: String) -> Int { RecordLength.localHeader + name.utf8.count }

  /// Truncates `file`, writes the archive from offset 0, and returns its size in bytes. Blocks. If the archive is not
  /// encrypted, `placed` may still be writing the bytes of placed entries when the function returns. Does not sync.
  ///
  /// Calls `isCancelled` before every piece of data. Throws what `placed` or a text throws, `FileError`,
  /// `CancellationError`, or `ArchiveWriteError`; then the file does not contain an archive.
  package func write(
    to file: borrowing File, placed: any PlacedContents, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    guard !entries.isEmpty else { throw ArchiveWriteError.empty }
    // an empty file is not truncated: after a truncation to zero, ext4 waits for the disk in close(2)
    if try file.status().size > 0 { try file.resize(to: 0) }
    if let password {
      return try EncryptedArchive.write(entries, password, to: file, placed, isCancelled)
    }
    var archive = PlainArchive()
    return try archive.write(entries, to: file, placed, isCancelled)
  }
}
