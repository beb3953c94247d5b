import Checksums
import FileSystem
import Operations

/// Reads and hashes many photos on several threads, and on each of these many side by side: see `LaneReading`.
enum SideBySide {
  /// Threads beyond these wait for memory and disks alone, and hold files open.
  private static let mostThreads = 8

  /// Threads that are worth having.
  static var threads: Int { min(Workers.defaultCount, mostThreads) }

  /// Calls `open` for every index, in order, and reads the sources that it returns to their end; nil for what it has
  /// dealt with itself. `context` is called once on each thread, for what that needs for itself.
  ///
  /// - Parameter files: how many files a source holds open at most.
  static func read<Context: ~Copyable>(
    _ indices: Range<Int>, threads: Int? = nil, files: Int = 1,
    context: @escaping @Sendable () throws -> Context,
    _ open: @escaping @Sendable (Int, inout Context) throws -> (any LaneSource)?
  ) throws {
    let threads = max(1, min(threads ?? Self.threads, indices.count))
    // half of what the process may open, for there are others
    let streams = min(LaneReading.mostStreams, File.mostOpen / 2 / threads / files)
    try Workers.share(indices, threads: threads) { next in
      var context = try context()
      try LaneReading.run(streams: streams) {
        while let index = next() {
          if let source = try open(index, &context) { return source }
        }
        return nil
      }
    }
  }
}
