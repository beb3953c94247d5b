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
      observer.record(.unreachable, of: missing.map { ($0, nil) })
      throw fault
    }
    // the reader of the job file does not know a library that the command line gives
    if destination.folder.leads(into: library) { throw BackupError.destinationInLibrary(destination.folder) }
    // a folder has two names if it is mounted twice
    if let other = others.first(where: { $0.configuration.identity == configuration.identity }) {
      throw DestinationFault.sameFolder(destination.folder, as: other.folder)
    }
    FolderLock.removeLeftover(in: destination.folder)
    let weakness = FolderWeakness(of: destination.folder, for: library).map {
      Issue.warning(.destination(destination.folder.string), "\(destination.folder) \($0.message)")
    }
    return (destination, weakness.map { [$0] } ?? [])
  }
}
