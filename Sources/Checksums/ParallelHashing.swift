import Operations

/// Reads and hashes many photos on several threads, and several photos at once on each thread: see
/// `MultiStreamMD5Reader`.
package enum ParallelHashing {
  /// Calls `open` for every index, in order, and reads the returned sources to their ends.
  ///
  /// - Parameters:
  ///   - files: the most files that a source keeps open.
  ///   - pieceSize: the bytes that are read of a source at a time.
  ///   - context: makes the context of a thread. Called once on each thread.
  ///   - open: returns the source of an index, or nil if it has read the source itself.
  package static func read<Context: ~Copyable>(
    _ indices: Range<Int>, _ readers: Readers, files: Int = 1,
    pieceSize: Int = MultiStreamMD5Reader.pieceSize,
    context: @escaping @Sendable () throws -> Context,
    _ open: @escaping @Sendable (Int, inout Context) throws -> (any HashableStream)?
  ) throws {
    let readers = readers.limited(toFiles: files)
    try Workers.share(indices, threads: readers.threads) { next in
      var context = try context()
      try MultiStreamMD5Reader.run(streams: readers.streams, pieceSize: pieceSize) {
        while let index = next() {
          if let source = try open(index, &context) { return source }
        }
        return nil
      }
    }
  }
}
