import Checksums
import PhotoLibrary

/// The state of every chunk. Chunks are numbered in order. A reader fills a chunk, the hasher and `ArchiveWriter`
/// read it, the writer writes it after `ArchiveWriter` has finished it, and then its buffer is free for the chunk
/// `count` numbers later.
struct PipelineState {
  /// The conditions that the threads wait for.
  enum Condition {
    static let free = 0
    static let filled = 1
    static let zipped = 2
    static let hashable = 3
    static let count = 4
  }

  /// The next task of a reader.
  struct Task {
    var number: Int
    var chunk: ChunkPlan.Chunk
    /// The open file that the chunks of a large item share.
    var file: SharedFile?
  }

  /// A local header that is written separately from its entry's data.
  struct Header {
    var offset: Int
    var bytes: [UInt8]
  }

  private struct Slot {
    var chunk: ChunkPlan.Chunk
    var number = -1
    var isFilled = false
    var isHashed = true
    var isWritten = true
    var isFree: Bool { isHashed && isWritten }
  }

  /// The number of chunks.
  let chunkCount: Int
  /// The known checksums, in the items' order.
  private var digests: [MD5Digest?]
  /// Why the run ended early.
  private(set) var failure: (any Error)?

  private var plan: ChunkPlan
  private var slots: [Slot]
  private var claimed = 0
  private var zipped = 0
  private var filledCount = 0
  private var hashable: [(number: Int, chunk: ChunkPlan.Chunk)] = []
  private var hashed = 0
  private var written = 0
  private var headers: [Header] = []
  private var currentFile: SharedFile?

  init(_ plan: ChunkPlan, itemCount: Int, slots count: Int) {
    self.plan = plan
    chunkCount = plan.count
    digests = Array(repeating: nil, count: itemCount)
    let none = ChunkPlan.Chunk(items: 0..<0, isPacked: true, offset: 0, length: 0, isLast: true)
    slots = Array(repeating: Slot(chunk: none), count: count)
  }

  /// Ends the run: every thread that waits or asks gets the error. Keeps the first error.
  mutating func fail(_ error: any Error, _ signal: Signal) {
    if failure == nil { failure = error }
    signal.wakeAll()
  }

  private func checkFailure() throws {
    if let failure { throw failure }
  }

  // MARK: Readers

  /// Returns the next chunk to read: `.none` to wait for its buffer, `.some(nil)` at the end.
  mutating func claim(_ signal: Signal) throws -> Task?? {
    try checkFailure()
    let number = claimed
    guard number < chunkCount else {
      signal.wake(Condition.free)
      return .some(nil)
    }
    guard slots[number % slots.count].isFree else { return .none }
    guard let chunk = plan.next() else { return .some(nil) }
    slots[number % slots.count] = Slot(
      chunk: chunk, number: number, isHashed: false, isWritten: false)
    if !chunk.isPacked && chunk.offset == 0 { currentFile = SharedFile() }
    let task = Task(number: number, chunk: chunk, file: currentFile)
    if chunk.isLast { currentFile = nil }
    claimed += 1
    if claimed == chunkCount || slots[claimed % slots.count].isFree { signal.wake(Condition.free) }
    return task
  }

  /// Records that a chunk's bytes are in its buffer.
  mutating func filled(_ number: Int, _ signal: Signal) {
    slots[number % slots.count].isFilled = true
    filledCount += 1
    hashable.append((number, slots[number % slots.count].chunk))
    signal.wake(Condition.filled)
    signal.wake(Condition.hashable)
  }

  // MARK: ArchiveWriter

  /// Returns a filled chunk; nil to wait.
  func filledChunk(_ number: Int) throws -> ChunkPlan.Chunk? {
    try checkFailure()
    let slot = slots[number % slots.count]
    return slot.number == number && slot.isFilled ? slot.chunk : nil
  }

  /// Records that `ArchiveWriter` has finished every chunk below `number`, and these headers.
  mutating func zipped(upTo number: Int, taking headers: inout [Header], _ signal: Signal) {
    self.headers.append(contentsOf: headers)
    headers.removeAll(keepingCapacity: true)
    if zipped == number { return }
    zipped = number
    signal.wake(Condition.zipped)
  }

  /// Returns every item's checksum after the file contains all items; nil to wait. So the texts after the items
  /// leave no gap before them, which some file systems do not support.
  func allDigests() throws -> [MD5Digest]? {
    try checkFailure()
    return isHashed && written == chunkCount ? digests.compactMap(\.self) : nil
  }

  // MARK: Writer

  /// Returns a chunk that can be written, and headers to write; nil to wait.
  mutating func writableChunk(_ number: Int) throws -> (ChunkPlan.Chunk, [Header])? {
    try checkFailure()
    guard zipped > number else { return nil }
    defer { headers = [] }
    return (slots[number % slots.count].chunk, headers)
  }

  /// Records that a chunk's bytes are in the file.
  mutating func written(_ number: Int, _ signal: Signal) {
    slots[number % slots.count].isWritten = true
    written += 1
    if written == chunkCount { signal.wake(Condition.filled) }
    wakeReader(number, signal)
  }

  // MARK: Hasher

  /// Returns the chunks that have been filled since the last call.
  mutating func takeHashable() throws -> [(number: Int, chunk: ChunkPlan.Chunk)] {
    try checkFailure()
    defer { hashable.removeAll(keepingCapacity: true) }
    return hashable
  }

  /// True if no reader will fill another chunk before a chunk is hashed.
  var isStarved: Bool {
    filledCount == claimed && (claimed == chunkCount || !slots[claimed % slots.count].isHashed)
  }

  /// True if every chunk is hashed.
  var isHashed: Bool { hashed == chunkCount }

  /// Records that a chunk has been hashed.
  mutating func hashed(_ chunk: ParallelMD5Hasher.Done, _ signal: Signal) {
    for (item, digest) in chunk.digests { digests[item] = digest }
    slots[chunk.number % slots.count].isHashed = true
    hashed += 1
    if isHashed { signal.wake(Condition.filled) }
    wakeReader(chunk.number, signal)
  }

  private func wakeReader(_ number: Int, _ signal: Signal) {
    let index = number % slots.count
    if slots[index].isFree && claimed % slots.count == index { signal.wake(Condition.free) }
  }

  typealias Signal = Monitor<PipelineState>.Signal
}
