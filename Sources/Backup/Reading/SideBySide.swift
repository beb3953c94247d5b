import Checksums
import Operations

/// Reads and hashes many photos on several threads, and on each of these many side by side: see `MultiStreamMD5Reader`.
enum SideBySide {
  /// Calls `open` for every index, in order, and reads the sources that it returns to their end; nil for what it has
  /// dealt with itself. `context` is called once on each thread, for what that needs for itself.
  ///
  /// - Parameter files: how many files a source holds open at most.
  static func read<Context: ~Copyable>(
    _ indices: Range<Int>, _ readers: Readers, files: Int = 1,
    context: @escaping @Sendable () throws -> Context,
    _ open: @escaping @Sendable (Int, inout Context) throws -> (any HashableStream)?
  ) throws {
    let readers = readers.holding(files: files)
    try Workers.share(indices, threads: readers.threads) { next in
      var context = try context()
      try MultiStreamMD5Reader.run(streams: readers.streams) {
        while let index = next() {
          if let source = try open(index, &context) { return source }
        }
        return nil
      }
    }
  }
}
