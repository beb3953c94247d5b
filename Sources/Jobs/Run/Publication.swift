import ArchiveCatalog
import Backup
import FileSystem
import PhotoLibrary
import SystemPackage

/// Fourth phase, if no destination has the current state of the library: exports to the first destination
/// that accepts the export.
struct Publication {
  let context: PhaseContext

  /// The result of the phase.
  struct Outcome {
    /// The destinations: one with new archives, and the failed ones before it.
    var targets: [Target]
    /// The summary of the export, or why the export failed.
    var summary: Result<ExportSummary, any Error>
  }

  /// Runs the phase. Blocks until an archive is published or no destination is left.
  func run(_ targets: [Target]) -> Outcome {
    var outcome = Outcome(targets: targets, summary: .failure(DestinationFault.gone("")))
    var first: (any Error)?
    for index in targets.indices where targets[index].failure == nil {
      do {
        let (target, summary) = try publish(targets[index])
        outcome.targets[index] = target
        outcome.summary = .success(summary)
        return outcome
      } catch  where Self.concernsDestination(error) {
        outcome.targets[index] = targets[index].failed(error)
        first = first ?? error
      } catch {
        outcome.summary = .failure(error)
        return outcome
      }
    }
    if let first { outcome.summary = .failure(first) }
    return outcome
  }

  private func publish(_ target: Target) throws -> (Target, ExportSummary) {
    // verification may have taken long, and the disk may no longer be mounted
    try target.destination.check()
    let summary = try ExportRun(
      libraryPath: context.library, destination: target.folder, options: context.exportOptions,
      counter: context.counter
    ).run()
    let archives = try summary.archives.map { try ArchiveDescriptor(path: $0, password: context.password) }
    var target = target
    target.current = archives
    target.isNew = true
    target.inventory = target.inventory?.updated(adding: archives, context.observer.ledger)
    return (target, summary)
  }

  /// Returns true if the error concerns only this destination, for example because its disk is full.
  private static func concernsDestination(_ error: any Error) -> Bool {
    switch error {
    case BackupError.notEnoughSpace, BackupError.verificationFailed, BackupError.destinationInLibrary,
      BackupError.noSuchDestination, is DestinationFault, is FileError:
      true
    case BackupError.setCutShort(_, _, let error): concernsDestination(error)
    default: false
    }
  }
}
