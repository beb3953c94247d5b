import Foundation

/// A scheduler of the system in which jobs are installed: systemd or cron. All functions block.
package protocol Scheduler: Sendable {
  /// The name in JSON.
  var name: String { get }

  /// Returns the files or lines that an installation of a job would write.
  func texts(of job: ScheduledJob) throws -> [ScheduleText]

  /// Installs or updates jobs.
  func install(_ jobs: [ScheduledJob]) throws -> ScheduleChange

  /// Removes the jobs with these marks.
  func remove(_ marks: Set<String>) throws -> ScheduleChange

  /// Returns the marks of all installed jobs of all job files.
  func marks() throws -> Set<String>

  /// Compares the installation of a job with the job file.
  func status(
    of job: ScheduledJob, at now: Date, in zone: TimeZone
  ) throws -> [InstalledTask]
}
