import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Writes photos into a ZIP archive and hashes them on the way, reading each file once. Reader threads
/// fill a bounded pool of buffers; a hasher, the archive's `ArchiveWriter` and a thread that writes share each buffer, so that a checksum is
/// that of the archive's bytes by construction, and memory stays flat whatever the photos' sizes.
///
/// ```
///            ┌▶ hasher ───────────▶ digests ─┐
///  readers ──┤                               ▼
///  (buffers) └▶ records ─▶ headers, CRC ─▶ metadata
///                  └────▶ writer ─▶ photo bytes, by offset
/// ```
///
/// In an encrypted archive `ArchiveWriter` writes the photos' bytes too, and the thread that writes only counts them and
/// frees the buffers.
struct PhotoPipeline: Sendable {
  /// The photos, in the archive's order. Names must be distinct.
  var items: [PipelineItem]
  /// How many threads and how much memory.
  var options = Options()
  /// Encrypts every entry, if there is one.
  var password: Secret?

  /// A pipeline's threads and memory.
  struct Options: Sendable {
    /// Threads that read files.
    var readers = 2
    /// Buffers shared by all stages.
    var bufferCount = 48
    /// Bytes of a buffer.
    var bufferSize = 1 << 20
    /// Whether the kernel is told to write out finished parts at once, since a sync will follow.
    var startsWriteBack = false
  }

  /// What came of it.
  struct Result: Sendable {
    /// The archive's bytes.
    var archiveSize: Int
    /// The checksums of the photos, in the items' order.
    var digests: [MD5Digest]
  }

  /// Empties `file` and writes the archive into it: the photos stored, then the texts deflated. Nothing is
  /// synced or published. Blocks until all is written, so it wants a thread of its own; the threads that it
  /// starts have ended when it returns or throws.
  ///
  /// `progress` is called by one thread, in the items' order, for every buffer and every small file: it
  /// must be quick, like bumping a counter. `isCancelled` is asked as often, by several threads.
  ///
  /// Throws `PipelineError` for an item, `FileError` for the archive's file, `CancellationError`, what a
  /// text threw, `ArchiveWriteError`, `MemoryShortage`, or `ThreadError` where no thread can be started; `file`
  /// then holds no archive.
  func write(
    _ texts: [PipelineText], to file: borrowing File,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (PipelineAdvance) -> Void = { _ in }
  ) throws -> Result {
    let plan = ChunkPlan(items, chunkSize: options.bufferSize)
    let pool = try BufferPool(count: options.bufferCount, size: options.bufferSize)
    let state = PipelineState(plan, itemCount: items.count, slots: options.bufferCount)
    let monitor = Monitor(state, conditions: PipelineState.Condition.count)
    let feed = ArchiveFeed(monitor, pool, items, isEncrypted: password != nil)

    var archive = try ArchiveWriter(password: password)
    for item in items {
      try archive.addPlaced(item.entryName, size: item.size, modified: item.modified)
    }
    for text in texts {
      try archive.addText(text.entryName, modified: text.modified) { write in
        try text.render(try feed.digests(), write)
      }
    }

    let writer = ArchiveDataWriter(
      items, pool, isEncrypted: password != nil, startsWriteBack: options.startsWriteBack, progress: progress)
    let stages = PipelineStages(monitor: monitor, pool: pool, chunkCount: state.chunkCount)
    let reader = PhotoReader(items: items, isCancelled: isCancelled)
    return try withUnsafePointer(to: file) { file in
      let shared = SharedPointer(file)
      var threads = WorkerThreads()
      var result = Result(archiveSize: 0, digests: [])
      do {
        for _ in 0..<max(options.readers, 1) { try threads.start { stages.read(reader) } }
        try threads.start { stages.hash(items) }
        try threads.start { stages.write(writer, shared.pointer.pointee) }
        let size = try archive.write(to: file.pointee, placed: feed, isCancelled: isCancelled)
        result = Result(archiveSize: size, digests: try feed.digests())
      } catch {
        monitor.withLock { $0.fail(error, $1) }
      }
      threads.join()
      if let failure = monitor.withLock({ state, _ in state.failure }) { throw failure }
      return result
    }
  }
}

/// A pointer for the threads of one call, which all end before it does.
///
/// `@unchecked Sendable` because the compiler cannot see that: `PhotoPipeline.write` joins its threads
/// before it lets go of the file.
private struct SharedPointer: @unchecked Sendable {
  let pointer: UnsafePointer<File>
  init(_ pointer: UnsafePointer<File>) { self.pointer = pointer }
}
