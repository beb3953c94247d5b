import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary

/// The phases of a backup, between its hooks.
///
/// 0. `InboxRun`, if the job has inboxes: imports new backups of phones.
/// 1. `DestinationCheck`: which destinations can be written?
/// 2. `ExportForecast`: what would an export write?
/// 3. `UpToDateCheck`: which destinations have archives with the current content of the library?
/// 4. `ExportPhase`, if no destination has such an archive: exports to one destination.
/// 5. `Replication`: copies to the destinations without such an archive.
/// 6. `recheckDamagedLibrary`, if a damaged photo is known that no phase has reported: reads every photo.
/// 7. `CopyVerification`: is the newest copy at each destination intact?
/// 8. `Pruning`: removes the archives that the policy does not keep.
/// 9. `PhaseContext.describingCopy`, even if one of the phases 3 to 8 was stopped or failed: finds the copy at each
///    destination.
/// 10. `PhaseContext.rejectingDamage` rejects archives of this run that were found corrupt later.
/// 11. `InboxDeletion`: deletes backups of phones whose photos are in verified archives.
struct BackupPhases: RunPart, RunPhases {
  let input: RunInput

  /// Runs the phases. Blocks.
  ///
  /// - Throws: why the library is not backed up; `CancellationError`.
  func run(_ results: inout PhaseResults, after previous: JobStatus) throws {
    results.destinations = job.destinations.map(DestinationState.init)
    defer { conclude(&results) }
    try importInboxes(&results)
    let check = DestinationCheck(library: library, copies: previous.copies, observer: observer)
    var checked: [DestinationState] = []
    try results.apply { destination in
      let step = try check.run(destination, after: checked)
      checked.append(destination)
      return step
    }
    let password = try job.password.map(environment.password)
    let forecast = try ExportForecast(library, of: job, password: password, counter)
    results.libraryID = forecast.libraryID
    results.selected = (forecast.summary.photos, forecast.summary.bytes)
    results.report(changeOfLibrary(forecast, after: previous))
    let phases = PhaseContext(input: input, password: password, libraryID: forecast.libraryID)
    do {
      // even after an interruption, since archives may already be published or removed
      defer { results.update(phases.describingCopy) }
      do {
        try findOrExport(forecast, phases, &results)
      } catch {
        results.report(photos: forecast.summary.missing)
        throw error
      }
      try replicate(phases, &results)
      try recheckDamagedLibrary(phases, &results)
      try results.apply(CopyVerification(context: phases).run)
      try prune(phases, &results)
    }
    results.update(phases.rejectingDamage)
    try deleteFromInboxes(phases, &results)
  }

  /// Reads the free space of the destinations, and records what the run found about archives and photos.
  private func conclude(_ results: inout PhaseResults) {
    for index in results.destinations.indices { results.destinations[index].readFreeSpace() }
    results.report(observer.damageWarnings.map { .warning(.archives, $0) })
    if let library = results.libraryID { observer.record(results.photos, ofLibrary: library) }
  }

  /// Imports the new backups of phones. A failure does not keep the library from being backed up.
  ///
  /// - Throws: `LibraryError` if the library cannot be opened; `CancellationError`.
  private func importInboxes(_ results: inout PhaseResults) throws {
    guard !job.inboxes.isEmpty else { return }
    guard !job.usesOtherLibrary else {
      results.report([
        .warning(.inbox, "nothing was imported from the inbox, since its backups belong to the job's library")
      ])
      return
    }
    _ = try Library(path: library)
    results.inbox = JobStatus.InboxRecord()
    do {
      let report = try counter.inFirstPart(Self.inboxShare) {
        try InboxRun(input: input).run()
      }
      results.inbox = JobStatus.InboxRecord(report)
      results.report(report.issues)
    } catch let error as CancellationError {
      throw error
    } catch {
      results.report([.incomplete(.inbox, JobMessage.text(of: error))])
    }
  }

  /// The share of the progress that the import has.
  private static let inboxShare = 0.1

  private func deleteFromInboxes(_ phases: PhaseContext, _ results: inout PhaseResults) throws {
    guard results.inbox != nil, results.photoFindings.isEmpty else { return }
    let deletion = try InboxDeletion(context: phases).run(results.destinations)
    results.inbox?.deleted = deletion.deleted.map(\.string)
    results.report(deletion.issues)
  }

  /// Reports that the folder contains another library than in the previous run.
  private func changeOfLibrary(_ forecast: ExportForecast, after previous: JobStatus) -> [Issue] {
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
    _ forecast: ExportForecast, _ phases: PhaseContext, _ results: inout PhaseResults
  ) throws {
    try counter.checkCancellation()
    let check = UpToDateCheck(context: phases, forecast: forecast)
    // even if the run is forced, since the check verifies changed archives
    try results.apply(check.run)
    if environment.isForced {
      for index in results.destinations.indices { results.destinations[index].upToDateArchives = [] }
    }
    if let upToDate = results.usable.first(where: { !$0.upToDateArchives.isEmpty }) {
      results.report(photos: try check.findings(upToDate))
    } else {
      let summary = try results.applyToFirst(
        ExportPhase(context: phases).run, concernsDestination: ExportPhase.concernsDestination)
      results.archiveBytes = summary.archiveBytes
      results.report(summary.warnings.map { .warning(.archives, $0) })
      results.report(photos: summary.missing + summary.corruptInLibrary)
    }
  }

  private func replicate(_ phases: PhaseContext, _ results: inout PhaseResults) throws {
    guard let source = results.usable.first(where: { !$0.upToDateArchives.isEmpty }) else { return }
    let replication = Replication(context: phases, source: source)
    try results.apply { destination in
      destination.upToDateArchives.isEmpty ? try replication.run(destination) : (destination, [])
    }
  }

  /// Reads every photo of the selection if one is known to be damaged that no phase has reported.
  private func recheckDamagedLibrary(_ phases: PhaseContext, _ results: inout PhaseResults) throws {
    guard let id = phases.libraryID else { return }
    let damaged = Set(environment.ledger.photoDamage(ofLibrary: id).photos.keys)
      .subtracting(results.photoFindings.compactMap(\.subject.photoID))
    guard !damaged.isEmpty else { return }
    let library = try Library(path: library)
    let contents = try library.contents()
    let selected = Set(try library.selectedPhotos(of: contents, phases.exportOptions).map(\.id))
    if !damaged.isDisjoint(with: selected) {
      results.report(
        photos: try library.corruptPhotos(in: contents, modifiedAfter: nil, phases.exportOptions, counter))
    }
    let others = Set(contents.photos.map(\.id)).subtracting(selected)
    results.coversPhoto = { !others.contains($0) }
  }

  /// Applies the retention policy.
  private func prune(_ phases: PhaseContext, _ results: inout PhaseResults) throws {
    // the archives of the job's own library may be older than those of another library
    guard let policy = job.retention, !job.usesOtherLibrary else { return }
    guard results.photoFindings.isEmpty else {
      results.report([
        .warning(
          .archives,
          "nothing was pruned, because an older archive may contain intact versions of missing or damaged photos"
        )
      ])
      return
    }
    try results.apply(Pruning(context: phases, policy: policy).run)
    try counter.checkCancellation()
  }
}
