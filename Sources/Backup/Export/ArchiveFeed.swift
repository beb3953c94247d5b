import PhotoLibrary
import Zip

/// Hands the chunks to libzip, and notes for the writer where in the archive each item begins. Belongs to
/// the thread that runs libzip.
final class ArchiveFeed: PlacedContents {
  private let monitor: Monitor<PipelineState>
  private let pool: BufferPool
  private let items: [PipelineItem]

  /// The chunk that libzip is in, if it is in one, and its number; else the next one's.
  private var chunk: ChunkPlan.Chunk?
  private var number = 0
  private var item = 0
  private var itemOffset = 0
  /// Where the item begins in a chunk of several.
  private var position = 0

  init(_ monitor: Monitor<PipelineState>, _ pool: BufferPool, _ items: [PipelineItem]) {
    self.monitor = monitor
    self.pool = pool
    self.items = items
  }

  func open(_ index: Int, at offset: Int) throws {
    let chunk = try chunk ?? wait()
    item = index
    itemOffset = offset
    pool.offsets(number)[index - chunk.items.lowerBound] = offset
  }

  func next() throws -> UnsafeRawBufferPointer {
    guard var chunk else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if chunk.isPart && position > 0 {
      number += 1
      position = 0
      chunk = try wait()
      pool.offsets(number)[0] = itemOffset
    }
    let length = chunk.isPart ? chunk.length : items[item].size
    let bytes = pool.buffer(number)[position..<position + length]
    position += length
    return UnsafeRawBufferPointer(rebasing: bytes)
  }

  func close() {
    guard let chunk, chunk.isLast, item == chunk.items.upperBound - 1 else { return }
    self.chunk = nil
    number += 1
    position = 0
  }

  /// Waits for the chunk, and lets go of those before it.
  private func wait() throws -> ChunkPlan.Chunk {
    let number = number
    let chunk = try monitor.wait(on: PipelineState.Condition.filled) { state, signal in
      state.zippedUpTo(number, signal)
      return try state.filledChunk(number)
    }
    self.chunk = chunk
    return chunk
  }

  /// Waits until every item is hashed, for the texts that list the checksums.
  func digests() throws -> [MD5Digest] {
    let number = number
    return try monitor.wait(on: PipelineState.Condition.filled) { state, signal in
      state.zippedUpTo(number, signal)
      return try state.allDigests()
    }
  }
}
