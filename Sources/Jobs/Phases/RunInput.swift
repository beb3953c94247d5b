import ArchiveCatalog
import Foundation
import Operations
import SystemPackage

/// What every part of a run works with.
struct RunInput {
  let job: Job
  /// The library's folder.
  let library: FilePath
  let context: JobContext
  /// Records what the run observes of archives.
  let observer: ArchiveObserver
  let counter: ProgressCounter

  /// - Throws: `JobError.noLibrary`.
  init(
    _ task: ScheduledJob.Task, of job: Job, _ context: JobContext, _ counter: ProgressCounter
  ) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    (self.job, self.library, self.context, self.counter) = (job, library, context, counter)
    observer = context.ledger.observer(named: "\(task.rawValue) \(job.name)", now: context.now)
  }
}

/// A part of a run.
protocol RunPart {
  var input: RunInput { get }
}

extension RunPart {
  var job: Job { input.job }
  var library: FilePath { input.library }
  var context: JobContext { input.context }
  var observer: ArchiveObserver { input.observer }
  var counter: ProgressCounter { input.counter }
  var now: Date { context.now() }
}

/// The phases of a run, between its hooks.
protocol RunPhases {
  /// Runs the phases. Blocks.
  ///
  /// - Parameters:
  ///   - results: receives the results of the phases, even if this throws.
  ///   - previous: the status of the job before this run.
  /// - Throws: the error that stopped the run; `CancellationError`.
  func run(_ results: inout PhaseResults, after previous: JobStatus) throws
}
