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
/// 2. `LibrarySnapshot`: which photos does the library have?
/// 3. `UpToDateCheck`: which destinations have archives with the current state of the library?
/// 4. `Publication`, if no destination has such an archive: exports to one destination.
/// 5. `Replication`: copies to the destinations without such an archive.
/// 6. `CopyVerification`: is the newest copy at each destination intact?
/// 7. `Retention`: removes the archives that the policy does not keep.
struct BackupRun {
  let job: Job
  /// The library's folder.
  let library: FilePath
  /// The status of the job before this run.
  let previous: JobStatus
  let context: JobContext
  let observer: ArchiveObserver
  let counter: ProgressCounter

  /// Runs the phases. Blocks.
  ///
  /// - Parameter outcome: receives the results of the phases, even if this throws.
  /// - Throws: why the library is not backed up; `CancellationError`.
  func run(_ outcome: inout BackupOutcome) throws {
    let check = DestinationCheck(library: library, copies: previous.copies, observer: observer)
    var checked: [Target] = []
    try outcome.apply { target in
      let step = try check.run(target, after: checked)
      checked.append(target)
      return step
    }
    let password = try job.password.map(context.password)
    let snapshot = try LibrarySnapshot(library, of: job, password: password, counter)
    outcome.libraryID = snapshot.libraryID
    outcome.selected = (snapshot.plan.photos, snapshot.plan.bytes)
    outcome.report(changeOfLibrary(snapshot))
    let phases = PhaseContext(
      job: job, library: library, password: password, libraryID: snapshot.libraryID, observer: observer,
      now: context.now, counter: counter)
    do {
      try publish(snapshot, phases, &outcome)
    } catch {
      outcome.report(photos: snapshot.plan.missing)
      throw error
    }
    try replicate(phases, &outcome)
    try recheckDamagedLibrary(phases, &outcome)
    let verification = CopyVerification(context: phases)
    try outcome.apply(verification.run)
    try prune(phases, &outcome, verification)
    if !observer.damage().isEmpty {
      outcome.update(verification.rejectingDamage)
    }
  }

  /// Reports that the folder contains another library than in the previous run.
  private func changeOfLibrary(_ snapshot: LibrarySnapshot) -> [Issue] {
    guard previous.isIn(folder: library), let former = previous.libraryID, let new = snapshot.libraryID,
      former != new
    else { return [] }
    let photos = Count(snapshot.plan.photos, "photo")
    return [
      .incomplete(
        .library,
        "\(library) is another library than in the run before, with \(photos); the archives of that one stay")
    ]
  }

  /// Finds archives with the current state of the library, or exports one.
  private func publish(
    _ snapshot: LibrarySnapshot, _ phases: PhaseContext, _ outcome: inout BackupOutcome
  ) throws {
    try counter.checkCancellation()
    let check = UpToDateCheck(context: phases, snapshot: snapshot)
    // even if the run is forced, since the check verifies changed archives
    try outcome.apply(check.run)
    if context.isForced {
      for index in outcome.targets.indices { outcome.targets[index].current = [] }
    }
    if let current = outcome.usable.first(where: { !$0.current.isEmpty }) {
      outcome.report(photos: try check.findings(current))
    } else {
      let published = Publication(context: phases).run(outcome.targets)
      outcome.targets = published.targets
      let summary = try published.summary.get()
      outcome.archiveBytes = summary.archiveBytes
      outcome.report(summary.warnings.map { .warning(.archives, $0) })
      outcome.report(photos: summary.missing + summary.damaged)
    }
  }

  private func replicate(_ phases: PhaseContext, _ outcome: inout BackupOutcome) throws {
    guard let source = outcome.usable.first(where: { !$0.current.isEmpty }) else { return }
    let replication = Replication(context: phases, source: source)
    try outcome.apply { target in target.current.isEmpty ? try replication.run(target) : (target, []) }
  }

  /// Reads every photo if a restore test found damage in the library. The damage stays recorded until all
  /// photos are intact.
  private func recheckDamagedLibrary(_ phases: PhaseContext, _ outcome: inout BackupOutcome) throws {
    guard previous.lastRestoreTest?.damaged != nil else { return }
    let library = try Library(path: library)
    let damaged = try library.damaged(
      in: library.contents(), touchedAfter: nil, phases.exportOptions, counter)
    outcome.report(photos: damaged)
    outcome.isLibraryIntact = damaged.isEmpty && outcome.photoIssues.isEmpty
  }

  /// Applies the retention policy, and describes the remaining copies.
  private func prune(
    _ phases: PhaseContext, _ outcome: inout BackupOutcome, _ verification: CopyVerification
  ) throws {
    // even after an interruption, since archives may already be removed
    defer { outcome.update(verification.describingCopy) }
    // the archives of the job's own library may be older than those of another library
    guard let policy = job.retention, !job.isOtherLibrary else { return }
    guard outcome.photoIssues.isEmpty else {
      outcome.report([
        .warning(
          .archives,
          "nothing was pruned, because an older archive may hold intact versions of missing or damaged photos"
        )
      ])
      return
    }
    try outcome.apply(Retention(context: phases, policy: policy).run)
  }
}
