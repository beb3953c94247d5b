import CLibZip
import FileSystem
import Secrets

/// What one run of `zip_close`, which writes an encrypted archive, shares between its callbacks: the sink, the placed
/// contents, and the first error, since libzip can only carry a number. It belongs to the thread that runs `zip_close`.
final class WriteSession {
  /// The handle that is being written, for the fields that `Zip64Boundary` adds. Owned by `WriteHandle`.
  var archive: OpaquePointer?
  /// The archive's bytes on their way to the file.
  var sink: WriteSink
  /// The first error thrown inside a callback.
  private(set) var failure: (any Error)?

  private let placed: any PlacedContents
  private let isCancelled: () -> Bool
  private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
  private var chunkPosition = 0

  /// `file` is used until `zip_close` has returned.
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

  /// Called once an entry, before its local header is written. A text's compressed size is not known then, and is
  /// no boundary.
  func prepare(_ entry: UInt64, _ numbers: EntryNumbers) throws {
    guard let archive else { return }
    try Zip64Boundary.addField(to: archive, entry, numbers, offset: sink.position)
  }

  /// libzip has written a header, and nothing but the entry's bytes follows until CLOSE.
  func openText() { sink.stage = .data }

  func openPlaced(_ index: Int) throws {
    sink.stage = .data
    chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    chunkPosition = 0
    try placed.open(index, at: sink.position)
  }

  /// Bytes of the placed contents that libzip has not read yet.
  private var chunkRemainder: Int { chunk.count - chunkPosition }

  /// Reads on in a placed entry of `size` bytes, of which `given` have been read.
  func readPlaced(
    _ index: Int, into destination: UnsafeMutableRawBufferPointer, after given: Int, of size: Int
  ) throws -> Int {
    if chunkRemainder == 0 {
      try checkCancelled()
      chunk = try placed.next()
      chunkPosition = 0
      // libzip would store an entry that ends early short, in silence
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
