import FileSystem
import Secrets

/// Writes a ZIP archive: stored entries whose bytes the caller places in the file, and deflated texts. Add the
/// entries, then `write`; nothing happens before. Local headers carry sizes and CRC, there are no data descriptors and
/// no directory entries, and ZIP64 is used only where a number needs it.
///
/// With a password every entry is encrypted, by WinZip's AES with keys of 256 bits through libzip, and all bytes are
/// written by this type, those of placed entries too. Names, dates, sizes and, as libzip writes them, CRCs stay
/// readable.
package struct ArchiveWriter {
  /// Renders a text, piece by piece.
  package typealias Text = (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  private let password: Secret?
  private var entries: [NewEntry] = []
  private var names: Set<String> = []

  /// Starts an archive, encrypted if there is a password. Nothing is written yet.
  /// - Throws: `ArchiveWriteError.password` for one that is empty or that C would cut short.
  package init(password: Secret? = nil) throws(ArchiveWriteError) {
    if password?.withBytes({ $0.isEmpty || $0.contains(0) }) == true { throw .password }
    self.password = password
  }

  /// Adds a stored entry of `size` bytes, which `PlacedContents` will give under the next index.
  /// `modified` is in milliseconds since 1970; ZIP keeps it as local time, in steps of two seconds,
  /// between 1980 and 2107.
  package mutating func addPlaced(
    _ name: String, size: Int, modified: Int64
  ) throws(ArchiveWriteError) {
    try add(NewEntry(name: name, modified: modified, contents: .placed(size: size)))
  }

  /// Adds a deflated entry of less than 4 GiB. `text` is called during `write`, after the bytes of every entry added
  /// before it have been handed over; what it throws ends `write`.
  package mutating func addText(
    _ name: String, modified: Int64, _ text: @escaping Text
  ) throws(ArchiveWriteError) {
    try add(NewEntry(name: name, modified: modified, contents: .text(text)))
  }

  private mutating func add(_ entry: NewEntry) throws(ArchiveWriteError) {
    let name = entry.name.utf8
    guard !name.isEmpty, name.count < Int(UInt16.max), name.last != UInt8(ascii: "/"), !name.contains(0)
    else { throw .name(entry.name) }
    guard names.insert(entry.name).inserted else { throw .duplicate(entry.name) }
    entries.append(entry)
  }

  /// The bytes of a local header of an entry of this name that needs no ZIP64 (APPNOTE.TXT, 4.3.7).
  package static func headerSize(_ name: String) -> Int { RecordLength.localHeader + name.utf8.count }

  /// Empties `file`, writes the archive into it from offset 0 and returns the archive's size in bytes. Blocks until
  /// all is written but the bytes of placed entries that are not encrypted, which may then still be on their way, as
  /// far as `placed` has not written them. Nothing is synced.
  ///
  /// `isCancelled` is asked before every piece of data. Throws what `placed` or a text threw, `FileError`
  /// for the file, `CancellationError`, or `ArchiveWriteError`; the file then holds no archive.
  package func write(
    to file: borrowing File, placed: any PlacedContents, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    guard !entries.isEmpty else { throw ArchiveWriteError.empty }
    // never for an empty file: after a truncation to nothing, ext4 waits for the disk in close(2)
    if try file.status().size > 0 { try file.resize(to: 0) }
    if let password {
      return try EncryptedArchive.write(entries, password, to: file, placed, isCancelled)
    }
    var archive = PlainArchive()
    return try archive.write(entries, to: file, placed, isCancelled)
  }
}
