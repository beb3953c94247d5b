import FileSystem

/// A stream that is read to its end while its MD5 is computed.
package protocol HashableStream: AnyObject {
  /// Reads the next bytes, and processes them. Returns fewer than the buffer's size only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Called after the last byte. An error ends the reading of all streams.
  func finish(_ digest: MD5Digest) throws

  /// Called after `read` threw an error; `read` is not called again. An error ends the reading of all streams.
  func fail(_ error: any Error) throws
}

/// Reads many streams alternately on one thread, and hashes their bytes in parallel while they are in the processor's
/// cache.
package enum MultiStreamMD5Reader {
  /// The most streams to read at a time: more than there are lanes, so that short pieces do not leave lanes empty.
  package static let maximumStreams = 2 * MultiBufferMD5.lanes
  /// The bytes that are read of a stream at a time, unless the caller asks for others.
  package static let pieceSize = 32 << 10
  /// The most memory for the pieces of all streams.
  private static let maximumMemory = 2 << 20

  /// Reads all streams that `next` returns, many at a time. Blocks; allocates a piece for each stream that is open, at
  /// most 2 MiB for all.
  /// - Parameters:
  ///   - streams: how many are read at a time. Each may keep files open.
  ///   - pieceSize: the bytes that are read of a stream at a time, at most 2 MiB. Larger pieces save system calls to
  ///     streams that write what they read.
  /// - Throws: `MemoryShortage`; what `next` or a stream throws. Then the other streams are released unfinished.
  package static func run(
    streams: Int = maximumStreams, pieceSize: Int = pieceSize, _ next: () throws -> (any HashableStream)?
  ) throws {
    let streams = max(1, min(streams, maximumMemory / pieceSize))
    let memory = try UnsafeMutableRawBufferPointer.pages(byteCount: streams * pieceSize)
    defer { memory.freePages() }
    func buffer(_ slot: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: memory[slot * pieceSize..<(slot + 1) * pieceSize])
    }
    var sources: [any HashableStream] = []
    var hashes: [MultiBufferMD5] = []
    var isExhausted = false
    while true {
      while !isExhausted, sources.count < streams {
        guard let source = try next() else {
          isExhausted = true
          break
        }
        sources.append(source)
        hashes.append(MultiBufferMD5())
      }
      if sources.isEmpty { return }

      // nil for a stream that failed
      let counts = try sources.enumerated().map { slot, source -> Int? in
        do {
          return try source.read(into: buffer(slot))
        } catch {
          try source.fail(error)
          return nil
        }
      }
      MultiBufferMD5.update(
        &hashes, with: counts.enumerated().map { UnsafeRawBufferPointer(rebasing: buffer($0)[..<($1 ?? 0)]) })
      var kept = 0
      for (slot, count) in counts.enumerated() {
        if count == pieceSize {
          (sources[kept], hashes[kept]) = (sources[slot], hashes[slot])
          kept += 1
        } else if count != nil {
          try sources[slot].finish(hashes[slot].digest)
        }
      }
      sources.removeLast(sources.count - kept)
      hashes.removeLast(hashes.count - kept)
    }
  }
}
