/// The report of a run of a job.
package struct JobReport: Sendable {
  /// The message of a job that was cancelled before it began.
  package static let notBegun = "not started: the command was stopped"
  /// The record of the run.
  package var run: JobStatus.RunRecord
  /// The messages of the issues that made the run incomplete, failed or interrupted.
  package var errors: [String] = []
  /// The messages of the other issues.
  package var warnings: [String] = []
  /// The results of a restore test, which `errors` leaves out; nil in a backup.
  package var test: RestoreTestReport?
}
