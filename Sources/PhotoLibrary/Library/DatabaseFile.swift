import FileSystem
import Synchronization
import SystemPackage

/// The file of a library's database. It stays open as long as this process uses the library: closing any descriptor of
/// a file releases all POSIX locks that the process has on the file, including those of SQLite's connections.
/// https://www.sqlite.org/howtocorrupt.html, 2.2
final class DatabaseFile: Sendable {
  private let file: File

  private struct Weak {
    weak var file: DatabaseFile?
  }

  private static let open = Mutex<[FileStatus.Identity: Weak]>([:])

  private init(_ file: consuming File) { self.file = file }

  /// Returns the value for the file that has this name now. Blocks.
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
        // another thread was first; its value keeps this descriptor, which must not be closed now
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

  /// Reads the file, and throws if it cannot be read.
  func readAll() throws(FileError) { try file.readAll() }
}

extension File {
  /// Reads up to 1 GiB, more than the database of a million photos has, and discards the bytes. A sparse file of
  /// terabytes takes no space on a disk, and would be read for hours.
  func readAll() throws(FileError) {
    let piece = 64 << 10
    var offset = 0
    while offset < 1 << 30, case let count = try read(piece, at: offset).count, count > 0 { offset += count }
  }
}
