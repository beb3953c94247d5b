import Checksums

/// Computes the MD5 of items from their chunks, many items at once, since `MultiBufferMD5` is then several times as
/// fast. Used only by the thread that hashes.
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

  /// Hashes some of the available bytes, and returns the chunks that are finished.
  mutating func hash() -> [Done] {
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
      if let next = advance(streams[index], by: length, hashes[index], &done) {
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
