import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// Why a destination cannot be used.
package enum DestinationFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The folder is missing.
  case gone(FilePath)
  /// The path is not a folder.
  case notAFolder(FilePath)
  /// The required file system is not mounted, so the folder is on another disk.
  case notMounted(FilePath, place: FilePath?)
  /// The required file system is mounted, but the folder is not on it.
  case notBelow(FilePath, place: FilePath)
  /// The folder has no sentinel file, so it may be on another disk.
  case noMarker(FilePath, String)
  /// The folder is the same as another destination.
  case sameFolder(FilePath, as: FilePath)
  /// The folder is not writable.
  case notWritable(FilePath, reason: String)

  /// True if the folder is missing or is not the intended one.
  var isAbsence: Bool {
    switch self {
    case .gone, .notAFolder, .notMounted, .notBelow, .noMarker: true
    case .sameFolder, .notWritable: false
    }
  }

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .gone(let path):
      "the destination \(path) is not there; make it, or mount its disk".escaped
    case .notAFolder(let path):
      "the destination \(path) is no folder; name another, or move the file out of the way".escaped
    case .notMounted(let path, let place?):
      "nothing is mounted at \(place), so \(path) lies on another disk; mount it".escaped
    case .notMounted(let path, nil):
      "\(path) lies on the system's own disk; mount the backup disk, or leave out require-mount".escaped
    case .notBelow(let path, let place):
      "\(path) does not lie on what is mounted at \(place), but on another disk; correct the path, or require-mount"
        .escaped
    case .noMarker(let path, let name):
      "\(path) has no file \(name), by which its disk is known; mount the right disk, or make the file"
        .escaped
    case .sameFolder(let path, let other):
      "\(path) is the same folder as \(other), and would be no second copy; name another folder".escaped
    case .notWritable(let path, let reason):
      "\(path) cannot be written: \(reason)".escaped
    }
  }
}
