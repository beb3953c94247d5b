/// An issue that a run reports. The outcome, the exit code and the message of a run derive from its issues.
struct Issue: Sendable, Equatable {
  /// The effect of an issue on the run, the worst last.
  enum Severity: Int, Sendable, Comparable {
    /// The run is complete.
    case warning
    /// The library is backed up, but the run could not do everything that the job requires.
    case incomplete
    /// The current content of the library is not backed up.
    case failure
    /// The user or the system stopped the run.
    case interruption

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The subject of an issue.
  enum Subject: Sendable, Equatable {
    /// A photo of the library.
    case photo
    /// A finding of a restore test.
    case restore
    /// A destination, with its folder.
    case destination(String)
    /// The archives of a destination, or one of them.
    case archives
    /// The library.
    case library
    /// An inbox, or a backup in it.
    case inbox
    /// A hook.
    case hook
    /// The status file, or another file that reports the outcome of the run.
    case status
    /// The run itself.
    case run
  }

  let severity: Severity
  let subject: Subject
  /// What happened, to what, and what to do, in one line.
  let message: String
  /// The exit code of a run whose worst issue this is.
  let exitCode: Int32

  /// Makes an issue that does not affect the outcome.
  static func warning(_ subject: Subject, _ message: String) -> Issue {
    Issue(severity: .warning, subject: subject, message: message, exitCode: 0)
  }

  /// Makes an issue that makes the run incomplete.
  static func incomplete(_ subject: Subject, _ message: String) -> Issue {
    Issue(
      severity: .incomplete, subject: subject, message: message, exitCode: JobStatus.incompleteCode)
  }
}

extension JobStatus {
  /// The exit code of a run that did not do everything that the job requires.
  static let incompleteCode: Int32 = 3
  /// The exit code of a restore test that found damage.
  static let damagedCode: Int32 = 4
}
