import SystemPackage

/// The hidden name of a file that is being written: `.smilepile-NUMBER` and a suffix. The next writer removes what a
/// killed process left under such a name.
package enum PartialName: String, Sendable {
  /// The writer holds a lock on the file.
  case lockedFile = ".partial"
  /// The writer holds a lock on a folder above the file, since it writes more files than it can keep open. A writer
  /// that does not have this lock must not remove the file.
  case lockedFolder = ".unfinished"

  private static let prefix = ".smilepile-"

  /// A new name.
  package func random() -> FilePath {
    FilePath(Self.prefix + String(UInt64.random(in: .min ... .max), radix: 36) + rawValue)
  }

  /// Returns true if a name is of this form.
  package func matches(_ name: FilePath) -> Bool {
    name.string.hasPrefix(Self.prefix) && name.string.hasSuffix(rawValue)
  }
}
