import Foundation

/// What is known of one thing that a job does by the clock.
package struct InstalledTask: Sendable, Equatable {
  /// How what is installed stands to what the job file asks for.
  package enum State: String, Sendable {
    /// It is what the job file asks for, and runs.
    case installed
    /// It was installed from another job file's text, or by another version: install again.
    case outdated
    /// It is what the job file asks for, and will not run: the timer is stopped or disabled.
    case stopped
    /// The job file asks for it, and it is not there.
    case missing
    /// The job file does not ask for it (any more), and it is there.
    case needless
    /// The job file does not ask for it, and it is not there.
    case manual
    /// Something of somebody else's has its name.
    case foreign
  }

  /// The job's name.
  package var job: String
  /// What it does.
  package var task: ScheduledJob.Task
  /// When; nil if the job file asks for nothing.
  package var schedule: Schedule?
  /// How it stands.
  package var state: State
  /// When it will run, but for a delay of up to two minutes; nil if it will not.
  package var nextRun: Date?

  /// Whether what the job file asks for is what will happen.
  package var isAsAsked: Bool { state == .installed || state == .manual }
}

/// What an installation or a removal did.
package struct ScheduleChange: Sendable, Equatable {
  /// The units, or the job of the crontab, that were written, and were not like that before.
  package var written: [String] = []
  /// Those that were removed.
  package var removed: [String] = []
  /// Timers that could not be started, since systemd does not run here.
  package var notStarted: [String] = []

  /// Nothing was done.
  package var isEmpty: Bool { written.isEmpty && removed.isEmpty }
}

/// A file or block as it would be installed.
package struct ScheduleText: Sendable, Equatable {
  /// The file's path, or the command that takes the lines.
  package var place: String
  /// What is in it.
  package var text: String
}
