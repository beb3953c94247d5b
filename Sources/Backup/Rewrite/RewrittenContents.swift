import Checksums
import FileSystem
import Operations
import Zip

/// The photos of a new archive, read from other archives or from a library. A thread reads, decrypts and hashes the
/// photos one after the other, and passes each piece to the thread that writes.
final class RewrittenContents: StoredContents {
  private enum Condition {
    static let full = 0
    static let empty = 1
    static let count = 2
  }

  /// The piece in the buffer, until the writer has used it.
  private struct Handover {
    var count = 0
    var isGivenUp = false
    var failure: (any Error)?
  }

  /// The raw bytes of one piece. `@unchecked Sendable` because the compiler cannot see that the monitor orders the
  /// reader's write before the writer's read, and the writer's read before the next piece.
  private final class Buffer: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    init() throws(MemoryShortage) { bytes = try .pages(byteCount: EntryReader.pieceSize) }
    deinit { bytes.freePages() }
  }

  private let monitor = Monitor(Handover(), conditions: Condition.count)
  private let buffer: Buffer
  private let items: [RewrittenPhoto]
  private let counter: ProgressCounter
  private var threads = WorkerThreads()
  /// The index of the photo whose bytes come next, and the number of its bytes that were passed to the writer.
  private var item = 0
  private var given = 0
  /// True if the piece in the buffer has been passed to the writer.
  private var isHolding = false

  /// Starts the thread that reads.
  init(_ items: [RewrittenPhoto], _ counter: ProgressCounter) throws {
    buffer = try Buffer()
    self.items = items
    self.counter = counter
    try threads.start(stackSize: 1 << 20) { [monitor, buffer, items, counter] in
      do {
        for item in items { try Self.read(item, monitor, buffer, counter) }
      } catch {
        monitor.withLock { state, signal in
          state.failure = error
          signal.wakeAll()
        }
      }
    }
  }

  deinit {
    monitor.withLock { state, signal in
      state.isGivenUp = true
      signal.wakeAll()
    }
  }

  private static func read(
    _ item: RewrittenPhoto, _ monitor: Monitor<Handover>, _ buffer: Buffer, _ counter: ProgressCounter
  ) throws {
    var hash = RunningMD5()
    var size = 0
    let fault = try item.bytes.read { piece in
      try counter.checkCancellation()
      size += piece.count
      guard size <= item.size else {
        throw BackupError.unstablePhoto("photos/\(item.fileName)", reason: "it is too long")
      }
      hash.update(piece)
      precondition(piece.count <= EntryReader.pieceSize, "photos are read in pieces of that size")
      _ = try monitor.wait(on: Condition.empty) { state, _ in
        if state.isGivenUp { throw CancellationError() }
        return state.count == 0 ? true : nil
      }
      buffer.bytes.copyMemory(from: piece)
      monitor.withLock { state, signal in
        state.count = piece.count
        signal.wake(Condition.full)
      }
    }
    // the photo was intact a moment ago
    guard fault == nil, size == item.size, hash.digest == item.md5 else {
      throw BackupError.unstablePhoto("photos/\(item.fileName)", reason: fault ?? "its bytes changed")
    }
  }

  func next() throws -> [StoredPiece]? {
    release()
    guard item < items.count else { return nil }
    if given == 0 { counter.advance(current: items[item].fileName) }
    var count = 0
    if items[item].size > 0 {
      count = try monitor.wait(on: Condition.full) { state, _ in
        if state.count > 0 { return state.count }
        if let failure = state.failure { throw failure }
        return nil
      }
      isHolding = true
    }
    given += count
    let isLast = given >= items[item].size
    counter.advance(items: isLast ? 1 : 0, bytes: count)
    defer { if isLast { (item, given) = (item + 1, 0) } }
    return [
      StoredPiece(
        entry: item, UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), isLast: isLast)
    ]
  }

  /// Returns the buffer to the reader, if the writer has used its piece.
  private func release() {
    guard isHolding else { return }
    isHolding = false
    monitor.withLock { state, signal in
      state.count = 0
      signal.wake(Condition.empty)
    }
  }

  /// Waits until the reader has checked the last photo, and throws its error. No further piece would report that
  /// error.
  func finish() throws {
    var ended = WorkerThreads()
    swap(&ended, &threads)
    ended.join()
    if let failure = monitor.withLock({ state, _ in state.failure }) { throw failure }
  }
}
