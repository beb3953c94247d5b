import ArgumentParser
import FileSystem
import Glibc

/// Arguments that are no UTF-8, as names on old disks may be. The language puts U+FFFD in the place of each byte that it
/// does not know: another file than the one that was named would be looked for, or made.
enum ForeignText {
  /// Refuses them.
  ///
  /// - Parameters:
  ///   - arguments: those of the process without its name, as the language gives them.
  ///   - reported: those that the command itself reports.
  static func refuse(_ arguments: [String], but reported: [String] = []) throws(ValidationError) {
    for (index, argument) in arguments.enumerated() where isForeign(at: index) && !reported.contains(argument)
    {
      throw ValidationError("argument \(index + 1), '\(argument.escaped)', is not UTF-8; \(remedy)")
    }
    for name in ["SMILEPILE_LIBRARY", "SMILEPILE_CONFIG"] {
      guard let bytes = getenv(name), String(validatingCString: bytes) == nil else { continue }
      throw ValidationError("\(name) is not UTF-8; rename the folders and the file that it names")
    }
  }

  static let remedy = "rename the file, or name the folder that it lies in"

  /// Those of the paths that are no UTF-8, for a command that goes on with the others.
  ///
  /// A text that is also an option's value is none of them: with U+FFFD in both, they cannot be told apart.
  static func paths(among paths: [String], of arguments: [String]) -> [String] {
    let foreign = Set(arguments.indices.filter(isForeign).map { arguments[$0] })
    return paths.filter { path in
      foreign.contains(path) && arguments.count { $0 == path } == paths.count { $0 == path }
    }
  }

  private static func isForeign(at index: Int) -> Bool {
    CommandLine.unsafeArgv[index + 1].map { String(validatingCString: $0) == nil } ?? false
  }
}
