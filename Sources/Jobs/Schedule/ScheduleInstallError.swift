import FileSystem
import SystemPackage

/// Why a schedule could not be installed, removed or looked at.
package enum ScheduleInstallError: Error, Sendable, CustomStringConvertible {
  /// Somebody else's file has the unit's name.
  case foreignUnit(FilePath)
  /// The unit, or the lines of a crontab, belong to another job file, or to another job.
  case otherJob(FilePath, owner: String)
  /// A program could not be started, or failed.
  case program(String, reason: String)
  /// Neither systemd runs nor is there a crontab.
  case noScheduler
  /// Cron would cut the command off.
  case commandTooLong(job: String)
  /// Not every cron takes a backslash for itself.
  case backslashForCron(job: String)
  /// The crontab is not what was written to it.
  case crontabChanged
  /// A file could not be read or written.
  case file(FileError)

  /// One line with its remedy.
  package var description: String {
    switch self {
    case .foreignUnit(let path):
      "\(path) was not made by smilepile and stays as it is; move it away, or rename the job".escaped
    case .otherJob(let path, let owner):
      "\(path) belongs to the \(owner); remove that schedule first, or rename the job".escaped
    case .program(let command, let reason): "`\(command)` failed: \(reason)".escaped
    case .noScheduler: "systemd does not run here and there is no crontab command; install cron"
    case .commandTooLong(let job):
      "the job “\(job)” makes a line that is too long for cron; use shorter paths".escaped
    case .backslashForCron(let job):
      "a path or the name of the job “\(job)” has a backslash, which crons understand differently; rename it"
        .escaped
    case .crontabChanged:
      "the crontab was changed by somebody else at the same time; look at it with crontab -l, and try again"
    case .file(let error): "\(error)"
    }
  }
}
