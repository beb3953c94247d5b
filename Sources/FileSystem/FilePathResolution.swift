import Glibc
import SystemPackage

extension FilePath {
  /// The folder that what it names lies in; the working folder for a name alone.
  package var folder: FilePath {
    let parent = removingLastComponent()
    return parent.isEmpty ? "." : parent
  }

  /// Whether it leads to a folder, or into it, links followed. False where either is not there. Blocks.
  package func leads(into folder: FilePath) -> Bool {
    guard let place = realPath, let folder = folder.realPath else { return false }
    return place.starts(with: folder)
  }

  /// Whether both lead to the same place, links followed, as far as that is there; or are the same path. Blocks.
  package func isSamePlace(as other: FilePath) -> Bool {
    self == other || realPath.map { $0 == other.realPath } ?? false
  }

  /// realpath(3).
  package var realPath: FilePath? {
    guard let path = withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return FilePath(platformString: path)
  }
}
