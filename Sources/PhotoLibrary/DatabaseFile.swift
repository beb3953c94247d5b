import FileSystem
import Synchronization
import SystemPackage

/// The file of a library's database, held open as long as anybody in this process uses the library: closing any
/// descriptor of a file gives up all POSIX locks that the process has on it, those of SQLite's own connections too.
/// https://www.sqlite.org/howtocorrupt.html, 2.2
final class DatabaseFile: Sendable {
  private let file: File

  private struct Weak {
    weak var file: DatabaseFile?
  }

  private static let open = Mutex<[FileStatus.Identity: Weak]>([:])

  private init(_ file: consuming File) { self.file = file }

  /// The one for what now lies at a place in a folder. Blocks.
  static func shared(_ name: FilePath, in folder: borrowing Directory) throws -> DatabaseFile {
    guard let identity = try folder.status(of: name)?.identity else {
      throw FileError("open", folder.path(of: name), .noSuchFileOrDirectory)
    }
    if let known = open.withLock({ $0[identity]?.file }) { return known }
    let file = DatabaseFile(try folder.open(name, .read))
    return try open.withLock { open in
      open = open.filter { $0.value.file != nil }
      let opened = try file.file.status().identity
      if let other = open[opened]?.file {
        // somebody was quicker; ours must not be closed now, so it stays with theirs
        other.twins.withLock { $0.append(file) }
        return other
      }
      open[opened] = Weak(file: file)
      return file
    }
  }

  private let twins = Mutex<[DatabaseFile]>([])

  /// The first bytes of the file.
  func header(_ count: Int) throws(FileError) -> [UInt8] { try file.read(count, at: 0) }

  /// Reads the whole file, to see whether it can be read.
  func readAll() throws(FileError) { try file.readAll() }
}

extension File {
  /// Reads to the end and keeps nothing.
  func readAll() throws(FileError) {
    let piece = 64 << 10
    var offset = 0
    while case let count = try read(piece, at: offset).count, count > 0 { offset += count }
  }
}
