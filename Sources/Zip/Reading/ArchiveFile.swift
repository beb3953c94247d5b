import FileSystem
import SystemPackage

/// The open file of an archive, shared by those who read it at the same time.
final class ArchiveFile: Sendable {
  let file: File
  /// What the file was when it was opened.
  let status: FileStatus

  init(_ path: FilePath, _ mode: File.Mode = .readFollowingLinks) throws(ArchiveError) {
    do {
      file = try File.open(path, mode)
      status = try file.status()
    } catch {
      throw .file(error)
    }
    guard status.kind == .file else { throw .notAFile(path) }
  }

  /// Sees that nobody has written to the file since.
  func checkUnchanged() throws(ArchiveError) {
    let now = try ArchiveError.onFile { () throws(FileError) in try file.status() }
    // another name or other permissions are nothing to its readers
    guard (now.identity, now.size, now.modified) == (status.identity, status.size, status.modified) else {
      throw .changed(file.path)
    }
  }
}

extension ArchiveError {
  /// Runs what works on files, and makes its error one of this layer.
  static func onFile<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
  ) throws(ArchiveError) -> Result {
    do {
      return try body()
    } catch {
      throw .file(error)
    }
  }
}
