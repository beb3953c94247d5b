import Checksums
import FileSystem
import PhotoLibrary
import Secrets
import Zip

/// Writes photos and texts into a ZIP archive. One thread reads and hashes the photos, and renders the texts; the thread
/// of the caller computes their CRCs, deflates the texts, and writes. Three sets of chunks circulate between them.
struct PhotoPipeline: Sendable {
  /// The photos, in the archive's order. Their names must be distinct.
  var items: [PipelineItem]
  /// The number of photos that are read at a time, and the memory.
  var options = Options()
  /// Encrypts every entry; nil for no encryption.
  var password: Secret?

  /// The lanes and the memory of a pipeline.
  struct Options: Sendable {
    /// The number of photos that are read at a time. With one, they are read and written in the archive's order, as an
    /// encrypted archive needs, and some disks and file systems.
    var lanes = MultiBufferMD5.lanes
    /// The bytes that are read of a photo at a time: they stay in the processor's cache until they are hashed.
    var chunkSize = 256 << 10
    /// The number of sets.
    var sets = 3
    /// True to start write-back of finished parts at once, since a sync will follow.
    var startsWriteBack = false

    /// Bytes of a set: a chunk of each lane of an archive that is not encrypted.
    var setSize: Int { MultiBufferMD5.lanes * chunkSize }
  }

  /// The result of a pipeline.
  struct Result: Sendable {
    /// The length of the archive in bytes.
    var archiveSize: Int
    /// The checksums of the photos, in the items' order.
    var digests: [MD5Digest]
  }

  /// Empties `file` and writes the archive into it: the photos stored, then the texts deflated. Neither syncs nor
  /// publishes the file. Blocks until everything is written. The thread that it starts has ended when it returns or
  /// throws.
  ///
  /// The thread of the caller calls `progress` for every chunk after it was written: it must be quick, such as
  /// incrementing a counter. Both threads call `isCancelled` equally often. The other thread renders the texts.
  ///
  /// - Throws: `PipelineError` for photos, `FileError` for the archive's file, `CancellationError`, the error of a
  ///   text, `ArchiveWriteError`, `MemoryShortage`, or `ThreadError` if no thread can be started. `file` is then
  ///   not a valid archive.
  func write(
    _ texts: [PipelineText], to file: borrowing File,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping (PipelineAdvance) -> Void = { _ in }
  ) throws -> Result {
    var options = options
    if password != nil || items.contains(where: \.bytes.isEncoded) { options.lanes = 1 }
    let feed = try PhotoFeed(items, texts, options, isCancelled: isCancelled, progress: progress)
    defer { feed.stop() }
    var archive = try ArchiveWriter(password: password)
    for item in items {
      try archive.addStored(item.entryName, size: item.size, modified: item.modified)
    }
    for text in texts {
      try archive.addText(
        text.entryName, modified: text.modified, isCompressed: text.isCompressed, feed.nextText)
    }
    let size = try archive.write(
      to: file, stored: feed, startsWriteBack: options.startsWriteBack, isCancelled: isCancelled)
    return Result(archiveSize: size, digests: feed.digests)
  }

  /// Returns the number of photos to read at a time: one if a disk is slower when its head moves, or if the file system
  /// of the archive cannot write a file in any order.
  ///
  /// - Parameter sources: files on the disks to read.
  static func lanes(
    writing file: borrowing File, reading sources: [FileStatus.Identity]
  ) throws -> Int {
    let isOrderFree =
      try file.fileSystem().hasSparseFiles && !BlockDevice.isRotational(file.status().identity)
      && !sources.contains(where: BlockDevice.isRotational)
    return isOrderFree ? MultiBufferMD5.lanes : 1
  }

  /// Reads every photo to its end, writes nothing, and returns the photos for which `write` would fail, in the items'
  /// order. Blocks.
  ///
  /// - Throws: `CancellationError`, `MemoryShortage`, or `FileError` for an error that does not concern a photo.
  func faults(isCancelled: @escaping @Sendable () -> Bool = { false }) throws -> [LaneReader.Fault] {
    var reader = LaneReader(items, options, isCancelled: isCancelled)
    let set = try PieceSet(bytes: options.setSize)
    while !reader.isAtEnd {
      set.removeAll()
      try reader.fill(set)
      reader.removeEnded()
    }
    return reader.faults.sorted { $0.index < $1.index }
  }
}
