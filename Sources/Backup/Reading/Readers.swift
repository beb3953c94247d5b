import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// How many photos are read at a time, and by how many threads.
struct Readers: Equatable {
  var threads: Int
  /// Photos that each thread reads at a time, where it reads and hashes them side by side.
  var streams: Int

  /// Threads beyond these wait for memory and disks alone, and hold files open.
  private static let mostThreads = 8

  /// - Parameters:
  ///   - asked: photos at a time, if somebody has said so.
  ///   - file: a file on the disk that is read: one with heads that move is read from one place at a time.
  init(_ asked: Int? = nil, on file: FileStatus.Identity? = nil) {
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

  /// With so few photos at a time that each may hold this many files open: half of what the process may, for there are
  /// others.
  func holding(files: Int) -> Readers {
    Readers(threads: threads, streams: max(1, min(streams, File.maximumOpen / 2 / threads / files)))
  }
}
