import FileSystem
import Operations
import Secrets

/// Writes a ZIP archive: stored entries, and then deflated texts. The caller adds the entries and then calls `write`;
/// nothing is written before.
///
/// Local headers contain sizes and CRC. There are no data descriptors and no entries of folders. ZIP64 is used only if
/// a number needs it.
///
/// With a password, libzip encrypts every entry with WinZip's AES-256. Names, dates, sizes and the CRCs that libzip writes
/// are not encrypted.
package struct ArchiveWriter {
  /// Writes a text in pieces.
  package typealias Text = (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  private let password: Secret?
  private var stored: [NewEntry] = []
  private var texts: [NewEntry] = []
  private var names: Set<String> = []

  /// Makes a writer of an archive, encrypted if there is a password. Writes nothing.
  /// - Throws: `ArchiveWriteError.password` if the password is empty or contains a zero byte.
  package init(password: Secret? = nil) throws(ArchiveWriteError) {
    if password?.withBytes({ $0.isEmpty || $0.contains(0) }) == true { throw .password }
    self.password = password
  }

  /// Adds a stored entry of `size` bytes, which `StoredContents` provides under the next number. ZIP stores `modified`
  /// as local time between 1980 and 2107, in steps of two seconds.
  package mutating func addStored(
    _ name: String, size: Int, modified: Timestamp
  ) throws(ArchiveWriteError) {
    try check(name)
    stored.append(NewEntry(name: name, modified: modified, contents: .stored(size: size)))
  }

  /// Adds a deflated entry of less than 4 GiB. `write` calls `text` after it has written the stored entries and the texts
  /// added before, and throws what `text` throws.
  ///
  /// - Parameter isCompressed: true to store the bytes as they are, since they are compressed already. An encrypted archive
  ///   deflates them nevertheless.
  package mutating func addText(
    _ name: String, modified: Timestamp, isCompressed: Bool = false, _ text: @escaping Text
  ) throws(ArchiveWriteError) {
    try check(name)
    texts.append(
      NewEntry(name: name, modified: modified, contents: .text(text, isCompressed: isCompressed)))
  }

  private mutating func check(_ entry: String) throws(ArchiveWriteError) {
    let name = entry.utf8
    guard !name.isEmpty, name.count < Int(UInt16.max), name.last != UInt8(ascii: "/"), !name.contains(0)
    else { throw .name(entry) }
    guard names.insert(entry).inserted else { throw .duplicate(entry) }
  }

  /// Truncates `file`, writes the archive from offset 0, and returns its size in bytes. Blocks; does not sync.
  ///
  /// Throws what `contents` or a text throws, `FileError`, `CancellationError`, or `ArchiveWriteError`; then the file does not
  /// contain an archive.
  ///
  /// - Parameters:
  ///   - contents: the bytes of the stored entries.
  ///   - startsWriteBack: true to start write-back of finished parts at once, since a sync will follow.
  ///   - isCancelled: called before every piece of a text, and of an encrypted entry.
  package func write(
    to file: borrowing File, stored contents: any StoredContents, startsWriteBack: Bool = false,
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    guard !names.isEmpty else { throw ArchiveWriteError.empty }
    // an empty file is not truncated: after a truncation to zero, ext4 waits for the disk in close(2)
    if try file.status().size > 0 { try file.resize(to: 0) }
    if let password {
      return try EncryptedArchive.write(
        stored + texts, password, to: file, contents, startsWriteBack: startsWriteBack, isCancelled)
    }
    var archive = PlainArchive()
    return try archive.write(stored, contents, startsWriteBack, texts, to: file, isCancelled)
  }
}
