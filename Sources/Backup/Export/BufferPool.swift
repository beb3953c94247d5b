import FileSystem

/// The pipeline's memory: buffers that chunks fill in turn. Chunk n uses buffer n modulo the count, so that the
/// oldest chunk always has its buffer and no stage can starve another.
///
/// `@unchecked Sendable` because the bytes are raw: `PipelineState` records which stage owns a buffer, and the
/// monitor around `PipelineState` orders one stage's writes before the next stage's reads.
final class BufferPool: @unchecked Sendable {
  let count: Int
  private let stride: Int
  private let memory: UnsafeMutableRawBufferPointer
  private let dataOffsets: UnsafeMutablePointer<Int>

  /// Allocates buffers of `size` bytes plus one. A reader uses the extra byte to detect that a file is longer than
  /// expected.
  init(count: Int, size: Int) throws(MemoryShortage) {
    self.count = count
    let page = 4096
    stride = (size + page) / page * page
    memory = try .pages(byteCount: stride * count)
    dataOffsets = .allocate(capacity: count)
  }

  deinit {
    memory.freePages()
    dataOffsets.deallocate()
  }

  /// Returns the buffer of a chunk.
  func buffer(_ number: Int) -> UnsafeMutableRawBufferPointer {
    let start = number % count * stride
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + stride])
  }

  /// The offset in the archive of the data of a chunk's first item.
  subscript(dataOffsetOf number: Int) -> Int {
    get { dataOffsets[number % count] }
    set { dataOffsets[number % count] = newValue }
  }
}
