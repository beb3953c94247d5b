import FileSystem
import SystemPackage

/// The facts of a job that a scheduled run needs.
package struct ScheduledJob: Sendable, Equatable {
  /// The tasks of a job.
  package enum Task: String, Sendable, CaseIterable {
    /// `smilepile backup`.
    case backup
    /// `smilepile drill`.
    case drill
    /// `smilepile inbox`. It has no schedule: it runs when files arrive.
    case inbox
  }

  /// The job's name in the job file.
  package var name: String
  /// The absolute path of the job file.
  package var configuration: FilePath
  /// The absolute path of `smilepile`.
  package var program: FilePath
  /// The absolute paths of the folders that the job writes: the library, the destinations, the state folder,
  /// and the folders of the status and Prometheus files.
  package var writable: [FilePath]
  /// The absolute paths of the inboxes.
  package var inboxes: [FilePath] = []
  /// True if systemd must look into the inboxes every minute, since it gets no events of a network file system.
  package var pollsInboxes = false
  /// The absolute paths of other files that the job reads: the password file.
  package var readable: [FilePath]
  /// True if the job starts commands of the user: hooks or a password command. Their needs are unknown.
  package var runsCommands: Bool
  /// True if one of them is a password command.
  package var runsPasswordCommand = false
  /// The maximum time in seconds from the stop signal to the end of the job. The last hooks run within this time.
  package var stopSeconds = 300
  /// The user who owns the library, if a service of the system must run as that user; nil for root.
  package var user: UserAccount?
  /// The variables that the job needs. systemd gives a system service neither HOME nor the XDG folders.
  package var environment: [String: String]
  /// The schedule of backups; nil for manual backups.
  package var schedule: Schedule?
  /// The schedule of restore tests; nil for none.
  package var drill: Schedule?

  /// Makes a job from its parts.
  ///
  /// - Throws: `ScheduledJobError` if a value fits neither a unit nor a crontab.
  package init(
    name: String, configuration: FilePath, program: FilePath, writable: [FilePath],
    readable: [FilePath] = [], runsCommands: Bool = false, environment: [String: String] = [:],
    schedule: Schedule?, drill: Schedule? = .defaultDrill
  ) throws(ScheduledJobError) {
    guard !name.isEmpty, Self.fits(name), name.utf8.count <= 100 else { throw .unfitName(name) }
    for path in [configuration, program] + writable {
      guard path.isAbsolute, Self.fits(path.string) else { throw .unfitPath(path, job: name) }
    }
    self.name = name
    self.configuration = configuration
    self.program = program
    self.writable = writable
    self.readable = readable
    for (key, value) in environment where !Self.fits(value) || key.contains("=") {
      throw .unfitPath(FilePath(value), job: name)
    }
    self.runsCommands = runsCommands
    self.environment = environment
    self.schedule = schedule
    self.drill = drill
  }

  /// True if the text has no control characters. Units and crontabs have one value a line, and not every
  /// place allows escapes.
  private static func fits(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  /// Returns the schedule of a task; nil for a manual task.
  package func schedule(of task: Task) -> Schedule? {
    let schedule: Schedule? =
      switch task {
      case .backup: schedule
      case .drill: drill
      case .inbox: nil
      }
    return schedule?.frequency == .manual ? nil : schedule
  }

  /// Returns true if the task starts commands of the user. The import from an inbox runs no hooks.
  func runsCommands(for task: Task) -> Bool { task == .inbox ? runsPasswordCommand : runsCommands }

  /// Returns true if the task runs without the user.
  package func runsAutomatically(_ task: Task) -> Bool {
    task == .inbox ? !inboxes.isEmpty : schedule(of: task) != nil
  }

  /// Returns when a task runs, for the user; nil for a manual task.
  package func timing(of task: Task) -> String? {
    task == .inbox ? inboxes.isEmpty ? nil : Job.timingOfInbox : schedule(of: task)?.description
  }

  /// Returns the words of the command that runs the task.
  func command(for task: Task, _ options: [String] = []) -> [String] {
    [program.string, task.rawValue, "--config", configuration.string] + options + ["--", name]
  }

  /// The text in the first line of each installed file or block, which identifies the owning job.
  package var mark: String { Self.mark(of: name, in: configuration) }

  /// Returns the mark for any name. An installed job may be missing from its job file.
  package static func mark(of name: String, in configuration: FilePath) -> String {
    "\(start)\(quoted(name)) of \(quoted(configuration.string))"
  }

  private static let start = "job "

  /// Returns the job's name in a mark; nil if the mark belongs to another job file.
  package static func name(in mark: String, of configuration: FilePath) -> String? {
    let end = " of \(quoted(configuration.string))"
    guard mark.hasPrefix(start + "\""), mark.hasSuffix("\"" + end) else { return nil }
    return String(mark.dropFirst(start.count + 1).dropLast(end.count + 1))
      .replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// Why a job cannot be scheduled.
package enum ScheduledJobError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name is empty, too long, or has control characters.
  case unfitName(String)
  /// The path is relative, or has control characters.
  case unfitPath(FilePath, job: String)
  /// Neither the job nor the caller gives a library.
  case noLibrary(job: String)

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .unfitName(let name):
      "the job “\(name)” cannot be scheduled: its name is empty, longer than 100 bytes or has control characters; rename it"
        .escaped
    case .unfitPath(let path, let job):
      "the job “\(job)” cannot be scheduled: \(path) is not an absolute path, or has control characters; correct the path"
        .escaped
    case .noLibrary(let job): "the job “\(job)” has no library; add “library:” to the job".escaped
    }
  }
}
