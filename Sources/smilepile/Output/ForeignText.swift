import ArgumentParser
import FileSystem
import Glibc

/// Arguments that are no UTF-8, as names on old disks may be. The language puts U+FFFD in the place of each byte that it
/// does not know: another file than the one that was named would be looked for, or made.
enum ForeignText {
  /// Refuses them.
  ///
  /// - Parameter arguments: those of the process without its name, as the language gives them.
  static func refuse(_ arguments: [String]) throws(ValidationError) {
    for (index, argument) in arguments.enumerated() {
      guard let bytes = CommandLine.unsafeArgv[index + 1] else { continue }
      guard String(validatingCString: bytes) == nil else { continue }
      throw ValidationError(
        "argument \(index + 1), '\(argument.escaped)', is not UTF-8; rename the file, or name the folder that it lies in"
      )
    }
    for name in ["SMILEPILE_LIBRARY", "SMILEPILE_CONFIG"] {
      guard let bytes = getenv(name), String(validatingCString: bytes) == nil else { continue }
      throw ValidationError("\(name) is not UTF-8; rename the folders and the file that it names")
    }
  }
}
