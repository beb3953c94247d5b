import FileSystem
import Foundation
import SystemPackage

/// A job of a job file, with all facts that a scheduled run needs.
package struct ScheduledJob: Sendable, Equatable {
  /// The tasks of a job.
  package enum Task: String, Sendable, CaseIterable {
    /// `smilepile backup`.
    case backup
    /// `smilepile drill`.
    case restoreTest = "drill"
    /// `smilepile inbox`. It has no schedule: it runs when files arrive.
    case inbox
  }

  /// The job.
  package let job: Job
  /// The absolute path of the job file.
  package let configuration: FilePath
  /// The absolute path of `smilepile`.
  let program: FilePath
  /// The absolute paths of the folders that the job writes: the library, the destinations, the inboxes, the state folder,
  /// and the folders of the status and Prometheus files.
  let writable: [FilePath]
  /// True if systemd must look into the inboxes every minute, since it gets no events of a network file system.
  var pollsInboxes: Bool
  /// The user who owns the library, if a service of the system must run as that user; nil for root.
  package let user: UserAccount?
  /// The variables that the job needs. systemd gives a system service neither HOME nor the XDG folders.
  let environment: [String: String]

  /// Collects the facts of a job. Blocks.
  ///
  /// - Parameters:
  ///   - file: the path of the job file; a relative path starts at the working folder.
  ///   - library: the library's folder, used if the job has none.
  ///   - program: the absolute path of `smilepile`.
  ///   - environment: the environment of the user who will run the job.
  /// - Throws: `ScheduledJobError`.
  package init(
    _ job: Job, in file: FilePath, library: FilePath?, program: FilePath, environment: [String: String]
  ) throws(ScheduledJobError) {
    guard let library = job.library ?? library else { throw .noLibrary(job: job.name) }
    (self.job, self.program, configuration) = (job, program, file.absolute)
    user = Self.otherOwner(of: library)
    let folders = ServiceFolders(user.map { ["HOME": $0.home] } ?? environment)
    let files = [job.statusFile, job.reportFile, job.prometheusFile].compactMap {
      $0?.removingLastComponent()
    }
    writable =
      ([library] + job.destinations.map(\.path) + job.inboxes.map(\.path) + [folders.state] + files)
      .map(\.absolute)
    var variables = folders.variables
    if job.library == nil { variables["SMILEPILE_LIBRARY"] = library.absolute.string }
    self.environment = variables
    pollsInboxes = job.inboxes.contains { inbox in
      (try? Directory.open(inbox.path).fileSystem().reportsEveryChange) == false
    }
    for text in ([configuration, program] + writable).map(\.string) + variables.values.sorted()
    where text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw .unfitPath(FilePath(text), job: job.name)
    }
  }

  /// Returns the owner of a folder if this process is root and the owner is another user with an account; nil also if
  /// there is no such folder.
  private static func otherOwner(of folder: FilePath) -> UserAccount? {
    guard geteuid() == 0, let owner = try? Directory.open(folder).status().owner, owner != 0 else {
      return nil
    }
    return UserAccount(id: owner)
  }

  /// The job's name in the job file.
  package var name: String { job.name }

  /// The absolute paths of the inboxes.
  var inboxes: [FilePath] { job.inboxes.map(\.path.absolute) }

  /// The absolute paths of other files that the job reads: the password file.
  var readable: [FilePath] {
    if case .file(let path) = job.password { [path.absolute] } else { [] }
  }

  /// The maximum time in seconds from the stop signal to the end of the job. The last hooks run within this time.
  var stopSeconds: Int {
    let last = [job.hooks.onFailure, job.hooks.finally].count { $0 != nil }
    return 300 + last * Int(min(job.hooks.timeLimit, 86400).rounded(.up))
  }

  /// Returns the schedule of a task; nil for a manual task.
  package func schedule(of task: Task) -> Schedule? {
    switch task {
    case .backup: job.schedule
    case .restoreTest: job.restoreTestSchedule
    case .inbox: nil
    }
  }

  /// Returns true if the task starts commands of the user, whose needs are unknown: hooks or a password command. The
  /// import from an inbox runs no hooks.
  func runsCommands(for task: Task) -> Bool {
    if case .command = job.password { return true }
    return task != .inbox && !job.hooks.commands.isEmpty
  }

  /// Returns true if the task runs without the user.
  package func runsAutomatically(_ task: Task) -> Bool {
    task == .inbox ? !job.inboxes.isEmpty : schedule(of: task) != nil
  }

  /// When the backups of an inbox are imported, for the user.
  package static let timingOfInbox = "when files arrive"

  /// Returns when a task runs, for the user; nil for a manual task.
  package func timing(of task: Task) -> String? {
    task == .inbox ? job.inboxes.isEmpty ? nil : Self.timingOfInbox : schedule(of: task)?.description
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
  /// The path has control characters. Units and crontabs have one value a line, and not every place allows escapes.
  case unfitPath(FilePath, job: String)
  /// Neither the job nor the caller gives a library.
  case noLibrary(job: String)

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .unfitPath(let path, let job):
      "the job “\(job)” cannot be scheduled: \(path) has control characters; correct the path".escaped
    case .noLibrary(let job): "the job “\(job)” has no library; add “library:” to the job".escaped
    }
  }
}
