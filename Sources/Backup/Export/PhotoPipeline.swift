import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Writes photos into a ZIP archive and hashes them on the way, reading each file once. Reader threads fill a bounded
/// pool of buffers. A hasher, the archive's `ArchiveWriter` and a writer thread share each buffer. So a checksum is by
/// construction that of the archive's bytes, and the memory does not depend on the photos' sizes.
///
/// ```
///            ┌▶ hasher ───────────▶ digests ─┐
///  readers ──┤                               ▼
///  (buffers) └▶ records ─▶ headers, CRC ─▶ metadata
///                  └────▶ writer ─▶ photo bytes, by offset
/// ```
///
/// In an encrypted archive, `ArchiveWriter` writes the photos' bytes too, and the writer thread only counts them
/// and frees the buffers.
struct PhotoPipeline: Sendable {
  /// The photos, in the archive's order. Their names must be distinct.
  var items: [PipelineItem]
  /// The number of threads and the memory.
  var options = Options()
  /// Encrypts every entry; nil for no encryption.
  var password: Secret?

  /// The threads and the memory of a pipeline.
  struct Options: Sendable {
    /// The number of threads that read files.
    var readers = 2
    /// The number of buffers that all stages share.
    var bufferCount = 48
    /// Bytes of a buffer.
    var bufferSize = 1 << 20
    /// True to start write-back of finished parts at once, since a sync will follow.
    var startsWriteBack = false
  }

  /// The result of a pipeline.
  struct Result: Sendable {
    /// The length of the archive in bytes.
    var archiveSize: Int
    /// The checksums of the photos, in the items' order.
    var digests: [MD5Digest]
  }

  /// Empties `file` and writes the archive into it: the photos stored, then the texts deflated. Neither syncs nor
  /// publishes the file. Blocks until everything is written, so call this method on a thread of its own. All
  /// threads that it starts have ended when it returns or throws.
  ///
  /// One thread calls `progress`, in the items' order, for every buffer and every small file: it must be quick,
  /// such as incrementing a counter. Several threads call `isCancelled` equally often. Another thread calls `hashed` with
  /// the checksum of each item when it is known, in any order.
  ///
  /// - Throws: `PipelineError` for an item, `FileError` for the archive's file, `CancellationError`, the error of a
  ///   text, `ArchiveWriteError`, `MemoryShortage`, or `ThreadError` if no thread can be started. `file` is then
  ///   not a valid archive.
  func write(
    _ texts: [PipelineText], to file: borrowing File,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (PipelineAdvance) -> Void = { _ in },
    hashed: @escaping @Sendable (_ item: Int, MD5Digest) -> Void = { _, _ in }
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
      try archive.addText(text.entryName, modified: text.modified, isCompressed: text.isCompressed) { write in
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
        try threads.start { stages.hash(items, hashed) }
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

/// A pointer for the threads of one call, all of which end before the call returns.
///
/// `@unchecked Sendable` because the compiler cannot see that `PhotoPipeline.write` joins its threads before it
/// releases the file.
private struct SharedPointer: @unchecked Sendable {
  let pointer: UnsafePointer<File>
  init(_ pointer: UnsafePointer<File>) { self.pointer = pointer }
}
