import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// Why nothing can be written to a destination.
package enum DestinationFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The folder is not there.
  case gone(FilePath)
  /// Something else than a folder has its name.
  case notAFolder(FilePath)
  /// What should be mounted is not, so that the folder lies on another disk.
  case notMounted(FilePath, place: FilePath?)
  /// What should be mounted is, but the folder lies elsewhere.
  case notBelow(FilePath, place: FilePath)
  /// The folder has no such file, so that it may be another disk.
  case noMarker(FilePath, String)
  /// The folder is another destination too.
  case sameFolder(FilePath, as: FilePath)
  /// The folder cannot be written.
  case notWritable(FilePath, reason: String)

  /// The folder is not there, or not the one that is meant.
  var isAbsence: Bool {
    switch self {
    case .gone, .notAFolder, .notMounted, .notBelow, .noMarker: true
    case .sameFolder, .notWritable: false
    }
  }

  /// One line, with the remedy.
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
