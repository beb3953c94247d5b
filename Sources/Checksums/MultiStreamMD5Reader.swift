import FileSystem

/// Something that is read to its end while its MD5 is computed.
package protocol HashableStream: AnyObject {
  /// Reads the next bytes, and does with them whatever is to be done. Fewer than the buffer holds come back at the end
  /// alone.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// All bytes have been read. Throws to end everything.
  func finish(_ digest: MD5Digest) throws

  /// `read` threw this error, and is not called again. Throws to end everything.
  func fail(_ error: any Error) throws
}

/// Reads many sources side by side on one thread, and hashes their bytes while they are in the processor's cache.
package enum MultiStreamMD5Reader {
  /// Sources that are read at a time: more than there are lanes, so that these stay full when some are short.
  package static let maximumStreams = 2 * MultiBufferMD5.lanes
  /// Bytes of a source at a time.
  private static let pieceSize = 32 << 10

  /// Reads one source after the other from `next` until that has no more, many at a time. Blocks; takes 32 KiB for each
  /// of those.
  /// - Parameter streams: how many are read at a time, as each may hold files open.
  /// - Throws: `MemoryShortage`; what `next` or a source throws; the other sources are then dropped where they are.
  package static func run(streams: Int = maximumStreams, _ next: () throws -> (any HashableStream)?) throws {
    let streams = max(1, streams)
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

      // nil for a source that failed
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
