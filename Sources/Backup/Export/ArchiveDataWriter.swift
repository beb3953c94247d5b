import FileSystem

/// Writes the photos' bytes from the shared buffers to their offsets in the archive. Writes a chunk after
/// `ArchiveWriter` has finished it, since only then the offsets of all its items are known.
struct ArchiveDataWriter {
  let items: [PipelineItem]
  let pool: BufferPool
  let isEncrypted: Bool
  let startsWriteBack: Bool
  let progress: @Sendable (PipelineAdvance) -> Void
  private var writeBackStart = 0
  /// The number of written bytes after which write-back starts.
  private static let writeBackSize = 8 << 20

  init(
    _ items: [PipelineItem], _ pool: BufferPool, isEncrypted: Bool, startsWriteBack: Bool,
    progress: @escaping @Sendable (PipelineAdvance) -> Void
  ) {
    self.items = items
    self.pool = pool
    self.isEncrypted = isEncrypted
    self.startsWriteBack = startsWriteBack
    self.progress = progress
  }

  mutating func write(
    _ chunk: ChunkPlan.Chunk, _ number: Int, to file: borrowing File
  ) throws(FileError) {
    let end =
      if isEncrypted { pass(chunk, number) } else { try store(chunk, number, in: file) }
    if startsWriteBack && end - writeBackStart >= Self.writeBackSize {
      file.startWriteBack(from: writeBackStart, count: end - writeBackStart)
      writeBackStart = end
    }
  }

  /// Counts the bytes that `ArchiveWriter` has written itself. Returns approximately their end in the archive: some
  /// of them may still be in the buffer of `ArchiveWriter`.
  private func pass(_ chunk: ChunkPlan.Chunk, _ number: Int) -> Int {
    advance(chunk)
    return pool[dataOffsetOf: number] + chunk.offset + chunk.length
  }

  private func advance(_ chunk: ChunkPlan.Chunk) {
    guard chunk.isPacked else {
      return progress(
        PipelineAdvance(item: chunk.items.lowerBound, bytes: chunk.length, isDone: chunk.isLast))
    }
    for item in chunk.items { progress(PipelineAdvance(item: item, bytes: items[item].size, isDone: true)) }
  }

  /// Writes a piece of an item, or several items with the headers between them. The buffer has the same layout as
  /// the archive.
  private func store(
    _ chunk: ChunkPlan.Chunk, _ number: Int, in file: borrowing File
  ) throws(FileError) -> Int {
    let header = chunk.isPacked ? items[chunk.items.lowerBound].headerSize : 0
    let offset = pool[dataOffsetOf: number] + chunk.offset - header
    try file.write(UnsafeRawBufferPointer(rebasing: pool.buffer(number)[..<chunk.length]), at: offset)
    advance(chunk)
    return offset + chunk.length
  }
}
