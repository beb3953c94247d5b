import FileSystem
import SystemPackage

/// What of a job matters to whoever runs it by the clock.
package struct ScheduledJob: Sendable, Equatable {
  /// The two things that a job does by the clock.
  package enum Task: String, Sendable, CaseIterable {
    /// `smilepile backup`.
    case backup
    /// `smilepile drill`.
    case drill
  }

  /// Its name in the job file.
  package var name: String
  /// The job file, by an absolute path.
  package var configuration: FilePath
  /// `smilepile` itself, by an absolute path.
  package var program: FilePath
  /// The folders in which it writes, by absolute paths: the library, the destinations, that of its
  /// state, those of the status and the Prometheus file.
  package var writable: [FilePath]
  /// What else it reads, by absolute paths: the password file.
  package var readable: [FilePath]
  /// Whether it starts programs of the user's: hooks, a password command. What those need nobody knows.
  package var runsCommands: Bool
  /// How long it may take to end after it was asked to, in seconds: what is to be done last is not stopped.
  package var stopSeconds = 300
  /// Variables that it needs: systemd gives a service of the machine no HOME, and nobody gives it the XDG folders.
  package var environment: [String: String]
  /// When it backs up; nil for only by hand.
  package var schedule: Schedule?
  /// When it proves that its archives restore; nil for never.
  package var drill: Schedule?

  /// Makes a value of these parts.
  ///
  /// - Throws: `ScheduledJobError` for what neither a unit nor a crontab can hold.
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

  /// Lines are lines in both kinds of file, and no escape reaches all of their places.
  private static func fits(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  /// When something is done; nil if never by the clock.
  package func schedule(of task: Task) -> Schedule? {
    let schedule = task == .backup ? schedule : drill
    return schedule?.frequency == .manual ? nil : schedule
  }

  /// The words of the command that does it.
  func command(for task: Task) -> [String] {
    [program.string, task.rawValue, "--config", configuration.string, "--", name]
  }

  /// The first line of what is installed for this job: it says whose it is.
  package var mark: String { Self.mark(of: name, in: configuration) }

  /// The same for any name, since a job may be gone from its file and still be installed.
  package static func mark(of name: String, in configuration: FilePath) -> String {
    "\(start)\(quoted(name)) of \(quoted(configuration.string))"
  }

  private static let start = "job "

  /// The name of the job of a mark; nil if the mark is of another job file.
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

/// Why a job cannot be installed anywhere.
package enum ScheduledJobError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Empty, too long, or with control characters.
  case unfitName(String)
  /// Relative, or with control characters.
  case unfitPath(FilePath, job: String)
  /// Nobody says which library.
  case noLibrary(job: String)

  /// One line with its remedy.
  package var description: String {
    switch self {
    case .unfitName(let name):
      "the job “\(name)” cannot be scheduled: its name is empty, longer than 100 bytes or has control characters; rename it"
        .escaped
    case .unfitPath(let path, let job):
      "the job “\(job)” cannot be scheduled: \(path) is no absolute path, or has control characters; rename it"
        .escaped
    case .noLibrary(let job): "the job “\(job)” names no library; write “library:” into the job file".escaped
    }
  }
}
