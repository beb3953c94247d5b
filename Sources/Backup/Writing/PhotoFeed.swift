import Checksums
import Operations
import Zip

/// The photos and texts of a new archive. A thread reads and hashes the photos, then renders the texts, and hands over
/// the bytes in sets, which circulate between it and the thread that writes. So each file is read once, a checksum is
/// that of the archive's bytes, and the memory does not depend on the sizes.
///
/// After the first photo that cannot be read, the thread only looks for further ones, and hands over nothing.
final class PhotoFeed: StoredContents {
  private struct Exchange {
    var free: [PieceSet]
    var filled: [PieceSet] = []
    /// The checksums of all photos, when their sets are filled.
    var digests: [MD5Digest] = []
    var failure: (any Error)?
  }

  private let monitor: Monitor<Exchange>
  private let progress: (PipelineAdvance) -> Void
  private var thread = WorkerThreads()
  /// The set that is being written.
  private var current: PieceSet?
  /// True if all photos were passed on.
  private var isAtTexts = false

  /// Starts the thread that reads. Call `stop` before the value is released.
  ///
  /// - Throws: `MemoryShortage`, or `ThreadError`.
  init(
    _ items: [PipelineItem], _ texts: [PipelineText], _ options: PhotoPipeline.Options,
    isCancelled: @escaping @Sendable () -> Bool, progress: @escaping (PipelineAdvance) -> Void
  ) throws {
    let sets = try (0..<options.sets).map { _ in try PieceSet(bytes: options.setSize) }
    monitor = Monitor(Exchange(free: sets))
    self.progress = progress
    // the caller waits for the thread before it uses what the texts refer to
    nonisolated(unsafe) let texts = texts
    // with the stack that libzip needs to read an entry of another archive
    try thread.start(stackSize: 1 << 20) { [monitor] in
      do {
        let digests = try Self.read(LaneReader(items, options, isCancelled: isCancelled), monitor)
        for text in texts { try Self.render(text, digests, monitor, options.chunkSize) }
      } catch {
        Self.fail(error, monitor)
      }
    }
  }

  private static func read(
    _ reader: LaneReader, _ monitor: Monitor<Exchange>
  ) throws -> [MD5Digest] {
    var reader = reader
    repeat {
      let set = try emptySet(monitor)
      try reader.fill(set)
      if reader.faults.isEmpty {
        reader.hash(set)
      } else {
        reader.removeEnded()
      }
      set.isLast = reader.isAtEnd
      monitor.withLock { state in
        if reader.faults.isEmpty {
          state.filled.append(set)
          if set.isLast { state.digests = reader.digests.compactMap(\.self) }
        } else {
          state.free += state.filled + [set]
          state.filled = []
        }
      }
    } while !reader.isAtEnd
    guard reader.faults.isEmpty else { throw PipelineError.unreadable(reader.faults) }
    return reader.digests.compactMap(\.self)
  }

  /// Renders a text, and hands it over in chunks.
  private static func render(
    _ text: PipelineText, _ digests: [MD5Digest], _ monitor: Monitor<Exchange>, _ chunkSize: Int
  ) throws {
    var set = try emptySet(monitor)
    try text.render(digests) { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        if set.count == chunkSize {
          monitor.withLock { $0.filled.append(set) }
          set = try emptySet(monitor)
        }
        let chunk = rest.prefix(chunkSize - set.count)
        set.room.copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk))
        set.add(chunk.count, of: 0, isLast: false)
        rest = rest.dropFirst(chunk.count)
      }
    }
    set.isLast = true
    monitor.withLock { $0.filled.append(set) }
  }

  private static func emptySet(_ monitor: Monitor<Exchange>) throws -> PieceSet {
    let set = try monitor.wait { state in
      if let failure = state.failure { throw failure }
      return state.free.popLast()
    }
    set.removeAll()
    return set
  }

  /// Keeps the first error.
  private static func fail(_ error: any Error, _ monitor: Monitor<Exchange>) {
    monitor.withLock { $0.failure = $0.failure ?? error }
  }

  func next() throws -> [StoredPiece]? {
    guard !isAtTexts else { return nil }
    if let current {
      for piece in current.pieces {
        progress(PipelineAdvance(item: piece.item, bytes: piece.range.count, isDone: piece.isLast))
      }
      isAtTexts = current.isLast
      if isAtTexts { return nil }
    }
    let set = try nextSet()
    return set.pieces.map { StoredPiece(entry: $0.item, set[$0.range], isLast: $0.isLast) }
  }

  /// Passes on the next text, piece by piece. Call it when `next` has returned nil.
  func nextText(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    var set: PieceSet
    repeat {
      set = try nextSet()
      try write(set[0..<set.count])
    } while !set.isLast
  }

  /// Returns the written set to the thread that fills it, and waits for the next one.
  private func nextSet() throws -> PieceSet {
    if let written = current { monitor.withLock { $0.free.append(written) } }
    current = nil
    let set = try monitor.wait { state in
      if let failure = state.failure { throw failure }
      return state.filled.isEmpty ? nil : state.filled.removeFirst()
    }
    current = set
    return set
  }

  /// The checksums of all photos, in the items' order. Empty before `next` has returned nil.
  var digests: [MD5Digest] { monitor.withLock { $0.digests } }

  /// Ends the thread that reads, and waits until it has ended.
  func stop() {
    Self.fail(CancellationError(), monitor)
    var ended = WorkerThreads()
    swap(&ended, &thread)
    ended.join()
  }
}
