import Zip

/// Divides items into chunks, each of which fills one buffer. A large item becomes several chunks. Consecutive
/// small items are packed into one chunk, so that the cost of locks, wake-ups and writes grows with the megabytes
/// and not with the number of files. A value type: every stage of the pipeline iterates over its own copy and gets
/// the same chunks.
struct ChunkPlan {
  /// Bytes of one buffer.
  let chunkSize: Int
  private let items: [PipelineItem]
  private var nextItem = 0
  private var nextOffset = 0

  /// The content of one buffer.
  struct Chunk: Equatable {
    /// The items in the chunk: one, or several if packed.
    var items: Range<Int>
    /// True if the chunk has complete items in the archive's order, with room for the local header before each.
    /// False if the chunk is a piece of one item and has nothing else.
    var isPacked: Bool
    /// The offset of a piece in its item.
    var offset: Int
    /// The length in bytes, including the room for headers.
    var length: Int
    /// True if the chunk contains the end of its items.
    var isLast: Bool
  }

  /// The most items in one chunk.
  static let maximumItems = 128

  init(_ items: [PipelineItem], chunkSize: Int) {
    self.items = items
    self.chunkSize = chunkSize
  }

  /// Returns the next chunk, nil after the last.
  mutating func next() -> Chunk? {
    guard nextItem < items.count else { return nil }
    let first = nextItem
    if nextOffset > 0 || items[first].packedSize > chunkSize {
      let rest = items[first].size - nextOffset
      let length = min(rest, chunkSize)
      let isLast = length == rest
      defer { (nextItem, nextOffset) = isLast ? (first + 1, 0) : (first, nextOffset + length) }
      return Chunk(
        items: first..<first + 1, isPacked: false, offset: nextOffset, length: length, isLast: isLast)
    }
    var length = 0
    while nextItem < items.count, nextItem - first < Self.maximumItems,
      length + items[nextItem].packedSize <= chunkSize
    {
      length += items[nextItem].packedSize
      nextItem += 1
    }
    return Chunk(items: first..<nextItem, isPacked: true, offset: 0, length: length, isLast: true)
  }

  /// The number of remaining chunks.
  var count: Int {
    var rest = self
    var count = 0
    while rest.next() != nil { count += 1 }
    return count
  }
}

extension PipelineItem {
  /// The bytes of the local header.
  var headerSize: Int { ArchiveWriter.headerSize(entryName) }

  /// The bytes that the item takes in a packed chunk.
  var packedSize: Int { headerSize + size }
}
