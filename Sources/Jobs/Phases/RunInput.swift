import ArchiveCatalog
import Foundation
import Operations
import SystemPackage

/// What every part of a run works with.
struct RunInput {
  /// What the run does.
  let task: ScheduledJob.Task
  /// True for a restore test, false for a backup.
  var isTest: Bool { task == .restoreTest }
  let job: Job
  /// The library's folder.
  let library: FilePath
  let environment: JobEnvironment
  /// Records what the run observes of archives.
  let observer: ArchiveObserver
  let counter: ProgressCounter

  /// - Throws: `JobError.noLibrary`.
  init(
    _ task: ScheduledJob.Task, of job: Job, _ environment: JobEnvironment, _ counter: ProgressCounter
  ) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    (self.task, self.job, self.library) = (task, job, library)
    (self.environment, self.counter) = (environment, counter)
    observer = environment.ledger.observer(named: "\(task.rawValue) \(job.name)", now: environment.now)
  }
}

/// A part of a run.
protocol RunPart {
  var input: RunInput { get }
}

extension RunPart {
  var isTest: Bool { input.isTest }
  var job: Job { input.job }
  var library: FilePath { input.library }
  var environment: JobEnvironment { input.environment }
  var observer: ArchiveObserver { input.observer }
  var counter: ProgressCounter { input.counter }
  var now: Date { environment.now() }
}
