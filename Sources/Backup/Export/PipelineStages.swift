import Checksums
import FileSystem

/// The loops of a pipeline's threads. Each ends when no work is left or the run has failed.
struct PipelineStages: Sendable {
  let monitor: Monitor<PipelineState>
  let pool: BufferPool
  let chunkCount: Int

  /// Fills buffers.
  func read(_ reader: PhotoReader) {
    attempt {
      var filled: Int?
      while true {
        let task = try monitor.wait(on: PipelineState.Condition.free) { state, signal in
          if let number = filled.take() { state.filled(number, signal) }
          return try state.claim(signal)
        }
        guard let task else { return }
        try reader.read(task.chunk, task.file, into: pool.buffer(task.number))
        filled = task.number
      }
    }
  }

  /// Hashes the items.
  func hash(_ items: [PipelineItem], _ hashed: (_ item: Int, MD5Digest) -> Void) {
    attempt {
      var hasher = ParallelMD5Hasher(items, pool)
      var done: [ParallelMD5Hasher.Done] = []
      while try monitor.wait(
        on: PipelineState.Condition.hashable,
        { state, signal in
          for chunk in done { state.hashed(chunk, signal) }
          done = []
          for (number, chunk) in try state.takeHashable() { hasher.add(chunk, number) }
          if state.isHashed { return false }
          return hasher.fillsLanes || state.isStarved ? true : nil
        })
      {
        done = hasher.hash()
        for chunk in done { for (item, digest) in chunk.digests { hashed(item, digest) } }
      }
    }
  }

  /// Writes the chunks that `ArchiveWriter` has finished.
  func write(_ writer: ArchiveDataWriter, _ file: borrowing File) {
    var writer = writer
    do {
      var written: Int?
      for number in 0..<chunkCount {
        let (chunk, headers) = try monitor.wait(on: PipelineState.Condition.zipped) { state, signal in
          if let number = written.take() { state.written(number, signal) }
          return try state.writableChunk(number)
        }
        for header in headers { try file.write(header.bytes, at: header.offset) }
        try writer.write(chunk, number, to: file)
        written = number
      }
      if let written { monitor.withLock { $0.written(written, $1) } }
    } catch {
      monitor.withLock { $0.fail(error, $1) }
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      monitor.withLock { $0.fail(error, $1) }
    }
  }
}
