import Checksums
import FileSystem

/// Reads photos in lanes: several at a time, a chunk of each in turn, so that their bytes are hashed together while
/// they are in the processor's cache. With one lane, the photos are read one after the other, in the order of the
/// archive.
///
/// A photo that cannot be read, or that has another length than its item, is a fault. The others are read nevertheless.
struct LaneReader {
  /// A photo that cannot be archived.
  struct Fault: Equatable, Sendable {
    /// The index of its item.
    var index: Int
    var reason: PhotoFault
  }

  private struct Lane {
    let item: Int
    /// Nil at the end, since a set has room for more photos than the process may open files.
    var stream: (any ByteStream)?
    var position = 0
    var isAtEnd: Bool { stream == nil }
    /// The photo's bytes in the current set.
    var range = 0..<0
  }

  /// The photos that could not be read, in the order in which they were found.
  private(set) var faults: [Fault] = []
  /// The known checksums, in the items' order.
  private(set) var digests: [MD5Digest?]

  private let items: [PipelineItem]
  private let options: PhotoPipeline.Options
  private let isCancelled: @Sendable () -> Bool
  private let reader = PhotoReader()
  private var nextItem = 0
  private var lanes: [Lane] = []
  /// The hash of each lane.
  private var hashes: [MultiBufferMD5] = []
  /// The number of lanes that are not at the end of their photo.
  private var openLanes = 0

  init(
    _ items: [PipelineItem], _ options: PhotoPipeline.Options, isCancelled: @escaping @Sendable () -> Bool
  ) {
    (self.items, self.options, self.isCancelled) = (items, options, isCancelled)
    digests = Array(repeating: nil, count: items.count)
  }

  /// True if every photo has been read.
  var isAtEnd: Bool { nextItem == items.count && lanes.isEmpty }

  /// Fills an empty set: with a chunk of each open photo, and, as far as there is room, with further photos.
  ///
  /// - Throws: `CancellationError`, or an error that does not concern a photo.
  mutating func fill(_ set: PieceSet) throws {
    for lane in lanes.indices {
      lanes[lane].range = 0..<0
      try read(lane, into: set)
    }
    while true {
      if openLanes < options.lanes, nextItem < items.count {
        guard set.room.count >= min(items[nextItem].size + 1, options.chunkSize) else { return }
        try openNext(into: set)
      } else if openLanes == 1, set.room.count >= options.chunkSize,
        let lane = lanes.lastIndex(where: { !$0.isAtEnd }), set.pieces.last?.item == lanes[lane].item
      {
        // no other photo waits, and the bytes follow those of the last chunk
        try read(lane, into: set)
      } else {
        return
      }
    }
  }

  /// Hashes the bytes of a set. Then `digests` has the checksums of the photos that end in it.
  mutating func hash(_ set: PieceSet) {
    MultiBufferMD5.update(&hashes, with: lanes.map { set[$0.range] })
    for (lane, hash) in zip(lanes, hashes) where lane.isAtEnd { digests[lane.item] = hash.digest }
    removeEnded()
  }

  /// Forgets the lanes of photos that were read to their end.
  mutating func removeEnded() {
    var kept = 0
    for lane in lanes.indices where !lanes[lane].isAtEnd {
      (lanes[kept], hashes[kept]) = (lanes[lane], hashes[lane])
      kept += 1
    }
    lanes.removeLast(lanes.count - kept)
    hashes.removeLast(hashes.count - kept)
  }

  private mutating func openNext(into set: PieceSet) throws {
    let item = nextItem
    nextItem += 1
    do {
      let stream = try Self.repeatingOnce { try reader.open(items[item].bytes, checksKind: false) }
      lanes.append(Lane(item: item, stream: stream))
    } catch let fault as PhotoFault {
      return faults.append(Fault(index: item, reason: fault))
    }
    hashes.append(MultiBufferMD5())
    openLanes += 1
    try read(lanes.count - 1, into: set)
  }

  /// Reads the next chunk of a lane.
  private mutating func read(_ index: Int, into set: PieceSet) throws {
    if isCancelled() { throw CancellationError() }
    let lane = lanes[index]
    guard let stream = lane.stream else { return }
    let left = items[lane.item].size - lane.position
    // one byte more than expected, to detect a longer file
    let wanted = min(left + 1, options.chunkSize)
    let count: Int
    do {
      let chunk = UnsafeMutableRawBufferPointer(rebasing: set.room[..<wanted])
      count =
        items[lane.item].bytes.isEncoded
        ? try stream.fill(chunk) : try Self.repeatingOnce { try stream.fill(chunk) }
      guard count <= left else { throw PhotoFault.tooLong }
      lanes[index].position += count
      if count < wanted {
        end(index)
        guard count == left else { throw PhotoFault.tooShort(bytes: lane.position + count) }
      } else if options.lanes > 1 {
        stream.announceReading(count: options.chunkSize)
      }
    } catch let fault as PhotoFault {
      if !lanes[index].isAtEnd { end(index) }
      return faults.append(Fault(index: lane.item, reason: fault))
    }
    lanes[index].range = set.add(count, of: lane.item, isLast: lanes[index].isAtEnd)
  }

  /// Repeats a call that failed: some disks and servers recover from an error.
  private static func repeatingOnce<Value>(_ call: () throws -> Value) throws -> Value {
    do {
      return try call()
    } catch PhotoFault.unreadable {
      return try call()
    }
  }

  private mutating func end(_ index: Int) {
    lanes[index].stream = nil
    openLanes -= 1
  }
}
