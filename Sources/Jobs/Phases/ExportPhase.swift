import ArchiveCatalog
import Backup
import FileSystem
import PhotoLibrary
import SystemPackage

/// Fourth phase, if no destination has the current content of the library: exports to the first destination that
/// accepts the export.
struct ExportPhase {
  let context: PhaseContext

  /// Exports to a destination. Blocks until the archive is published.
  func run(_ destination: DestinationState) throws -> (DestinationState, ExportSummary) {
    // verification may have taken long, and the disk may no longer be mounted
    try destination.configuration.check()
    let summary = try export(to: destination.folder)
    let archives = try summary.archives.map { try ArchiveDescriptor(path: $0, password: context.password) }
    var destination = destination
    destination.upToDateArchives = archives
    destination.hasNewArchives = true
    destination.inventory = destination.inventory?.updated(adding: archives, context.observer.ledger)
    return (destination, summary)
  }

  private func export(to folder: FilePath) throws -> ExportSummary {
    try ExportRun(
      libraryPath: context.library, destination: folder, options: context.exportOptions,
      counter: context.counter
    ).run()
  }

  /// Returns true if the error concerns only this destination, for example because its disk is full.
  static func concernsDestination(_ error: any Error) -> Bool {
    if case BackupError.incompleteSet(_, _, let error) = error { return concernsDestination(error) }
    return error.cause == .destination || error is FileError
  }
}
