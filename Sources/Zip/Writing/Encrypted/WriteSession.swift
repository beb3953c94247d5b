import CLibZip
import FileSystem
import Glibc

/// The state that the callbacks of `zip_close` share while it writes an encrypted archive: the sink, the stored
/// contents, and the first error, since libzip only passes on a number. It belongs to the thread that runs `zip_close`.
final class WriteSession: LibzipSource {
  /// The handle of the archive, to which `Zip64Boundary` adds fields. `WriteHandle` owns it.
  var archive: OpaquePointer?
  /// Writes the archive's bytes to the file.
  var sink: WriteSink
  /// The first error that a callback threw.
  private(set) var failure: (any Error)?

  private let contents: any StoredContents
  /// The sizes of the stored entries.
  private let sizes: [Int]
  private let isCancelled: () -> Bool
  /// The pieces that libzip has not read yet.
  private var pieces: ArraySlice<StoredPiece> = []
  /// The number of bytes of the first of them that libzip has read.
  private var taken = 0

  /// `file` must stay valid until `zip_close` has returned.
  init(
    _ file: UnsafePointer<File>, _ contents: any StoredContents, sizes: [Int], startsWriteBack: Bool,
    _ isCancelled: @escaping () -> Bool
  ) {
    sink = WriteSink(file, startsWriteBack: startsWriteBack)
    (self.contents, self.sizes) = (contents, sizes)
    self.isCancelled = isCancelled
    super.init()
    // libzip asks once for the status of an existing archive, before it writes
    zip_error_set(&error, ZIP_ER_READ, ENOENT)
  }

  override func fail(_ error: any Error) {
    if failure == nil { failure = error }
    zip_error_set(&self.error, ZIP_ER_INTERNAL, 0)
  }

  func checkCancelled() throws {
    if isCancelled() { throw CancellationError() }
  }

  /// Called once for each entry, before its local header is written. The compressed size of a text is not known then,
  /// and is far below the limit.
  func prepare(_ entry: Int, _ numbers: EntryNumbers) throws {
    guard let archive else { return }
    try Zip64Boundary.addField(to: archive, UInt64(entry), numbers, offset: sink.position)
  }

  /// Reads the next bytes of a stored entry, of which `given` bytes were read before.
  func readStored(
    _ index: Int, into destination: UnsafeMutableRawBufferPointer, after given: Int
  ) throws -> Int {
    // libzip would store an entry that ends early without an error
    guard let piece = try nextPiece(), piece.entry == index else { throw length(of: index, given) }
    let left = piece.bytes.count - taken
    guard given + left <= sizes[index] else { throw length(of: index, given + left) }
    let count = min(destination.count, left)
    destination.copyMemory(from: .init(rebasing: piece.bytes[taken..<taken + count]))
    taken += count
    return count
  }

  /// Returns the next piece that has bytes to read; nil after the last one.
  private func nextPiece() throws -> StoredPiece? {
    while true {
      if let piece = pieces.first {
        if taken < piece.bytes.count { return piece }
        pieces.removeFirst()
        taken = 0
      } else {
        try checkCancelled()
        guard let next = try contents.next() else { return nil }
        pieces = next[...]
      }
    }
  }

  /// Takes the last pieces, which are empty. Called before a text is rendered.
  ///
  /// - Throws: `ArchiveWriteError.length` if there are bytes that no entry has room for.
  func endStored() throws {
    if let piece = try nextPiece() { throw length(of: piece.entry, sizes[piece.entry] + piece.bytes.count) }
  }

  private func length(of entry: Int, _ given: Int) -> ArchiveWriteError {
    .length(entry: entry, expected: sizes[entry], given: given)
  }

  override var commands: [zip_source_cmd_t] {
    [
      ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
      ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE,
      ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_REMOVE,
    ]
  }

  override func perform(
    _ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: Int
  ) throws -> Int {
    switch command {
    case ZIP_SOURCE_WRITE:
      try sink.write(UnsafeRawBufferPointer(start: data, count: length))
      return length
    case ZIP_SOURCE_TELL_WRITE:
      return sink.position
    case ZIP_SOURCE_SEEK_WRITE:
      guard let arguments = data?.assumingMemoryBound(to: zip_source_args_seek_t.self) else { return -1 }
      return sink.seek(Int(arguments.pointee.offset), from: arguments.pointee.whence)
    case ZIP_SOURCE_COMMIT_WRITE:
      try sink.flush()
      return 0
    case ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE:
      return 0
    default:
      // STAT and reading: libzip requires them of a writable source, but does not use them for a new archive
      return -1
    }
  }
}
