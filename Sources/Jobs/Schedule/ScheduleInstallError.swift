import FileSystem
import SystemPackage

/// Why a schedule could not be installed, removed or read.
package enum ScheduleInstallError: Error, Sendable, CustomStringConvertible {
  /// A third-party file has the name of the unit.
  case thirdPartyUnit(FilePath)
  /// The unit, or the lines in the crontab, belong to another job file or to another job.
  case otherJob(FilePath, owner: String)
  /// A program could not be started, or failed.
  case program(String, reason: String)
  /// systemd does not run, and there is no crontab.
  case noScheduler
  /// Cron would truncate the command.
  case commandTooLong(job: String)
  /// A path or name has a backslash, which some crons interpret.
  case backslashForCron(job: String)
  /// Another process changed the crontab during the installation.
  case crontabChanged

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .thirdPartyUnit(let path):
      "\(path) was not created by smilepile, and was not changed; rename the job".escaped
    case .otherJob(let path, let owner):
      "\(path) belongs to the \(owner); rename the job".escaped
    case .program(let command, let reason): "`\(command)` failed: \(reason)".escaped
    case .noScheduler: "systemd does not run here and there is no crontab command; install cron"
    case .commandTooLong(let job):
      "the crontab line of job “\(job)” is too long; use shorter paths".escaped
    case .backslashForCron(let job):
      "a path of job “\(job)” contains a backslash, which some cron programs change; rename the file or folder"
        .escaped
    case .crontabChanged:
      "another program changed the crontab at the same time; check it with crontab -l and try again"
    }
  }
}
