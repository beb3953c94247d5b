import FileSystem
import Synchronization

/// An item's file, which the readers of its chunks share. The first reader opens the file. The release of the last
/// reference closes it.
final class SharedFile: Sendable {
  final class Open: Sendable {
    let file: File
    init(_ file: consuming File) { self.file = file }
  }

  private let state = Mutex<Open?>(nil)

  func opened(_ item: PipelineItem) throws(FileError) -> Open {
    try state.withLock { (state) throws(FileError) in
      if let open = state { return open }
      let open = Open(try item.open())
      state = open
      return open
    }
  }
}

/// Reads chunks into buffers, and compares the files with their expected sizes.
struct PhotoReader: Sendable {
  let items: [PipelineItem]
  let isCancelled: @Sendable () -> Bool

  /// Fills `buffer`, which has room for one byte more than the chunk.
  ///
  /// - Throws: `PipelineError`, `CancellationError`, or `FileError` for an error that does not concern an item.
  func read(
    _ chunk: ChunkPlan.Chunk, _ shared: SharedFile?, into buffer: UnsafeMutableRawBufferPointer
  ) throws {
    if isCancelled() { throw CancellationError() }
    if !chunk.isPacked, let shared, let item = chunk.items.first {
      try attempt(item) { () throws(FileError) in
        let open = try shared.opened(items[item])
        return try Self.fill(buffer, from: open.file, at: chunk.offset, chunk.length, toEnd: chunk.isLast)
      }
      return
    }
    var position = 0
    for item in chunk.items {
      if isCancelled() { throw CancellationError() }
      let size = items[item].size
      position += items[item].headerSize
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
      try attempt(item) { () throws(FileError) in
        try Self.fill(rest, from: try items[item].open(), at: 0, size, toEnd: true)
      }
      position += size
    }
  }

  /// Reads `length` bytes, and one more to check that the file ends there. Returns the fault of the file.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing File, at offset: Int, _ length: Int,
    toEnd: Bool
  ) throws(FileError) -> ItemReason? {
    let wanted = length + (toEnd ? 1 : 0)
    let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
    if count < length { return .tooShort(bytes: offset + count) }
    return count > length ? .tooLong : nil
  }

  /// Throws errors that do not concern the item unchanged.
  private func attempt(_ item: Int, _ body: () throws(FileError) -> ItemReason?) throws {
    let reason: ItemReason?
    do throws(FileError) {
      reason = try body()
    } catch {
      if error.cause == .environment { throw error }
      reason = .file(error)
    }
    if let reason { throw PipelineError.item(index: item, reason) }
  }
}
