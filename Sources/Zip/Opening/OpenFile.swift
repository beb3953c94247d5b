import FileSystem
import SystemPackage

/// The open file of an archive, which several readers share.
final class OpenFile: Sendable {
  let file: File
  /// The status of the file when it was opened.
  let status: FileStatus

  convenience init(_ path: FilePath, _ mode: File.Mode = .readFollowingLinks) throws(ArchiveError) {
    try self.init(ArchiveError.onFile { () throws(FileError) in try File.open(path, mode) })
  }

  /// Takes over a file that is open for reading.
  init(_ file: consuming File) throws(ArchiveError) {
    do {
      status = try file.status()
    } catch {
      throw .file(error)
    }
    guard status.kind == .file else { throw .notAFile(file.path) }
    self.file = file
  }
}

extension ArchiveError {
  /// Runs `body`, and wraps the file error that it throws.
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
