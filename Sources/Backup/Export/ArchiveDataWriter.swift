import FileSystem

/// Writes the photos' bytes from the shared buffers to their places in the archive, each chunk once `ArchiveWriter`
/// is done with it, since only then the places of all its items are known.
struct ArchiveDataWriter {
  let items: [PipelineItem]
  let pool: BufferPool
  let isEncrypted: Bool
  let startsWriteBack: Bool
  let progress: @Sendable (PipelineAdvance) -> Void
  private var writeBackStart = 0
  /// Bytes for which write-back is started at once.
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

  /// Counts what `ArchiveWriter` has written itself, and returns where that ends, or nearly so: a part of it may still
  /// be in its buffer.
  private func pass(_ chunk: ChunkPlan.Chunk, _ number: Int) -> Int {
    advance(chunk)
    return pool[placeOf: number] + chunk.offset + chunk.length
  }

  private func advance(_ chunk: ChunkPlan.Chunk) {
    guard chunk.isPacked else {
      return progress(
        PipelineAdvance(item: chunk.items.lowerBound, bytes: chunk.length, isDone: chunk.isLast))
    }
    for item in chunk.items { progress(PipelineAdvance(item: item, bytes: items[item].size, isDone: true)) }
  }

  /// A piece of an item; or items and the headers between them, which lie in the buffer as in the archive.
  private func store(
    _ chunk: ChunkPlan.Chunk, _ number: Int, in file: borrowing File
  ) throws(FileError) -> Int {
    let header = chunk.isPacked ? items[chunk.items.lowerBound].headerSize : 0
    let offset = pool[placeOf: number] + chunk.offset - header
    try file.write(UnsafeRawBufferPointer(rebasing: pool.buffer(number)[..<chunk.length]), at: offset)
    advance(chunk)
    return offset + chunk.length
  }
}
