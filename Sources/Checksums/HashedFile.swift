import FileSystem

/// A file that is read from its beginning to its end while its MD5 is computed.
package final class HashedFile: HashableStream {
  /// Why a file has no MD5.
  package enum Fault: Error, CustomStringConvertible {
    /// It cannot be opened or read.
    case unreadable(FileError)
    /// It is no regular file.
    case notAFile
    /// Another program changed it while it was read.
    case changed

    /// One line for the user, without the path.
    package var description: String {
      switch self {
      case .unreadable(let error): "\(error)"
      case .notAFile: "it is not a file"
      case .changed: "it changed while it was read"
      }
    }
  }

  private let open: () throws(FileError) -> File
  private let whileReading: (Int) throws -> Void
  private let end: (Result<(MD5Digest, FileStatus), Fault>) -> Void
  private var opened: (shared: SharedFile, before: FileStatus)?
  private var size = 0

  /// - Parameters:
  ///   - open: opens the file. Called when the reading begins.
  ///   - whileReading: called with the number of bytes of each piece; may throw to give up all files.
  ///   - end: receives the MD5 of the file, and its status, whose size is the number of bytes that were hashed. Not
  ///     called if the process lacks memory or open files, which ends the reading of all files.
  package init(
    opening open: @escaping () throws(FileError) -> File, whileReading: @escaping (Int) throws -> Void,
    _ end: @escaping (Result<(MD5Digest, FileStatus), Fault>) -> Void
  ) {
    (self.open, self.whileReading, self.end) = (open, whileReading, end)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let file = try opened ?? begin()
    let count = try file.shared.file.read(into: buffer, at: size)
    size += count
    try whileReading(count)
    return count
  }

  private func begin() throws -> (shared: SharedFile, before: FileStatus) {
    let shared = SharedFile(try open())
    let file = (shared: shared, before: try shared.file.status())
    guard file.before.kind == .file else { throw Fault.notAFile }
    opened = file
    return file
  }

  package func finish(_ digest: MD5Digest) throws {
    guard let opened else { return }
    do {
      let after = try opened.shared.file.status()
      let isUnchanged = after.version == opened.before.version && after.size == size
      end(isUnchanged ? .success((digest, after)) : .failure(.changed))
    } catch {
      try fail(error)
    }
  }

  package func fail(_ error: any Error) throws {
    switch error {
    case let fault as Fault: end(.failure(fault))
    case let error as FileError where error.cause != .environment: end(.failure(.unreadable(error)))
    default: throw error
    }
  }
}
