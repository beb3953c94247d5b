import FileSystem
import Foundation
import SystemPackage

/// The programs that a shell command names by their absolute paths.
enum ShellPrograms {
  /// Throws if another user may change one of the programs. Checks each word of the command that is the path of an
  /// executable file; does not interpret variables and quotes within a word. Blocks.
  ///
  /// - Throws: `OwnershipError`, or `FileError` if a program cannot be examined.
  static func requireOwnership(in command: String) throws {
    for word in command.split(whereSeparator: { $0.isWhitespace || ";&|()<>".contains($0) }) {
      let path = word.trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
      guard path.hasPrefix("/"), let file = try? File.open(FilePath(path), .readFollowingLinks),
        try file.status().isExecutable
      else { continue }
      try Ownership.require(file)
    }
  }
}
