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

extension JobDestination {
  /// Looks whether the folder is the one that is meant, and can be written. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  func check() throws {
    let folder = try openFolder()
    try checkDisk(of: folder)
    if let errno = folder.writeFault() {
      throw DestinationFault.notWritable(path, reason: "\(errno)")
    }
  }

  /// As `check()`, for whoever only reads: a folder that cannot be written will do.
  func checkForReading() throws { try checkDisk(of: openFolder()) }

  private func openFolder() throws -> Directory {
    do throws(FileError) {
      return try Directory.open(path)
    } catch {
      guard error.isAbsence else { throw error }
      throw path.realPath == nil ? DestinationFault.gone(path) : .notAFolder(path)
    }
  }

  /// Looks whether what has to be mounted is, and whether it is the disk that is meant. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  package func checkDisk() throws { try checkDisk(of: Directory.open(path)) }

  private func checkDisk(of folder: borrowing Directory) throws {
    try checkMount(of: folder)
    if let marker, try folder.status(of: FilePath(marker))?.kind != .file {
      throw DestinationFault.noMarker(path, marker)
    }
  }

  private func checkMount(of folder: borrowing Directory) throws {
    switch requiredMount {
    case nil: break
    case .any:
      let root = try Directory.open("/")
      guard try folder.status().identity.device != root.status().identity.device else {
        throw DestinationFault.notMounted(path, place: nil)
      }
    case .at(let place):
      guard try MountTable().isMountPoint(place) else {
        throw DestinationFault.notMounted(path, place: place)
      }
      guard path.leads(into: place) else { throw DestinationFault.notBelow(path, place: place) }
    }
  }

  /// Why the folder is no protection against the loss of the library; nil if it is.
  func weakness(for library: FilePath) -> String? {
    guard let folder = try? Directory.open(path), let one = try? folder.status().identity,
      let other = try? Directory.open(library).status().identity
    else { return nil }
    if (try? folder.fileSystem().isInMemory) == true { return "lies in memory, and goes with the next start" }
    let isShared =
      one.device == other.device
      || !BlockDevice.disks(of: one).isDisjoint(with: BlockDevice.disks(of: other))
    return isShared ? "lies on the library's own device, and is no protection if that fails" : nil
  }

  /// The folder, whatever it is called.
  var identity: FileStatus.Identity? { try? Directory.open(path).status().identity }
}
