import FileSystem
import SystemPackage

extension JobDestination {
  /// Checks that the folder is the intended one and is writable. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  package func check() throws {
    let folder = try openFolder()
    try checkDisk(of: folder)
    if let errno = folder.writeFault() {
      throw DestinationFault.notWritable(path, reason: "\(errno)")
    }
  }

  /// Checks the folder like `check()`, but does not require that it is writable.
  func checkForReading() throws { try checkDisk(of: openFolder()) }

  private func openFolder() throws -> Directory {
    do throws(FileError) {
      return try Directory.open(path)
    } catch {
      guard error.isMissing else { throw error }
      throw path.realPath == nil ? DestinationFault.missing(path) : .notAFolder(path)
    }
  }

  /// Checks that the required file system is mounted and is the intended disk. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  package func checkDisk() throws { try checkDisk(of: Directory.open(path)) }

  private func checkDisk(of folder: borrowing Directory) throws {
    try checkMount(of: folder)
    if let sentinel, try folder.status(of: FilePath(sentinel))?.kind != .file {
      throw DestinationFault.noSentinel(path, sentinel)
    }
  }

  private func checkMount(of folder: borrowing Directory) throws {
    switch requiredMount {
    case nil: break
    case .any:
      let root = try Directory.open("/")
      guard try folder.status().identity.device != root.status().identity.device else {
        throw DestinationFault.notMounted(path, mountPoint: nil)
      }
    case .at(let mountPoint):
      guard try MountTable().isMountPoint(mountPoint) else {
        throw DestinationFault.notMounted(path, mountPoint: mountPoint)
      }
      guard path.leads(into: mountPoint) else {
        throw DestinationFault.notBelow(path, mountPoint: mountPoint)
      }
    }
  }

  /// The identity of the folder, independent of its name.
  var identity: FileStatus.Identity? { try? Directory.open(path).status().identity }
}

extension Sequence<JobDestination> {
  /// Returns the folders that can be read, and why the others cannot. Blocks; writes nothing.
  package func readable() -> (folders: [FilePath], faults: [String]) {
    var (folders, faults): ([FilePath], [String]) = ([], [])
    for destination in self {
      do {
        try destination.checkForReading()
        folders.append(destination.path)
      } catch {
        faults.append("\(error)")
      }
    }
    return (folders, faults)
  }
}
