import ArchiveCatalog
import Backup

/// Eighth phase: removes the archives of the job and its library that the policy does not keep.
struct Pruning {
  let context: PhaseContext
  let policy: RetentionPolicy

  /// Prunes a destination. Neither locks nor lists the folder if there is nothing to remove. Blocks.
  ///
  /// - Returns: the destination without the removed archives, even after a cancellation during the removal.
  /// - Throws: `CancellationError` if nothing was removed. Other errors make the run incomplete.
  func run(_ destination: DestinationState) throws -> PhaseResults.Step {
    guard let inventory = destination.inventory else { return (destination, []) }
    var prune = PruneRun(folder: destination.folder, policy: policy, counter: context.counter)
    prune.password = context.password
    prune.tags = [context.job.name]
    prune.libraryID = context.libraryID
    prune.observer = context.observer
    prune.lockWait = .seconds(context.job.lockWait)
    prune.now = context.now
    prune.fresh = Set(destination.upToDateArchives.map(\.path))
    do {
      guard prune.hasCandidates(in: inventory) else { return (destination, []) }
      let summary = try prune.run()
      var destination = destination
      destination.removed = summary.removed.map(\.path)
      destination.inventory = inventory.updated(removing: destination.removed, context.observer.ledger)
      let problems = summary.plan.refusals + summary.failures.map(\.message)
      return (
        destination, problems.map { .incomplete(.archives, $0) } + summary.unreadable.map(\.issue)
      )
    } catch let error as CancellationError {
      throw error
    } catch {
      return (
        destination,
        [.incomplete(.archives, "\(destination.folder) could not be pruned: \(JobMessage.text(of: error))")]
      )
    }
  }
}
