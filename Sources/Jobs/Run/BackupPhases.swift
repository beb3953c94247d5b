import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The phases of a run, between its hooks.
///
/// 1. `DestinationCheck`: which destinations can be written?
/// 2. `ExportForecast`: what would an export write?
/// 3. `UpToDateCheck`: which destinations have archives with the current content of the library?
/// 4. `ExportPhase`, if no destination has such an archive: exports to one destination.
/// 5. `Replication`: copies to the destinations without such an archive.
/// 6. `recheckDamagedLibrary`, after a restore test that found damage in the library: reads every photo.
/// 7. `CopyVerification`: is the newest copy at each destination intact?
/// 8. `Retention`: removes the archives that the policy does not keep. Then `CopyVerification` describes the copies.
/// 9. `CopyVerification` rejects archives of this run that were found corrupt later.
struct BackupPhases {
  let job: Job
  /// The library's folder.
  let library: FilePath
  /// The status of the job before this run.
  let previous: JobStatus
  let context: JobContext
  let operation: LedgerOperation
  let counter: ProgressCounter

  /// Runs the phases. Blocks.
  ///
  /// - Parameter outcome: receives the results of the phases, even if this throws.
  /// - Throws: why the library is not backed up; `CancellationError`.
  func run(_ outcome: inout PhaseResults) throws {
    let check = DestinationCheck(library: library, copies: previous.copies, operation: operation)
    var checked: [DestinationState] = []
    try outcome.apply { destination in
      let step = try check.run(destination, after: checked)
      checked.append(destination)
      return step
    }
    let password = try job.password.map(context.password)
    let forecast = try ExportForecast(library, of: job, password: password, counter)
    outcome.libraryID = forecast.libraryID
    outcome.selected = (forecast.summary.photos, forecast.summary.bytes)
    outcome.report(changeOfLibrary(forecast))
    let phases = PhaseContext(
      job: job, library: library, password: password, libraryID: forecast.libraryID, operation: operation,
      now: context.now, counter: counter)
    do {
      try findOrExport(forecast, phases, &outcome)
    } catch {
      outcome.report(photos: forecast.summary.missing)
      throw error
    }
    try replicate(phases, &outcome)
    try recheckDamagedLibrary(phases, &outcome)
    let verification = CopyVerification(context: phases)
    try outcome.apply(verification.run)
    try prune(phases, &outcome, verification)
    if !operation.damage().isEmpty {
      outcome.update(verification.rejectingDamage)
    }
  }

  /// Reports that the folder contains another library than in the previous run.
  private func changeOfLibrary(_ forecast: ExportForecast) -> [Issue] {
    guard previous.isIn(folder: library), let former = previous.libraryID, let new = forecast.libraryID,
      former != new
    else { return [] }
    return [
      .incomplete(
        .library,
        "\(library) is not the library of the previous run; the archives of the previous library are kept"
      )
    ]
  }

  /// Runs the phases 3 and 4: finds archives with the current content of the library, or exports one.
  private func findOrExport(
    _ forecast: ExportForecast, _ phases: PhaseContext, _ outcome: inout PhaseResults
  ) throws {
    try counter.checkCancellation()
    let check = UpToDateCheck(context: phases, forecast: forecast)
    // even if the run is forced, since the check verifies changed archives
    try outcome.apply(check.run)
    if context.isForced {
      for index in outcome.destinations.indices { outcome.destinations[index].upToDateArchives = [] }
    }
    if let upToDate = outcome.usable.first(where: { !$0.upToDateArchives.isEmpty }) {
      outcome.report(photos: try check.findings(upToDate))
    } else {
      let summary = try outcome.applyToFirst(
        ExportPhase(context: phases).run, concernsDestination: ExportPhase.concernsDestination)
      outcome.archiveBytes = summary.archiveBytes
      outcome.report(summary.warnings.map { .warning(.archives, $0) })
      outcome.report(photos: summary.missing + summary.corruptInLibrary)
    }
  }

  private func replicate(_ phases: PhaseContext, _ outcome: inout PhaseResults) throws {
    guard let source = outcome.usable.first(where: { !$0.upToDateArchives.isEmpty }) else { return }
    let replication = Replication(context: phases, source: source)
    try outcome.apply { destination in
      destination.upToDateArchives.isEmpty ? try replication.run(destination) : (destination, [])
    }
  }

  /// Reads every photo if a restore test found damage in the library. The damage stays recorded until all
  /// photos are intact.
  private func recheckDamagedLibrary(_ phases: PhaseContext, _ outcome: inout PhaseResults) throws {
    guard previous.lastRestoreTest?.damaged != nil else { return }
    let library = try Library(path: library)
    let damaged = try library.corruptPhotos(
      in: library.contents(), modifiedAfter: nil, phases.exportOptions, counter)
    outcome.report(photos: damaged)
    outcome.isLibraryIntact = damaged.isEmpty && outcome.photoIssues.isEmpty
  }

  /// Applies the retention policy, and describes the remaining copies.
  private func prune(
    _ phases: PhaseContext, _ outcome: inout PhaseResults, _ verification: CopyVerification
  ) throws {
    // even after an interruption, since archives may already be removed
    defer { outcome.update(verification.describingCopy) }
    // the archives of the job's own library may be older than those of another library
    guard let policy = job.retention, !job.usesOtherLibrary else { return }
    guard outcome.photoIssues.isEmpty else {
      outcome.report([
        .warning(
          .archives,
          "nothing was pruned, because an older archive may contain intact versions of missing or damaged photos"
        )
      ])
      return
    }
    try outcome.apply(Retention(context: phases, policy: policy).run)
  }
}
