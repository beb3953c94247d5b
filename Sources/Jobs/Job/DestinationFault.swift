import FileSystem
import Operations
import SystemPackage

/// Why a destination cannot be used.
package enum DestinationFault: ExplainedError, Sendable, Equatable, CustomStringConvertible {
  /// The folder is missing.
  case missing(FilePath)
  /// The path is not a folder.
  case notAFolder(FilePath)
  /// The required file system is not mounted, so the folder is on another disk.
  case notMounted(FilePath, mountPoint: FilePath?)
  /// The required file system is mounted, but the folder is not on it.
  case notBelow(FilePath, mountPoint: FilePath)
  /// The folder has no sentinel file, so it may be on another disk.
  case noSentinel(FilePath, String)
  /// The folder is the same as another destination.
  case sameFolder(FilePath, as: FilePath)
  /// The folder is not writable.
  case notWritable(FilePath, reason: String)

  package var cause: ErrorCause { .destination }

  /// True if the folder is missing or is not the intended one.
  var isMissing: Bool {
    switch self {
    case .missing, .notAFolder, .notMounted, .notBelow, .noSentinel: true
    case .sameFolder, .notWritable: false
    }
  }

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .missing(let path):
      "the destination \(path) is missing; check that its disk is mounted".escaped
    case .notAFolder(let path):
      "the destination \(path) is not a folder; choose a folder".escaped
    case .notMounted(let path, let mountPoint?):
      "nothing is mounted at \(mountPoint), so \(path) is on another disk; mount the backup disk".escaped
    case .notMounted(let path, nil):
      "\(path) is on the root file system; mount the backup disk".escaped
    case .notBelow(let path, let mountPoint):
      "\(path) is not on the file system mounted at \(mountPoint); correct the path or require-mount"
        .escaped
    case .noSentinel(let path, let name):
      "\(path) has no sentinel file \(name); mount the right disk"
        .escaped
    case .sameFolder(let path, let other):
      "\(path) is the same folder as \(other); choose another folder".escaped
    case .notWritable(let path, let reason):
      "cannot write to \(path): \(reason)".escaped
    }
  }
}
