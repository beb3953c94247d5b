import Glibc
import SystemPackage

// `FilePath.components` takes longer than the system calls that use the result, so these functions search for bytes.
extension FilePath {
  /// The folder of the path; `.` for a single name.
  package var folder: FilePath {
    withPlatformString { path in
      guard let slash = strrchr(path, Self.slash) else { return "." }
      return Self.prefix(of: path, before: slash)
    }
  }

  /// The name after the last slash; the path itself if it has no slash. Replaces invalid bytes of UTF-8 by U+FFFD.
  package var name: String {
    withPlatformString { path in
      guard let slash = strrchr(path, Self.slash) else { return String(cString: path) }
      return String(cString: slash + 1)
    }
  }

  /// The last component; nil if it is `.` or `..`, or if the path has none.
  package var fileName: FilePath? { lastComponent?.kind == .regular ? FilePath(name) : nil }

  /// The folders of an absolute path, from the root down.
  var foldersAbove: [FilePath] {
    withPlatformString { path in
      var folders: [FilePath] = []
      var next = strchr(path, Self.slash)
      while let slash = next {
        folders.append(Self.prefix(of: path, before: slash))
        next = strchr(slash + 1, Self.slash)
      }
      return folders
    }
  }

  /// The path from the root, for use when this process has another working folder. Links are not followed.
  package var absolute: FilePath {
    let isNormal = withPlatformString { path in
      path[0] == CChar(Self.slash) && strstr(path, "/.") == nil
    }
    if isNormal { return self }
    guard let folder = getcwd(nil, 0) else { return lexicallyNormalized() }
    defer { free(folder) }
    return FilePath(platformString: folder).pushing(self).lexicallyNormalized()
  }

  /// True if the path leads to a folder. Follows symbolic links. Blocks. fstatat(2).
  package var isFolder: Bool {
    var status = Glibc.stat()
    let result = withPlatformString { fstatat(AT_FDCWD, $0, &status, 0) }
    return result == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static let slash = CInt(UInt8(ascii: "/"))

  private static func prefix(of path: UnsafePointer<CChar>, before slash: UnsafePointer<CChar>) -> FilePath {
    let bytes = UnsafeBufferPointer(start: path, count: max(1, slash - path))
    return FilePath(platformString: Array(bytes) + [0])
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

  /// True for one component that does not begin with a dot.
  var isPlainName: Bool {
    withPlatformString { name in
      name[0] != 0 && name[0] != CChar(bitPattern: UInt8(ascii: "."))
        && strchr(name, Self.slash) == nil
    }
  }

  /// The components, byte for byte; nil if the path is absolute or empty, or if one of them is `.` or `..`. Not
  /// implemented with `FilePath.components`, which takes longer than the system calls.
  var plainNames: [FilePath]? {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let names = platformBytes.split(separator: slash, omittingEmptySubsequences: false)
    let dot = CChar(bitPattern: UInt8(ascii: "."))
    guard names.allSatisfy({ !$0.isEmpty && $0 != [dot] && $0 != [dot, dot] }) else { return nil }
    return names.count == 1 ? [self] : names.map { FilePath(platformString: $0 + [0]) }
  }

  /// Returns this path in a folder, byte for byte; this path if the path of the folder is empty.
  package func inFolder(_ folder: FilePath) -> FilePath {
    if folder.isEmpty { return self }
    return FilePath(
      platformString: folder.platformBytes + [CChar(bitPattern: UInt8(ascii: "/"))] + platformBytes + [0])
  }

  private var platformBytes: [CChar] {
    withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
  }
}
