import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// Why nothing can be written to a destination.
public enum DestinationFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The folder is not there.
  case gone(FilePath)
  /// What should be mounted is not, so that the folder lies on another disk.
  case notMounted(FilePath, place: FilePath?)
  /// The folder has no such file, so that it may be another disk.
  case noMarker(FilePath, String)
  /// The folder cannot be written.
  case notWritable(FilePath, reason: String)

  /// One line, with the remedy.
  public var description: String {
    switch self {
    case .gone(let path):
      "the destination \(path) is not there; make it, or mount its disk".escaped
    case .notMounted(let path, let place?):
      "nothing is mounted at \(place), so \(path) would be written to another disk; mount it".escaped
    case .notMounted(let path, nil):
      "\(path) lies on the system's own disk; mount the backup disk, or leave out require-mount".escaped
    case .noMarker(let path, let name):
      "\(path) has no file \(name), by which its disk is known; mount the right disk, or make the file"
        .escaped
    case .notWritable(let path, let reason):
      "\(path) cannot be written: \(reason)".escaped
    }
  }
}

extension JobDestination {
  /// Looks whether the folder is the one that is meant. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  func check() throws {
    let folder: Directory
    do throws(FileError) {
      folder = try Directory.open(path)
    } catch {
      throw error.isAbsence ? DestinationFault.gone(path) : error as any Error
    }
    switch requiredMount {
    case nil: break
    case .any:
      let root = try Directory.open("/")
      guard try folder.status().identity.device != root.status().identity.device else {
        throw DestinationFault.notMounted(path, place: nil)
      }
    case .at(let place):
      guard try MountTable().isMountPoint(place), path.leads(into: place) else {
        throw DestinationFault.notMounted(path, place: place)
      }
    }
    if let marker, try folder.status(of: FilePath(marker)) == nil {
      throw DestinationFault.noMarker(path, marker)
    }
    if let errno = folder.writeFault() {
      throw DestinationFault.notWritable(path, reason: "\(errno)")
    }
  }

  /// Whether the folder lies on the file system that holds the library: no protection against the loss of the disk.
  func sharesDevice(with library: FilePath) -> Bool {
    let devices = [path, library].map { try? Directory.open($0).status().identity.device }
    return devices[0] != nil && devices[0] == devices[1]
  }
}
