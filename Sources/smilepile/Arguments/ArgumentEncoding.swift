import ArgumentParser
import FileSystem
import Glibc

/// The encoding of the arguments. Names on old disks may have bytes that are not UTF-8. Swift replaces these bytes by
/// U+FFFD: the program would read or create another file than the user named.
enum ArgumentEncoding {
  /// Refuses arguments that are not UTF-8, except the paths of a command that reports them and continues with the
  /// others.
  ///
  /// - Parameters:
  ///   - arguments: the arguments of the process without its name, as Swift gives them.
  ///   - paths: the paths among the arguments, in their order.
  /// - Returns: the indices of the paths that are not UTF-8.
  @discardableResult
  static func requireUTF8(
    _ arguments: [String], exceptPaths paths: [String] = []
  ) throws(ValidationError) -> Set<Int> {
    let invalid = arguments.indices.filter { !ProcessArguments.isUTF8(at: $0) }
    let pathIndices = invalid.isEmpty ? [:] : pathIndices(of: paths, in: arguments)
    if let index = invalid.first(where: { pathIndices[$0] == nil }) {
      // another argument than the path of a file, such as a category, cannot be renamed
      let isFile = access(ProcessArguments.pointers[index], F_OK) == 0
      throw ValidationError(
        "argument \(index + 1), '\(arguments[index].escaped)', is not UTF-8; \(isFile ? remedy : "use UTF-8")"
      )
    }
    for name in ["SMILEPILE_LIBRARY", "SMILEPILE_CONFIG"] {
      guard let bytes = getenv(name), String(validatingCString: bytes) == nil else { continue }
      throw ValidationError("\(name) is not UTF-8; rename the folders of the path")
    }
    return Set(invalid.compactMap { pathIndices[$0] })
  }

  static let remedy = "rename the file or folder"

  /// Returns the index of the path for the index of each argument that is a path.
  ///
  /// Arguments with the same text keep their order among the paths. Omits a text that is both a path and the
  /// value of an option, because the position of the path is unknown.
  private static func pathIndices(of paths: [String], in arguments: [String]) -> [Int: Int] {
    let given = Dictionary(grouping: arguments.indices) { arguments[$0] }
    var pathIndices: [Int: Int] = [:]
    for (text, indices) in Dictionary(grouping: paths.indices, by: { paths[$0] }) {
      guard let positions = given[text], positions.count == indices.count else { continue }
      for (position, index) in zip(positions, indices) { pathIndices[position] = index }
    }
    return pathIndices
  }
}
