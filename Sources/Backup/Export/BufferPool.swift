import Glibc

/// The pipeline's memory: buffers that chunks fill in turn, chunk number n using buffer n modulo the
/// count, so that the oldest chunk always has its buffer and no stage can starve another.
///
/// `@unchecked Sendable` because the bytes are raw: `PipelineState` says whose turn a buffer is, and the
/// monitor around it orders one stage's writes before the next one's reads.
final class BufferPool: @unchecked Sendable {
  let count: Int
  private let stride: Int
  private let memory: UnsafeMutableRawPointer
  private let places: UnsafeMutablePointer<Place>

  /// Where in the archive an item's data begin, and how many bytes of header before them are in the buffer.
  struct Place {
    var offset: Int
    var headerSize = 0
  }

  /// Every buffer holds `size` bytes and one more, by which a reader sees that a file goes on.
  init(count: Int, size: Int) {
    self.count = count
    let page = 4096
    stride = (size + page) / page * page
    memory = .allocate(byteCount: stride * count, alignment: page)
    places = .allocate(capacity: count * ChunkPlan.maximumItems)
  }

  deinit {
    memory.deallocate()
    places.deallocate()
  }

  /// The buffer of a chunk.
  func buffer(_ number: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + number % count * stride, count: stride)
  }

  /// The places of a chunk's items.
  func places(_ number: Int) -> UnsafeMutableBufferPointer<Place> {
    UnsafeMutableBufferPointer(
      start: places + number % count * ChunkPlan.maximumItems, count: ChunkPlan.maximumItems)
  }
}
