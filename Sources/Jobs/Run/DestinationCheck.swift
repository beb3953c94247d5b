import ArchiveCatalog
import Backup
import FileSystem
import SystemPackage

/// First phase: checks that each destination is the intended folder and is writable.
struct DestinationCheck {
  let library: FilePath
  /// The copies that were known before this run.
  let copies: [JobStatus.Copy]
  let observer: ArchiveObserver

  /// Checks a destination. Blocks; writes only to the ledger.
  ///
  /// - Parameter others: the destinations that were already checked.
  /// - Throws: `DestinationFault`, `BackupError.destinationInLibrary`, or `FileError`.
  func run(_ target: Target, after others: [Target]) throws -> BackupOutcome.Step {
    let destination = target.destination
    do {
      try destination.check()
    } catch let fault as DestinationFault where fault.isAbsence {
      let missing = copies.filter { $0.path == target.folder.string }.flatMap(\.files)
      observer.record(.unreachable, of: missing.map { ($0, nil) })
      throw fault
    }
    // the reader of the job file does not know a library that the command line gives
    if target.folder.leads(into: library) { throw BackupError.destinationInLibrary(target.folder) }
    // a folder has two names if it is mounted twice
    if let other = others.first(where: { $0.destination.identity == destination.identity }) {
      throw DestinationFault.sameFolder(target.folder, as: other.folder)
    }
    let weakness = destination.weakness(for: library).map {
      Issue.warning(.destination(target.folder.string), "\(target.folder) \($0)")
    }
    return (target, weakness.map { [$0] } ?? [])
  }
}

extension JobDestination {
  /// Checks that the folder is the intended one and is writable. Blocks; writes nothing.
  ///
  /// - Throws: `DestinationFault`, or `FileError`.
  func check() throws {
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
      guard error.isAbsence else { throw error }
      throw path.realPath == nil ? DestinationFault.gone(path) : .notAFolder(path)
    }
  }

  /// Checks that the required file system is mounted and is the intended disk. Blocks; writes nothing.
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

  /// Returns why the folder does not protect against the loss of the library; nil if it does.
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

  /// The identity of the folder, independent of its name.
  var identity: FileStatus.Identity? { try? Directory.open(path).status().identity }
}
