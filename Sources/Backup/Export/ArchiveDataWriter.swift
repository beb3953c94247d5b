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
      if isEncrypted {
        pass(chunk, number)
      } else if chunk.isPacked {
        try writePacked(chunk, number, to: file)
      } else {
        try writePiece(chunk, number, to: file)
      }
    if startsWriteBack && end - writeBackStart >= Self.writeBackSize {
      file.startWriteBack(from: writeBackStart, count: end - writeBackStart)
      writeBackStart = end
    }
  }

  /// Counts what `ArchiveWriter` has written itself, and returns where that ends, or nearly so: a part of it may still
  /// be in its buffer.
  private func pass(_ chunk: ChunkPlan.Chunk, _ number: Int) -> Int {
    let places = pool.places(number)
    guard chunk.isPacked else {
      progress(PipelineAdvance(item: chunk.items.lowerBound, bytes: chunk.length, isDone: chunk.isLast))
      return places[0].offset + chunk.offset + chunk.length
    }
    for item in chunk.items { progress(PipelineAdvance(item: item, bytes: items[item].size, isDone: true)) }
    return places[chunk.items.count - 1].offset
  }

  private func writePiece(
    _ chunk: ChunkPlan.Chunk, _ number: Int, to file: borrowing File
  ) throws(FileError) -> Int {
    let offset = pool.places(number)[0].offset + chunk.offset
    let bytes = UnsafeRawBufferPointer(rebasing: pool.buffer(number)[..<chunk.length])
    try file.write(bytes, at: offset)
    progress(PipelineAdvance(item: chunk.items.lowerBound, bytes: chunk.length, isDone: chunk.isLast))
    return offset + chunk.length
  }

  /// Items and the headers between them lie in the buffer as in the archive, so one write does. Where a
  /// header has another length than foreseen, another write begins behind it.
  private func writePacked(
    _ chunk: ChunkPlan.Chunk, _ number: Int, to file: borrowing File
  ) throws(FileError) -> Int {
    let buffer = UnsafeRawBufferPointer(pool.buffer(number))
    let places = pool.places(number)
    // what is to be written next: bytes of the buffer, and the first one's offset in the archive
    var run = 0..<0
    var runOffset = 0
    var position = 0
    for (index, item) in chunk.items.enumerated() {
      let place = places[index]
      position += items[item].headerSize
      let start = position - place.headerSize
      let offset = place.offset - place.headerSize
      position += items[item].size
      if start != run.upperBound || offset - runOffset != run.count {
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[run]), at: runOffset)
        run = start..<start
        runOffset = offset
      }
      run = run.lowerBound..<position
    }
    try file.write(UnsafeRawBufferPointer(rebasing: buffer[run]), at: runOffset)
    for item in chunk.items {
      progress(PipelineAdvance(item: item, bytes: items[item].size, isDone: true))
    }
    return runOffset + run.count
  }
}
