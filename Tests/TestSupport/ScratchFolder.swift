import Foundation
import SystemPackage

/// A temporary folder that is removed with everything in it at the end of the object's life.
package final class ScratchFolder: Sendable {
  /// The path of the folder.
  package let path: FilePath

  /// Makes an empty folder.
  package init() throws {
    path = FilePath(NSTemporaryDirectory()).appending("smilepile-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// Writes a new file, makes its parent folders, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> FilePath {
    let file = path.appending(FilePath(name).components)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    return file
  }

  /// Makes a folder in this one, and returns its path.
  package func makeFolder(_ name: String) throws -> FilePath {
    let folder = path.appending(name)
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    return folder
  }
}

/// All files and folders below a folder, for comparisons: the bytes of each file by its path, and the path of each
/// folder with a slash at the end and no bytes.
///
/// SQLite's `-wal` and `-shm` files and lock files are ignored, since readers create them. The counters in the header
/// of a database are ignored, since opening it for writing changes them.
package struct FolderTree: Equatable, Sendable {
  /// The bytes by path.
  package private(set) var files: [String: [UInt8]] = [:]

  /// Reads all files. Links are not followed, and count as files without bytes.
  package init(_ folder: FilePath) throws {
    try read(folder, below: "")
  }

  private mutating func read(_ folder: FilePath, below prefix: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) {
      let path = folder.appending(name)
      let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
      switch attributes[.type] as? FileAttributeType {
      case .typeDirectory:
        files[prefix + name + "/"] = []
        try read(path, below: prefix + name + "/")
      case .typeRegular where [".lock", "-wal", "-shm"].contains(where: name.hasSuffix):
        continue
      case .typeRegular:
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
        if bytes.count > 100, bytes.starts(with: "SQLite format 3".utf8) {
          // https://www.sqlite.org/fileformat2.html#the_database_header: change counter, schema cookie, versions
          for index in [24..<28, 40..<44, 92..<100].joined() { bytes[index] = 0 }
        }
        files[prefix + name] = bytes
      default:
        files[prefix + name] = []
      }
    }
  }

  /// The paths of the files without folders, sorted.
  package var fileNames: [String] { files.keys.filter { !$0.hasSuffix("/") }.sorted() }

  /// The paths whose bytes differ, or that only one of the trees has.
  package func differences(from other: FolderTree) -> [String] {
    Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
  }
}
