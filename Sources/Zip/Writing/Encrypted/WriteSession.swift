import CLibZip
import FileSystem
import Secrets

/// The state that the callbacks of `zip_close` share while it writes an encrypted archive: the sink, the placed
/// contents, and the first error, since libzip only passes on a number. It belongs to the thread that runs `zip_close`.
final class WriteSession {
  /// The handle of the archive, to which `Zip64Boundary` adds fields. `WriteHandle` owns it.
  var archive: OpaquePointer?
  /// Writes the archive's bytes to the file.
  var sink: WriteSink
  /// The first error that a callback threw.
  private(set) var failure: (any Error)?

  private let placed: any PlacedContents
  private let isCancelled: () -> Bool
  private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
  private var chunkPosition = 0

  /// `file` must stay valid until `zip_close` has returned.
  init(_ file: UnsafePointer<File>, _ placed: any PlacedContents, _ isCancelled: @escaping () -> Bool) {
    sink = WriteSink(file)
    self.placed = placed
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

  /// libzip has written a header. It writes only the entry's bytes until CLOSE.
  func openText() { sink.stage = .data }

  func openPlaced(_ index: Int) throws {
    sink.stage = .data
    chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    chunkPosition = 0
    try placed.open(index, at: sink.position)
  }

  /// The number of bytes of the placed contents that libzip has not read yet.
  private var chunkRemainder: Int { chunk.count - chunkPosition }

  /// Reads the next bytes of a placed entry of `size` bytes, of which `given` were read before.
  func readPlaced(
    _ index: Int, into destination: UnsafeMutableRawBufferPointer, after given: Int, of size: Int
  ) throws -> Int {
    if chunkRemainder == 0 {
      try checkCancelled()
      chunk = try placed.next()
      chunkPosition = 0
      // libzip would store an entry that ends early without an error
      guard 1...(size - given) ~= chunk.count else {
        throw ArchiveWriteError.length(entry: index, expected: size, given: given + chunk.count)
      }
    }
    let count = min(destination.count, chunkRemainder)
    destination.copyMemory(from: .init(rebasing: chunk[chunkPosition..<chunkPosition + count]))
    chunkPosition += count
    return count
  }

  func closeText() { sink.stage = .records }

  func closePlaced() {
    sink.stage = .records
    placed.close()
    chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    chunkPosition = 0
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
