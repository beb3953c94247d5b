import ArchiveCatalog
import Backup
import Foundation
import Operations

/// Seventh phase: removes the archives of the job that the policy does not keep.
struct Retention {
  let context: PhaseContext
  let policy: RetentionPolicy

  /// Prunes a destination. Neither locks nor lists the folder if there is nothing to remove. Blocks.
  ///
  /// - Throws: `CancellationError`. Other errors make the run incomplete.
  func run(_ target: Target) throws -> BackupOutcome.Step {
    guard let inventory = target.inventory else { return (target, []) }
    var prune = PruneRun(folder: target.folder, policy: policy, counter: context.counter)
    prune.password = context.password
    prune.tags = [context.job.name]
    prune.observer = context.observer
    prune.lockWait = .seconds(context.job.lockWait)
    prune.now = context.now()
    prune.fresh = Set(target.current.map(\.path))
    do {
      guard prune.hasCandidates(in: inventory) else { return (target, []) }
      let done = try prune.run()
      var target = target
      target.removed = done.removed.map(\.path)
      target.inventory = inventory.updated(removing: target.removed, context.observer.ledger)
      let problems = done.plan.refusals + done.failures.map(\.message)
      return (
        target, problems.map { .incomplete(.archives, $0) } + done.unreadable.map(\.issue)
      )
    } catch let error as CancellationError {
      throw error
    } catch {
      return (
        target,
        [.incomplete(.archives, "\(target.folder) could not be pruned: \(JobMessage.text(of: error))")]
      )
    }
  }
}
