import CLibZip
import Checksums
import FileSystem
import Secrets

/// What one run of `zip_close` shares between its callbacks: the sink, the placed contents, and the first
/// error, since libzip can only carry a number. It belongs to the thread that runs `zip_close`.
final class WriteSession {
  /// What every entry is encrypted with, if there is one.
  let password: Secret?
  /// The handle that is being written, for the fields that `Zip64Boundary` adds. Owned by `WriteHandle`.
  var archive: OpaquePointer?
  /// The archive's bytes on their way to the file.
  var sink = WriteSink()
  /// The first error thrown inside a callback.
  private(set) var failure: (any Error)?

  private var placed: (any PlacedContents)?
  private var isCancelled: () -> Bool = { false }
  private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
  private var chunkPosition = 0
  private var hasPlacedHeader = false
  private var checksum = CRC32()

  init(password: Secret?) { self.password = password }

  /// `file` is used until `end`.
  func begin(
    _ file: UnsafePointer<File>, _ placed: any PlacedContents, _ isCancelled: @escaping () -> Bool
  ) {
    sink.file = file
    self.placed = placed
    self.isCancelled = isCancelled
  }

  func end() {
    sink.file = nil
    placed = nil
  }

  func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  func checkCancelled() throws {
    if isCancelled() { throw CancellationError() }
  }

  /// Whether entries are encrypted, so that all their bytes come from libzip.
  var isEncrypted: Bool { password != nil }

  /// Called once an entry, before its local header is written. A text's compressed size is not known then, and is
  /// no boundary.
  func prepare(_ entry: UInt64, _ numbers: EntryNumbers) throws {
    guard let archive else { return }
    sink.disguise.begin(Int(entry))
    try Zip64Boundary.addFields(to: archive, entry, numbers, offset: sink.position)
  }

  /// libzip has written a header, and nothing but the entry's bytes follows until CLOSE.
  func openText() { sink.stage = .data }

  func openPlaced(_ index: Int) throws {
    hasPlacedHeader = !isEncrypted
    checksum = CRC32()
    sink.stage = .data
    chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    chunkPosition = 0
    try placed?.open(index, at: sink.position)
  }

  /// Bytes of the placed contents that libzip has not read yet.
  var chunkRemainder: Int { chunk.count - chunkPosition }

  func readPlaced(_ destination: UnsafeMutableRawBufferPointer) throws -> Int {
    if chunkRemainder == 0 {
      try checkCancelled()
      chunk = try placed?.next() ?? chunk
      chunkPosition = 0
      // an end before the announced size would be stored short, in silence
      guard chunk.count > 0 else {
        throw ArchiveWriteError.library(code: Int(ZIP_ER_EOF), message: "a placed entry ended early")
      }
    }
    let count = min(destination.count, chunkRemainder)
    destination.copyMemory(from: .init(rebasing: chunk[chunkPosition..<chunkPosition + count]))
    chunkPosition += count
    return count
  }

  /// The checksum of the placed entry, once its bytes have passed.
  var placedCRC: UInt32 { checksum.value }

  /// Takes all bytes of a placed entry that somebody else writes.
  func passPlaced(_ index: Int, size: Int) throws {
    var given = 0
    while given < size {
      try checkCancelled()
      // an end before the announced size would be stored short, in silence
      guard let bytes = try placed?.next(), bytes.count > 0 else {
        throw ArchiveWriteError.library(code: Int(ZIP_ER_EOF), message: "a placed entry ended early")
      }
      checksum.update(bytes)
      given += bytes.count
    }
    guard given == size else { throw ArchiveWriteError.length(entry: index, expected: size, given: given) }
    sink.skip(size)
  }

  func closeText() { sink.stage = .records }

  func closePlaced() {
    sink.stage = .records
    placed?.close()
    chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    chunkPosition = 0
  }

  /// An entry is complete: if it is a placed one, its header may go along with the data.
  func passHeader() throws {
    guard hasPlacedHeader, let placed else { return }
    hasPlacedHeader = false
    try sink.flush { try placed.takeHeader($0, at: $1) }
  }

  /// `zip_source_make_command_bitmap` is variadic and cannot be called from Swift.
  static func bitmap(_ commands: [zip_source_cmd_t]) -> Int {
    commands.reduce(0) { $0 | 1 << Int($1.rawValue) }
  }

  /// Answers ZIP_SOURCE_ERROR: two C ints. The real error is in `failure`.
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
