import Foundation

/// The state of a run so far, from its first hook to its last.
struct RunState {
  /// When the run began, in milliseconds since 1970.
  let startedAt: Int64
  /// When the schedule starts the next run, in milliseconds since 1970; nil for a job without a schedule.
  let nextRunAt: Int64?
  /// When the phases ended, in milliseconds since 1970; nil before.
  var phasesEndedAt: Int64?
  /// The hook at the end of the run that is due or running.
  var hook: JobHooks.Hook?
  /// The results of the phases, and the issues of the run.
  var backup = PhaseResults()

  init(startedAt: Int64, nextRunAt: Int64?) { (self.startedAt, self.nextRunAt) = (startedAt, nextRunAt) }

  /// Adds an issue besides those of the phases.
  mutating func report(_ issue: Issue) { backup.report([issue]) }

  /// The report of the run so far.
  var jobReport: JobReport {
    var report = JobReport(run: record)
    // a run that lost its last destination failed because of what the destination reports
    let hasNoDestination = !backup.destinations.isEmpty && backup.usable.isEmpty
    report.errors = backup.issues.filter { issue in
      issue.severity > .warning && !(hasNoDestination && issue.subject == .run && issue.severity == .failure)
    }.map(\.message)
    report.warnings = backup.issues.filter { $0.severity == .warning }.map(\.message)
    return report
  }

  /// The outcome of the run so far.
  var outcome: JobStatus.Outcome {
    guard phasesEndedAt != nil else { return .running }
    switch backup.issues.map(\.severity).max() {
    case .interruption?: return .interrupted
    case .failure?: return .failed
    case .incomplete?: return .incomplete
    case .warning?, nil: return backup.destinations.contains(where: \.hasNewArchives) ? .done : .unchanged
    }
  }

  /// The record of the run in the status file.
  var record: JobStatus.RunRecord {
    let issues = backup.issues
    var run = JobStatus.RunRecord(startedAt: startedAt)
    run.outcome = outcome
    run.finishedAt = phasesEndedAt
    run.nextRunAt = nextRunAt
    run.hook = hook?.rawValue
    run.archives = backup.archives
    (run.photos, run.bytes) = backup.selected
    run.archiveBytes = backup.archiveBytes
    run.inbox = backup.inbox
    run.destinations = backup.destinations.map(\.record)
    run.missing = backup.photoFindings.map(\.message)
    run.warnings = issues.filter { $0.severity <= .incomplete && !$0.isOfPhoto && !$0.isOfFailedDestination }
      .map(\.message)
    guard phasesEndedAt != nil else { return run }
    run.exitCode = 0
    guard let worst = issues.map(\.severity).max(), worst > .warning else { return run }
    let reasons = issues.filter { $0.severity == worst }
    run.exitCode = reasons.first?.exitCode
    let failures = reasons.filter(\.isOfFailedDestination).map(\.message)
    run.message = failures.isEmpty ? reasons.first?.message : failures.joined(separator: "; ")
    return run
  }
}

extension Issue {
  fileprivate var isOfPhoto: Bool { subject == .photo }

  fileprivate var isOfFailedDestination: Bool {
    if case .destination = subject { severity > .warning } else { false }
  }
}
