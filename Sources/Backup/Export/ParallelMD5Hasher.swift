import Checksums

/// Computes the MD5 of items from their chunks, many items at once, since `MultiBufferMD5` is then several times as
/// fast. Compares the content tags of items whose tags are known. Used only by the thread that hashes.
struct ParallelMD5Hasher {
  /// A hashed chunk, and the checksums that are known after it.
  struct Done {
    var number: Int
    var digests: [(item: Int, digest: MD5Digest)] = []
  }

  /// An item with bytes still to hash.
  private struct Stream {
    let item: Int
    /// The number of the chunk with the next bytes.
    var number: Int
    /// The range of these bytes in the chunk's buffer; empty until the chunk is filled.
    var bytes = 0..<0
    /// True if the item ends with these bytes.
    var isLast = false
    /// True if the content tag has the bytes of this chunk.
    var isTagged = false
    /// The content tag of the item; nil before its last chunk is tagged, or if the expected tag is unknown.
    var tag: ContentTag?

    /// Takes the bytes of the next chunk, which is filled.
    mutating func fill(_ chunk: ChunkPlan.Chunk) {
      (bytes, isLast, isTagged) = (0..<chunk.length, chunk.isLast, false)
    }
  }

  /// The number of items that use the lanes well. With fewer items, the hasher waits as long as more will follow.
  private static let sufficientItems = MultiBufferMD5.lanes / 2
  /// The most bytes to hash of an item at once, so that buffers become free steadily.
  private static let most = 256 << 10

  private let items: [PipelineItem]
  private let pool: BufferPool
  private var streams: [Stream] = []
  /// The hash of each stream.
  private var hashes: [MultiBufferMD5] = []
  /// The content tags of items whose last chunk is not tagged yet, by item.
  private var unfinishedTags: [Int: RunningContentTag] = [:]
  /// Filled chunks whose item's previous chunk is not hashed yet, by number.
  private var early: [Int: ChunkPlan.Chunk] = [:]
  /// For each chunk, the known checksums, and the number of items with bytes left to hash.
  private var unfinished: [Int: (done: Done, left: Int)] = [:]

  init(_ items: [PipelineItem], _ pool: BufferPool) {
    self.items = items
    self.pool = pool
  }

  /// True if enough items have bytes to use the lanes well.
  var fillsLanes: Bool { streams.count { !$0.bytes.isEmpty } >= Self.sufficientItems }

  /// Adds a filled chunk. The order does not matter.
  mutating func add(_ chunk: ChunkPlan.Chunk, _ number: Int) {
    unfinished[number] = (Done(number: number), chunk.items.count)
    if chunk.isPacked {
      var position = 0
      for item in chunk.items {
        position += items[item].headerSize
        let bytes = position..<position + items[item].size
        begin(Stream(item: item, number: number, bytes: bytes, isLast: true))
        position = bytes.upperBound
      }
    } else if let index = streams.firstIndex(where: { $0.number == number }) {
      streams[index].fill(chunk)
    } else if chunk.offset == 0 {
      begin(
        Stream(item: chunk.items.lowerBound, number: number, bytes: 0..<chunk.length, isLast: chunk.isLast))
    } else {
      early[number] = chunk
    }
  }

  private mutating func begin(_ stream: Stream) {
    streams.append(stream)
    hashes.append(MultiBufferMD5())
  }

  /// Returns a stream after its bytes were added to the content tag of its item.
  private mutating func tagged(_ stream: Stream) -> Stream {
    var stream = stream
    stream.isTagged = true
    guard let key = items[stream.item].expected?.key else { return stream }
    var tag = unfinishedTags.removeValue(forKey: stream.item) ?? RunningContentTag(key)
    tag.update(UnsafeRawBufferPointer(rebasing: pool.buffer(stream.number)[stream.bytes]))
    if stream.isLast { stream.tag = tag.value } else { unfinishedTags[stream.item] = tag }
    return stream
  }

  /// Hashes some of the available bytes, and returns the chunks that are finished.
  ///
  /// - Throws: `PipelineError` if the file of an item has another photo with the same MD5.
  mutating func hash() throws(PipelineError) -> [Done] {
    // not in add, whose caller has locked the state
    for index in streams.indices where !streams[index].isTagged { streams[index] = tagged(streams[index]) }
    // only as many bytes as most lanes have; the rest of the longer items is hashed with later items
    let lengths = streams.map(\.bytes.count).sorted(by: >).prefix(Self.sufficientItems)
    let length = min(Self.most, lengths.last { $0 > 0 } ?? 0)
    let pieces = streams.map { stream in
      UnsafeRawBufferPointer(rebasing: pool.buffer(stream.number)[stream.bytes.prefix(length)])
    }
    MultiBufferMD5.update(&hashes, with: pieces)
    var done: [Done] = []
    var kept = 0
    for index in streams.indices {
      if let next = try advance(streams[index], by: length, hashes[index], &done) {
        (streams[kept], hashes[kept]) = (next, hashes[index])
        kept += 1
      }
    }
    streams.removeLast(streams.count - kept)
    hashes.removeLast(hashes.count - kept)
    return done
  }

  /// Returns the rest of a stream, nil at its end.
  private mutating func advance(
    _ stream: Stream, by length: Int, _ hash: MultiBufferMD5, _ done: inout [Done]
  ) throws(PipelineError) -> Stream? {
    var stream = stream
    let isUnfilled = stream.bytes.isEmpty && !stream.isLast
    stream.bytes = stream.bytes.dropFirst(length)
    if isUnfilled || !stream.bytes.isEmpty { return stream }
    if var chunk = unfinished.removeValue(forKey: stream.number) {
      if stream.isLast {
        let digest = hash.digest
        if items[stream.item].expected?.isExchanged(digest, stream.tag) == true {
          throw .item(index: stream.item, .exchanged)
        }
        chunk.done.digests.append((stream.item, digest))
      }
      chunk.left -= 1
      if chunk.left == 0 { done.append(chunk.done) } else { unfinished[stream.number] = chunk }
    }
    if stream.isLast { return nil }
    stream.number += 1
    if let next = early.removeValue(forKey: stream.number) { stream.fill(next) }
    return stream
  }
}
