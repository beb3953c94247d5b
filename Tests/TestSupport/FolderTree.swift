import Foundation
import SystemPackage

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
