import Zip

/// How items are cut into chunks, each of which fills one buffer: a large item is several chunks, and
/// consecutive small ones are packed into a chunk, so that locks, wake-ups and writes are paid by the
/// megabyte and not by the file. A value that is stepped: every stage of the pipeline that steps its own
/// copy sees the same.
struct ChunkPlan {
  /// Bytes of one buffer.
  let chunkSize: Int
  private let items: [PipelineItem]
  private var nextItem = 0
  private var nextOffset = 0

  /// One buffer's worth.
  struct Chunk: Equatable {
    /// The items in it: one, or several if packed.
    var items: Range<Int>
    /// Whether the items are whole, and one behind the other as in the archive: each has room for its
    /// local header before it. Otherwise it is a piece of one item, and nothing else.
    var isPacked: Bool
    /// Where in its item a piece begins.
    var offset: Int
    /// Bytes, with the room for headers.
    var length: Int
    /// Whether it holds the end of its items.
    var isLast: Bool
  }

  /// Items in one chunk at most.
  static let maximumItems = 128

  init(_ items: [PipelineItem], chunkSize: Int) {
    self.items = items
    self.chunkSize = chunkSize
  }

  /// The next chunk, nil after the last.
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

  /// All chunks that are still to come.
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
