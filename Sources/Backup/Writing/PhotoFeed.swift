import Checksums
import Operations
import Zip

/// The photos of a new archive. A thread reads and hashes them, and hands over their bytes in sets, which circulate
/// between it and the thread that writes. So each file is read once, a checksum is that of the archive's bytes, and the
/// memory does not depend on the photos' sizes.
///
/// After the first photo that cannot be read, the thread only looks for further ones, and hands over nothing.
final class PhotoFeed: StoredContents {
  private struct Exchange {
    var free: [PieceSet]
    var filled: [PieceSet] = []
    /// The checksums of all photos, when all sets are filled.
    var digests: [MD5Digest]?
    var failure: (any Error)?
  }

  private let monitor: Monitor<Exchange>
  private let progress: (PipelineAdvance) -> Void
  private var thread = WorkerThreads()
  /// The set that is being written.
  private var current: PieceSet?

  /// Starts the thread that reads. Call `stop` before the value is released.
  ///
  /// - Throws: `MemoryShortage`, or `ThreadError`.
  init(
    _ items: [PipelineItem], _ options: PhotoPipeline.Options, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping (PipelineAdvance) -> Void,
    hashed: @escaping @Sendable (_ item: Int, MD5Digest) -> Void
  ) throws {
    let sets = try (0..<options.sets).map { _ in try PieceSet(bytes: options.setSize) }
    monitor = Monitor(Exchange(free: sets))
    self.progress = progress
    // with the stack that libzip needs to read an entry of another archive
    try thread.start(stackSize: 1 << 20) { [monitor] in
      do {
        try Self.read(LaneReader(items, options, isCancelled: isCancelled), monitor, hashed)
      } catch {
        Self.fail(error, monitor)
      }
    }
  }

  private static func read(
    _ reader: LaneReader, _ monitor: Monitor<Exchange>, _ hashed: (_ item: Int, MD5Digest) -> Void
  ) throws {
    var reader = reader
    while !reader.isAtEnd {
      let set = try monitor.wait { state in
        if let failure = state.failure { throw failure }
        return state.free.popLast()
      }
      try reader.fill(set)
      if reader.faults.isEmpty {
        reader.hash(set, hashed)
      } else {
        reader.removeEnded()
      }
      monitor.withLock { state in
        if reader.faults.isEmpty {
          state.filled.append(set)
        } else {
          state.free += state.filled + [set]
          state.filled = []
        }
      }
    }
    guard reader.faults.isEmpty else { throw PipelineError.unreadable(reader.faults) }
    monitor.withLock { $0.digests = reader.digests.compactMap(\.self) }
  }

  /// Keeps the first error.
  private static func fail(_ error: any Error, _ monitor: Monitor<Exchange>) {
    monitor.withLock { $0.failure = $0.failure ?? error }
  }

  func next() throws -> [StoredPiece]? {
    release()
    var filled: PieceSet?
    try monitor.wait { state -> Void? in
      if let failure = state.failure { throw failure }
      if !state.filled.isEmpty { filled = state.filled.removeFirst() }
      return filled == nil && state.digests == nil ? nil : ()
    }
    current = filled
    return filled.map { set in
      set.pieces.map { StoredPiece(entry: $0.item, set[$0.range], isLast: $0.isLast) }
    }
  }

  /// Returns the written set to the thread that reads.
  private func release() {
    guard let set = current else { return }
    current = nil
    for piece in set.pieces {
      progress(PipelineAdvance(item: piece.item, bytes: piece.range.count, isDone: piece.isLast))
    }
    monitor.withLock { $0.free.append(set) }
  }

  /// The checksums of all photos, in the items' order. Empty before `next` has returned nil.
  var digests: [MD5Digest] { monitor.withLock { $0.digests ?? [] } }

  /// Ends the thread that reads, and waits until it has ended.
  func stop() {
    Self.fail(CancellationError(), monitor)
    var ended = WorkerThreads()
    swap(&ended, &thread)
    ended.join()
  }
}
