import FileSystem
import Synchronization

/// An item's file, shared by the readers of its chunks: opened by the first of them, and closed when the
/// last one lets go.
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

/// Reads chunks into buffers and compares what the files give with the sizes expected of them.
struct PhotoReader: Sendable {
  let items: [PipelineItem]
  let isCancelled: @Sendable () -> Bool

  /// Fills `buffer`, which has room for a byte more than the chunk's. Throws `PipelineError`,
  /// `CancellationError`, or `FileError` for what is no fault of an item.
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

  /// Reads `length` bytes, and one more to see whether the file ends there. Returns what is wrong.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing File, at offset: Int, _ length: Int,
    toEnd: Bool
  ) throws(FileError) -> ItemReason? {
    let wanted = length + (toEnd ? 1 : 0)
    let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
    if count < length { return .tooShort(bytes: offset + count) }
    return count > length ? .tooLong : nil
  }

  /// Throws what is no fault of the item as it is.
  private func attempt(_ item: Int, _ body: () throws(FileError) -> ItemReason?) throws {
    let reason: ItemReason?
    do throws(FileError) {
      reason = try body()
    } catch {
      if error.isResourceExhaustion { throw error }
      reason = .file(error)
    }
    if let reason { throw PipelineError.item(index: item, reason) }
  }
}
