import Foundation

/// The installation of one scheduled task of a job.
package struct InstalledTask: Sendable, Equatable {
  /// How the installation differs from the job file.
  package enum State: String, Sendable {
    /// Matches the job file, and runs.
    case installed
    /// Was installed from an older job file or by another version. A new installation updates it.
    case outdated
    /// Matches the job file, but does not run: the timer is stopped or disabled.
    case stopped
    /// Is in the job file, but is not installed.
    case missing
    /// Is installed, but not or no longer in the job file.
    case unscheduled
    /// Is neither in the job file nor installed.
    case manual
    /// A third-party unit or file has its name.
    case thirdParty = "third_party"
  }

  /// The job's name.
  package var job: String
  /// The scheduled task.
  package var task: ScheduledJob.Task
  /// When the job file wants it to run, for the user; nil for a manual task.
  package var timing: String?
  /// The state of the installation.
  package var state: State
  /// The time of the next run, which systemd delays by up to two minutes; nil if there is no next run.
  package var nextRun: Date?

  /// True if the installation matches the job file.
  package var matchesJobFile: Bool { state == .installed || state == .manual }

  init(_ job: ScheduledJob, _ task: ScheduledJob.Task, _ state: State, nextRun: Date?) {
    (self.job, self.task, self.state, self.nextRun) = (job.name, task, state, nextRun)
    timing = job.timing(of: task)
  }
}

/// The changes that an installation or a removal made.
package struct ScheduleChange: Sendable, Equatable {
  /// The units, or the jobs in the crontab, that were new or different and were written.
  package var written: [String] = []
  /// The units, or the jobs in the crontab, that were removed.
  package var removed: [String] = []
  /// The timers and path units that could not be started because systemd does not run here.
  package var notStarted: [String] = []

  /// True if the installation or removal changed nothing.
  package var isEmpty: Bool { written.isEmpty && removed.isEmpty }
}

/// A file or block as an installation would write it.
package struct ScheduleText: Sendable, Equatable {
  /// The path of the file, or the command that receives the lines.
  package var path: String
  /// The text of the file or block.
  package var text: String
}
