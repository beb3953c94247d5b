import FileSystem

/// The pipeline's memory: buffers that chunks fill in turn, chunk number n using buffer n modulo the
/// count, so that the oldest chunk always has its buffer and no stage can starve another.
///
/// `@unchecked Sendable` because the bytes are raw: `PipelineState` says whose turn a buffer is, and the
/// monitor around it orders one stage's writes before the next one's reads.
final class BufferPool: @unchecked Sendable {
  let count: Int
  private let stride: Int
  private let memory: UnsafeMutableRawBufferPointer
  private let places: UnsafeMutablePointer<Int>

  /// Every buffer holds `size` bytes and one more, by which a reader sees that a file goes on.
  init(count: Int, size: Int) throws(MemoryShortage) {
    self.count = count
    let page = 4096
    stride = (size + page) / page * page
    memory = try .pages(byteCount: stride * count)
    places = .allocate(capacity: count)
  }

  deinit {
    memory.freePages()
    places.deallocate()
  }

  /// The buffer of a chunk.
  func buffer(_ number: Int) -> UnsafeMutableRawBufferPointer {
    let start = number % count * stride
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + stride])
  }

  /// Where in the archive the data of a chunk's first item begin.
  subscript(placeOf number: Int) -> Int {
    get { places[number % count] }
    set { places[number % count] = newValue }
  }
}
