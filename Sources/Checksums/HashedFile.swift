import FileSystem
import SystemPackage

/// A file that is read from its beginning to its end while its MD5 is computed. A file that cannot be read, is no regular
/// file, or changes while it is read has no result.
package final class HashedFile: HashableStream {
  private let file: File
  private let before: FileStatus
  private let whileReading: (Int) throws -> Void
  private let whenRead: (MD5Digest, FileStatus) -> Void
  private var size = 0

  /// Returns nil if the file cannot be opened or is no regular file.
  ///
  /// - Parameters:
  ///   - whileReading: called with the number of bytes of each piece; may throw to give up.
  ///   - whenRead: receives the MD5 of the file, and its status, whose size is the number of bytes that were hashed.
  /// - Throws: `FileError` if the process lacks memory or open files.
  package init?(
    opening open: () throws(FileError) -> File, whileReading: @escaping (Int) throws -> Void,
    _ whenRead: @escaping (MD5Digest, FileStatus) -> Void
  ) throws(FileError) {
    do throws(FileError) {
      let file = try open()
      before = try file.status()
      guard before.kind == .file else { return nil }
      self.file = file
    } catch {
      guard error.cause != .environment else { throw error }
      return nil
    }
    self.whileReading = whileReading
    self.whenRead = whenRead
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try file.read(into: buffer, at: size)
    size += count
    try whileReading(count)
    return count
  }

  package func finish(_ digest: MD5Digest) throws {
    guard let after = try? file.status(), after.version == before.version, after.size == size else { return }
    whenRead(digest, after)
  }

  package func fail(_ error: any Error) throws {
    guard let error = error as? FileError, error.cause != .environment else { throw error }
  }
}
