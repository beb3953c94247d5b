import CLibZip
import FileSystem
import Secrets
import SystemPackage

/// Writes a ZIP archive through libzip: stored entries whose bytes the caller places in the file, and
/// deflated texts. Add the entries, then `write`; libzip reads and writes only then. Local headers carry
/// sizes and CRC, there are no data descriptors and no directory entries, and ZIP64 is used only where a
/// number needs it. A writer that is not used to the end frees what it holds and has touched no file.
///
/// With a password every entry is encrypted, by WinZip's AES with keys of 256 bits, and all bytes are written by
/// this type, those of placed entries too. Names, dates, sizes and, as libzip writes them, CRCs stay readable.
public struct ArchiveWriter: ~Copyable {
  private let handle: WriteHandle
  private let session: WriteSession
  private var placedCount = 0
  private var entryCount = 0

  /// Starts an archive, encrypted if there is a password. Nothing is written yet.
  /// - Throws: also `ArchiveWriteError.password` for one that is empty or that C would cut short.
  public init(password: Secret? = nil) throws(ArchiveWriteError) {
    session = WriteSession(password: password)
    handle = try WriteHandle(session)
  }

  /// Adds a stored entry of `size` bytes, which `PlacedContents` will give under the next index.
  /// `modified` is in milliseconds since 1970; ZIP keeps it as local time, in steps of two seconds,
  /// between 1980 and 2107.
  public mutating func addPlaced(
    _ name: String, size: Int, modified: Int64
  ) throws(ArchiveWriteError) {
    try add(name, modified: modified, .placed(index: placedCount, size: size))
    placedCount += 1
  }

  /// Adds a deflated entry. `contents` is called during `write`, when libzip reaches the entry, so after
  /// the bytes of every entry added before it have been handed over; what it throws ends `write`.
  public mutating func addText(
    _ name: String, modified: Int64, contents: @escaping () throws -> [UInt8]
  ) throws(ArchiveWriteError) {
    try add(name, modified: modified, .text(contents))
  }

  private mutating func add(
    _ name: String, modified: Int64, _ contents: EntrySource.Contents
  ) throws(ArchiveWriteError) {
    guard !name.isEmpty, name.utf8.count < Int(UInt16.max), name.utf8.last != UInt8(ascii: "/"),
      !name.utf8.contains(0)
    else { throw .name(name) }
    let source = EntrySource(session, entry: UInt64(entryCount), contents)
    let isDisguised = contents.isPlaced && !session.isEncrypted
    let method = isDisguised ? StoredDisguise.method : contents.isPlaced ? ZIP_CM_STORE : ZIP_CM_DEFLATE
    try handle.add(name, source, method: method, seconds: Self.zipTime(modified), session.password)
    session.sink.disguise.add(isDisguised)
    entryCount += 1
  }

  /// The bytes of a local header of an entry of this name that needs no ZIP64 (APPNOTE.TXT, 4.3.7).
  public static func headerSize(_ name: String) -> Int { 30 + name.utf8.count }

  /// Empties `file`, writes the archive into it from offset 0 and returns the archive's size in bytes.
  /// Blocks until libzip is done; the bytes of placed entries that are not encrypted may then still be on their
  /// way, as far as `placed` has not written them. Nothing is synced.
  ///
  /// `isCancelled` is asked before every piece of data. Throws what `placed` or a text threw, `FileError`
  /// for the file, `CancellationError`, or `ArchiveWriteError`; the file then holds no archive.
  public consuming func write(
    to file: borrowing File, placed: any PlacedContents, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    guard entryCount > 0 else { throw ArchiveWriteError.empty }
    // never for an empty file: after a truncation to nothing, ext4 waits for the disk in close(2)
    if try file.status().size > 0 { try file.resize(to: 0) }
    let session = session
    var handle = Optional(handle)
    return try withUnsafePointer(to: file) { file in
      session.begin(file, placed, isCancelled)
      defer { session.end() }
      do {
        try handle.take()?.close()
      } catch {
        throw session.failure ?? error
      }
      return session.sink.end
    }
  }

  /// Seconds since 1970, kept where a DOS date can say them: libzip's own arithmetic overflows beyond.
  private static func zipTime(_ milliseconds: Int64) -> Int {
    let seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    // one day inside of 1980-01-01 and 2108-01-01, for the time zone
    return Int(min(max(seconds, 315_619_200), 4_354_732_800))
  }
}
