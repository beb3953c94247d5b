/// Something that a run reports. The outcome, the exit code and the message of a run derive from its issues.
struct Issue: Sendable, Equatable {
  /// What an issue means for the run, the worst last.
  enum Severity: Int, Sendable, Comparable {
    /// The run is complete all the same.
    case warning
    /// The library is backed up, but something that the job asks for is missing.
    case incomplete
    /// The library is not backed up as it is.
    case failure
    /// The run was told to stop.
    case interruption

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// What an issue is about.
  enum Subject: Sendable, Equatable {
    /// A photo of the library, by the label that messages use.
    case photo(String)
    /// A destination, by its folder. A destination with an issue that is worse than a warning is not used any more.
    case destination(String)
    /// The archives of a destination, or one of them.
    case archives
    /// The library as a whole.
    case library
    /// A hook.
    case hook
    /// The status file, or another file that reports what became of the run.
    case status
    /// The run itself.
    case run
  }

  let severity: Severity
  let subject: Subject
  /// One line: what happened, to what, and what to do.
  let message: String
  /// The exit code of a run whose worst issue this is.
  let exitCode: Int32

  /// Makes an issue after which the run goes on.
  static func warning(_ subject: Subject, _ message: String) -> Issue {
    Issue(severity: .warning, subject: subject, message: message, exitCode: 0)
  }

  /// Makes an issue that leaves the run incomplete.
  static func incomplete(_ subject: Subject, _ message: String) -> Issue {
    Issue(
      severity: .incomplete, subject: subject, message: message, exitCode: JobStatus.incompleteCode)
  }
}
