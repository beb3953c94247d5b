import ArchiveCatalog
import Foundation

/// The state of a run so far, from its first hook to its last.
struct RunState {
  /// When the run began.
  let startedAt: Timestamp
  /// When the schedule starts the next run; nil for a job without a schedule.
  let nextRunAt: Timestamp?
  /// When the phases ended; nil before.
  var phasesEndedAt: Timestamp?
  /// The hook at the end of the run that is due or running.
  var hook: JobHooks.Hook?
  /// The results of the phases, and the issues of the run.
  var results = PhaseResults()

  /// Adds an issue besides those of the phases.
  mutating func report(_ issue: Issue) { results.report([issue]) }

  /// The report of the run so far.
  var jobReport: JobReport {
    var report = JobReport(run: record)
    // a run that lost its last destination failed because of what the destination reports
    let hasNoDestination = !results.destinations.isEmpty && results.usable.isEmpty
    report.errors = results.issues.filter { issue in
      issue.severity > .warning && issue.subject != .restore
        && !(hasNoDestination && issue.subject == .run && issue.severity == .failure)
    }.map(\.message)
    report.warnings = results.issues.filter { $0.severity == .warning }.map(\.message)
    report.test = results.test
    return report
  }

  /// The outcome of the run so far.
  var outcome: JobStatus.Outcome {
    guard phasesEndedAt != nil else { return .running }
    switch results.issues.map(\.severity).max() {
    case .interruption?: return .interrupted
    case .failure?: return .failed
    case .incomplete?: return .incomplete
    case .warning?, nil:
      let isUnchanged = results.test == nil && !results.destinations.contains(where: \.hasNewArchives)
      return isUnchanged ? .unchanged : .done
    }
  }

  /// The outcome in the environment of hooks.
  var hookOutcome: String {
    outcome == .failed && results.test?.hasFailedRestore == true ? "not restored" : outcome.rawValue
  }

  /// How much the run processed.
  var counts: LedgerRun.Counts {
    guard let test = results.test else {
      return LedgerRun.Counts(
        photos: results.selected.photos, bytes: results.selected.bytes,
        removed: results.destinations.reduce(0) { $0 + $1.removed.count },
        findings: results.photoFindings.count)
    }
    // a test without a result has no counts
    return test.details.map { .init(photos: $0.test.photos, findings: test.issues.count) } ?? .init()
  }

  /// The details of the run in the ledger.
  var details: Data {
    var run = record
    run.missing = []
    guard let test = results.test else {
      return JobStatus.encoded(BackupDetails(run: run, findings: results.photoFindings))
    }
    if let details = test.details { return JobStatus.encoded(details) }
    // a test without findings has a reason, but no result
    var reason = HistoryDetails()
    reason.message = run.message
    return JobStatus.encoded(reason)
  }

  /// The record of the run in the status file.
  var record: JobStatus.RunRecord {
    let issues = results.issues
    var run = JobStatus.RunRecord(startedAt: startedAt)
    run.outcome = outcome
    run.finishedAt = phasesEndedAt
    run.nextRunAt = nextRunAt
    run.hook = hook?.rawValue
    run.archives = results.archives
    (run.photos, run.bytes) = results.selected
    run.archiveBytes = results.archiveBytes
    run.inbox = results.inbox
    run.destinations = results.destinations.map(\.record)
    run.missing = (results.test?.notRestored ?? results.photoFindings).map(\.message)
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
