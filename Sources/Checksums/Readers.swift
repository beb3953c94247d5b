import FileSystem
import Operations

/// The number of photos to read at once, and the number of threads.
package struct Readers: Equatable {
  package var threads: Int
  /// The number of photos that each thread reads and hashes at once.
  package var streams: Int

  /// The most threads. More threads would only wait for memory and disks, and keep files open.
  private static let mostThreads = 8

  /// - Parameters:
  ///   - asked: the number of photos to read at once, if the caller sets it.
  ///   - file: a file on the disk to read. A rotational disk is read one photo at a time.
  package init(_ asked: Int? = nil, on file: FileStatus.Identity? = nil) {
    let processors = min(Workers.defaultCount, Self.mostThreads)
    guard let photos = asked ?? (file.map(BlockDevice.isRotational) == true ? 1 : nil) else {
      self.init(threads: processors, streams: MultiStreamMD5Reader.maximumStreams)
      return
    }
    let threads = max(1, min(photos, processors))
    self.init(threads: threads, streams: max(1, min(photos / threads, MultiStreamMD5Reader.maximumStreams)))
  }

  private init(threads: Int, streams: Int) {
    self.threads = threads
    self.streams = streams
  }

  /// Returns the readers with so few streams that each may keep this many files open. Uses at most half of the
  /// files that the process may open, since other code opens files too.
  package func limited(toFiles files: Int) -> Readers {
    Readers(threads: threads, streams: max(1, min(streams, File.maximumOpen / 2 / threads / files)))
  }
}
