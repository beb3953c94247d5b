import Checksums

/// Computes the MD5 of items out of their chunks, many items side by side, since `MultiBufferMD5` is several times as fast
/// that way. Belongs to the thread that hashes.
struct LaneHasher {
  /// A chunk that is hashed, and the checksums that became known with it.
  struct Done {
    var number: Int
    var digests: [(item: Int, digest: MD5Digest)] = []
  }

  /// An item of which bytes are still to come.
  private struct Stream {
    let item: Int
    /// The chunk with its next bytes.
    var number: Int
    /// Where these are in the chunk's buffer; empty until it is filled.
    var bytes = 0..<0
    /// Whether the item ends with them.
    var isLast = false
  }

  /// Items that are worth hashing together. With fewer, it is better to wait for more, as long as more will come.
  private static let worthwhile = MultiBufferMD5.lanes / 2
  /// Most bytes of an item at once, so that buffers become free steadily.
  private static let most = 256 << 10

  private let items: [PipelineItem]
  private let pool: BufferPool
  private var streams: [Stream] = []
  /// The state of each stream.
  private var hashes: [MultiBufferMD5] = []
  /// Filled chunks whose item is not so far yet.
  private var early: [Int: ChunkPlan.Chunk] = [:]
  /// What became known of each chunk, and of how many items bytes are left in it.
  private var unfinished: [Int: (done: Done, left: Int)] = [:]

  init(_ items: [PipelineItem], _ pool: BufferPool) {
    self.items = items
    self.pool = pool
  }

  /// Whether so many items have bytes that hashing them now is a good use of the lanes.
  var isWorthwhile: Bool { streams.count { !$0.bytes.isEmpty } >= Self.worthwhile }

  /// Takes a filled chunk, in any order.
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
      streams[index].bytes = 0..<chunk.length
      streams[index].isLast = chunk.isLast
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

  /// Hashes some of what is there, and returns the chunks that are done with it.
  mutating func hash() -> [Done] {
    // as far as most lanes have bytes; the rest of the longer ones finds company later
    let lengths = streams.map(\.bytes.count).sorted(by: >).prefix(Self.worthwhile)
    let length = min(Self.most, lengths.last { $0 > 0 } ?? 0)
    let pieces = streams.map { stream in
      UnsafeRawBufferPointer(rebasing: pool.buffer(stream.number)[stream.bytes.prefix(length)])
    }
    MultiBufferMD5.update(&hashes, with: pieces)
    var done: [Done] = []
    var kept = 0
    for index in streams.indices {
      if let next = advance(streams[index], by: length, hashes[index], &done) {
        (streams[kept], hashes[kept]) = (next, hashes[index])
        kept += 1
      }
    }
    streams.removeLast(streams.count - kept)
    hashes.removeLast(hashes.count - kept)
    return done
  }

  /// Returns what is left of a stream, nil at its end.
  private mutating func advance(
    _ stream: Stream, by length: Int, _ hash: MultiBufferMD5, _ done: inout [Done]
  ) -> Stream? {
    var stream = stream
    let isUnfilled = stream.bytes.isEmpty && !stream.isLast
    stream.bytes = stream.bytes.dropFirst(length)
    if isUnfilled || !stream.bytes.isEmpty { return stream }
    if var chunk = unfinished.removeValue(forKey: stream.number) {
      if stream.isLast { chunk.done.digests.append((stream.item, hash.digest)) }
      chunk.left -= 1
      if chunk.left == 0 { done.append(chunk.done) } else { unfinished[stream.number] = chunk }
    }
    if stream.isLast { return nil }
    stream.number += 1
    if let next = early.removeValue(forKey: stream.number) {
      stream.bytes = 0..<next.length
      stream.isLast = next.isLast
    }
    return stream
  }
}
