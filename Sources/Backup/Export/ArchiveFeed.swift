import Checksums
import PhotoLibrary
import Zip

/// Passes the chunks to `ArchiveWriter`, and records the offset of each item in the archive for the writer. Used
/// only by the thread that runs `ArchiveWriter`.
final class ArchiveFeed: PlacedContents {
  private let monitor: Monitor<PipelineState>
  private let pool: BufferPool
  private let items: [PipelineItem]
  private let isEncrypted: Bool

  /// The current chunk, nil between chunks. `number` is its number, or the number of the next chunk.
  private var chunk: ChunkPlan.Chunk?
  private var number = 0
  private var item = 0
  private var itemOffset = 0
  /// The offset of the item's next bytes in the chunk's buffer.
  private var position = 0
  /// Headers of large items, which the writer gets with the next chunk.
  private var headers: [PipelineState.Header] = []

  init(
    _ monitor: Monitor<PipelineState>, _ pool: BufferPool, _ items: [PipelineItem], isEncrypted: Bool
  ) {
    self.monitor = monitor
    self.pool = pool
    self.items = items
    self.isEncrypted = isEncrypted
  }

  func open(_ index: Int, at offset: Int) throws {
    let chunk = try chunk ?? wait()
    item = index
    itemOffset = offset
    if chunk.isPacked { position += items[index].headerSize }
    if index == chunk.items.lowerBound { pool[dataOffsetOf: number] = offset }
  }

  func next() throws -> UnsafeRawBufferPointer {
    guard var chunk else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if !chunk.isPacked && position > 0 {
      number += 1
      chunk = try wait()
      pool[dataOffsetOf: number] = itemOffset
    }
    let length = chunk.isPacked ? items[item].size : chunk.length
    let bytes = UnsafeRawBufferPointer(rebasing: pool.buffer(number)[position..<position + length])
    position += length
    return bytes
  }

  func close() {
    // otherwise the header is still to follow
    guard isEncrypted, let chunk, item == chunk.items.upperBound - 1 else { return }
    leaveChunk()
  }

  func takeHeader(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard let chunk else { return false }
    defer { if item == chunk.items.upperBound - 1 { leaveChunk() } }
    guard chunk.isPacked else {
      headers.append(PipelineState.Header(offset: offset, bytes: Array(bytes)))
      return true
    }
    let size = items[item].headerSize
    // a packed item is far too small for ZIP64
    precondition(bytes.count == size && offset + size == itemOffset)
    let start = position - items[item].size - size
    pool.buffer(number)[start..<start + size].copyBytes(from: bytes)
    return true
  }

  private func leaveChunk() {
    chunk = nil
    number += 1
  }

  /// Waits for the next chunk, and releases the chunks before it.
  private func wait() throws -> ChunkPlan.Chunk {
    let number = number
    let chunk = try monitor.wait(on: PipelineState.Condition.filled) { state, signal in
      state.zipped(upTo: number, taking: &headers, signal)
      return try state.filledChunk(number)
    }
    position = 0
    self.chunk = chunk
    return chunk
  }

  /// Waits until every item is hashed and in the file, and returns the checksums for the texts that follow the
  /// items. Call this method after the writer has read every item.
  func digests() throws -> [MD5Digest] {
    let number = number
    return try monitor.wait(on: PipelineState.Condition.filled) { state, signal in
      state.zipped(upTo: number, taking: &headers, signal)
      return try state.allDigests()
    }
  }
}
