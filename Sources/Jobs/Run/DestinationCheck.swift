import ArchiveCatalog
import Backup
import FileSystem
import SystemPackage

/// First phase: checks that each destination is the intended folder and is writable.
struct DestinationCheck {
  let library: FilePath
  /// The copies that were known before this run.
  let copies: [JobStatus.Copy]
  let operation: LedgerOperation

  /// Checks a destination. Blocks; writes only to the ledger, and removes the lock file of a killed run.
  ///
  /// - Parameter others: the destinations that were already checked.
  /// - Throws: `DestinationFault`, `BackupError.destinationInLibrary`, or `FileError`.
  func run(_ destination: DestinationState, after others: [DestinationState]) throws -> PhaseResults.Step {
    let configuration = destination.configuration
    do {
      try configuration.check()
    } catch let fault as DestinationFault where fault.isMissing {
      let missing = copies.filter { $0.path == destination.folder.string }.flatMap(\.files)
      operation.record(.unreachable, of: missing.map { ($0, nil) })
      throw fault
    }
    // the reader of the job file does not know a library that the command line gives
    if destination.folder.leads(into: library) { throw BackupError.destinationInLibrary(destination.folder) }
    // a folder has two names if it is mounted twice
    if let other = others.first(where: { $0.configuration.identity == configuration.identity }) {
      throw DestinationFault.sameFolder(destination.folder, as: other.folder)
    }
    FolderLock.removeLeftover(in: destination.folder)
    let weakness = configuration.weakness(for: library).map {
      Issue.warning(.destination(destination.folder.string), "\(destination.folder) \($0.message)")
    }
    return (destination, weakness.map { [$0] } ?? [])
  }
}

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

  /// Why a folder does not protect a library.
  struct Weakness {
    /// True if the folder is on the library's own device.
    let isOnSameDevice: Bool
    /// True if the folder is on a file system in memory.
    let isInMemory: Bool

    /// Completes a sentence that begins with the folder.
    var message: String {
      isInMemory
        ? "is on a file system in memory; its archives are lost at the next restart"
        : "is on the same device as the library, and does not protect against its failure; use another disk"
    }
  }

  /// Returns why the folder does not protect against the loss of the library; nil if it does. Blocks.
  func weakness(for library: FilePath) -> Weakness? {
    guard let folder = try? Directory.open(path), let one = try? folder.status().identity,
      let other = try? Directory.open(library).status().identity
    else { return nil }
    let isOnSameDevice =
      one.device == other.device
      || !BlockDevice.disks(of: one).isDisjoint(with: BlockDevice.disks(of: other))
    let isInMemory = (try? folder.fileSystem().isInMemory) == true
    guard isOnSameDevice || isInMemory else { return nil }
    return Weakness(isOnSameDevice: isOnSameDevice, isInMemory: isInMemory)
  }

  /// The identity of the folder, independent of its name.
  var identity: FileStatus.Identity? { try? Directory.open(path).status().identity }
}
