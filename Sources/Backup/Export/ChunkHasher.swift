import Checksums
import PhotoLibrary

/// Computes the MD5 of items out of the chunks that belong together, in order: all pieces of a large item,
/// or one chunk of packed ones.
struct ChunkHasher {
  private let items: [PipelineItem]
  private var piece = RunningMD5()

  init(_ items: [PipelineItem]) { self.items = items }

  /// Takes the next chunk, and returns the checksums that became known with it, in the items' order.
  mutating func take(_ chunk: ChunkPlan.Chunk, _ buffer: UnsafeRawBufferPointer) -> [MD5Digest] {
    guard chunk.isPacked else {
      piece.update(UnsafeRawBufferPointer(rebasing: buffer[..<chunk.length]))
      return chunk.isLast ? [piece.digest] : []
    }
    var position = 0
    return chunk.items.map { item in
      position += items[item].headerSize
      defer { position += items[item].size }
      var whole = RunningMD5()
      whole.update(UnsafeRawBufferPointer(rebasing: buffer[position..<position + items[item].size]))
      return whole.digest
    }
  }
}
