import FileSystem
import Synchronization

/// How far a pipeline is. Written by its writer, read by whoever shows it, at any time.
final class PipelineProgress: Sendable {
  private let bytes = Atomic<Int>(0)
  private let item = Atomic<Int>(0)

  /// Photo bytes in the archive so far.
  var bytesWritten: Int { bytes.load(ordering: .relaxed) }
  /// The item that is being written, or was written last.
  var currentItem: Int { item.load(ordering: .relaxed) }

  /// Begins anew, for the second try of an export.
  func reset() {
    bytes.store(0, ordering: .relaxed)
    item.store(0, ordering: .relaxed)
  }

  func advance(_ count: Int, item index: Int) {
    bytes.add(count, ordering: .relaxed)
    item.store(index, ordering: .relaxed)
  }
}

/// Writes the photos' bytes from the shared buffers to their places in the archive, each chunk once libzip
/// is done with it, since only then the places of all its items are known.
struct ArchiveDataWriter {
  let items: [PipelineItem]
  let pool: BufferPool
  let progress: PipelineProgress
  let startsWriteBack: Bool
  private var writeBackStart = 0
  /// Bytes for which write-back is started at once.
  private static let writeBackSize = 8 << 20

  init(_ items: [PipelineItem], _ pool: BufferPool, _ progress: PipelineProgress, startsWriteBack: Bool) {
    self.items = items
    self.pool = pool
    self.progress = progress
    self.startsWriteBack = startsWriteBack
  }

  mutating func write(
    _ chunk: ChunkPlan.Chunk, _ number: Int, to file: borrowing File
  ) throws(FileError) {
    let offsets = pool.offsets(number)
    let buffer = UnsafeRawBufferPointer(pool.buffer(number))
    var position = 0
    var end = 0
    for item in chunk.items {
      let length = chunk.isPart ? chunk.length : items[item].size
      let offset = offsets[item - chunk.items.lowerBound] + chunk.offset
      try file.write(UnsafeRawBufferPointer(rebasing: buffer[position..<position + length]), at: offset)
      position += length
      end = offset + length
      progress.advance(length, item: item)
    }
    if startsWriteBack && end - writeBackStart >= Self.writeBackSize {
      file.startWriteBack(from: writeBackStart, count: end - writeBackStart)
      writeBackStart = end
    }
  }
}
