import Glibc
import SystemPackage

extension FilePath {
  /// The folder of the path; `.` for a single name.
  package var folder: FilePath {
    let parent = removingLastComponent()
    return parent.isEmpty ? "." : parent
  }

  /// Returns true if the path leads to a folder or into it. Follows symbolic links; returns false if either is missing.
  /// Blocks.
  package func leads(into folder: FilePath) -> Bool {
    guard let place = realPath, let folder = folder.realPath else { return false }
    return place.starts(with: folder)
  }

  /// Returns true if both paths are equal, or exist and lead to the same place. Follows symbolic links. Blocks.
  package func isSamePlace(as other: FilePath) -> Bool {
    self == other || realPath.map { $0 == other.realPath } ?? false
  }

  /// The absolute path without symbolic links; nil if it does not exist. Blocks. realpath(3).
  package var realPath: FilePath? {
    guard let path = withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return FilePath(platformString: path)
  }
}
