/// How items are cut into chunks, each of which fills one buffer: a large item is several chunks, and
/// consecutive small ones share a chunk, so that locks and wake-ups are paid by the megabyte and not by
/// the file. A value that is stepped: every stage of the pipeline steps its own copy and sees the same.
struct ChunkPlan {
  /// Bytes of one buffer.
  let chunkSize: Int
  private let items: [PipelineItem]
  private var nextItem = 0
  private var nextOffset = 0

  /// One buffer's worth.
  struct Chunk: Equatable {
    /// The items in it: one, whole or in part, or several whole ones, one after the other.
    var items: Range<Int>
    /// Where in its item the chunk begins; 0 if there are several.
    var offset: Int
    /// Bytes.
    var length: Int
    /// Whether it holds the end of its items.
    var isLast: Bool

    /// Whether the item has other chunks too.
    var isPart: Bool { offset > 0 || !isLast }
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
    let rest = items[first].size - nextOffset
    if nextOffset > 0 || rest > chunkSize {
      let length = min(rest, chunkSize)
      let chunk = Chunk(
        items: first..<first + 1, offset: nextOffset, length: length, isLast: length == rest)
      nextOffset = chunk.isLast ? 0 : nextOffset + length
      nextItem += chunk.isLast ? 1 : 0
      return chunk
    }
    var length = 0
    while nextItem < items.count, nextItem - first < Self.maximumItems,
      length + items[nextItem].size <= chunkSize
    {
      length += items[nextItem].size
      nextItem += 1
    }
    return Chunk(items: first..<nextItem, offset: 0, length: length, isLast: true)
  }

  /// All chunks that are still to come.
  var count: Int {
    var rest = self
    var count = 0
    while let run = rest.nextRun() { count += run }
    return count
  }

  /// How many of the next chunks one hasher must take, in order: one chunk of small items, or all of a
  /// large one. Steps behind them.
  mutating func nextRun() -> Int? {
    guard let chunk = next() else { return nil }
    guard !chunk.isLast, let item = chunk.items.first else { return 1 }
    (nextItem, nextOffset) = (item + 1, 0)
    return (items[item].size + chunkSize - 1) / chunkSize
  }
}
