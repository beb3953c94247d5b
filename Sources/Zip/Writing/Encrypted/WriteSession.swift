import CLibZip
import FileSystem
import Secrets

/// The state that the callbacks of `zip_close` share while it writes an encrypted archive: the sink, the stored
/// contents, and the first error, since libzip only passes on a number. It belongs to the thread that runs `zip_close`.
final class WriteSession {
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
  }

  func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  func checkCancelled() throws {
    if isCancelled() { throw CancellationError() }
  }

  /// Called once for each entry, before its local header is written. The compressed size of a text is not known then,
  /// and is far below the limit.
  func prepare(_ entry: UInt64, _ numbers: EntryNumbers) throws {
    guard let archive else { return }
    try Zip64Boundary.addField(to: archive, entry, numbers, offset: sink.position)
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

  /// `zip_source_make_command_bitmap` is variadic and cannot be called from Swift.
  static func bitmap(_ commands: [zip_source_cmd_t]) -> Int {
    commands.reduce(0) { $0 | 1 << Int($1.rawValue) }
  }

  /// Answers ZIP_SOURCE_ERROR with two C ints. The actual error is in `failure`.
  static func reportError(_ data: UnsafeMutableRawPointer?, _ length: Int) -> Int {
    report(ZIP_ER_INTERNAL, 0, data, length)
  }

  static func report(
    _ code: CInt, _ system: CInt, _ data: UnsafeMutableRawPointer?, _ length: Int
  ) -> Int {
    let size = 2 * MemoryLayout<CInt>.stride
    guard let data, length >= size else { return -1 }
    data.storeBytes(of: code, as: CInt.self)
    data.storeBytes(of: system, toByteOffset: MemoryLayout<CInt>.stride, as: CInt.self)
    return size
  }
}
