import ArgumentParser
import FileSystem
import Foundation
import Jobs
import SystemPackage

/// Jobs and their scheduler.
struct ScheduleOptions: ParsableArguments {
  @Argument(
    help: "Names of jobs; default: all.", completion: .jobs, transform: PathArgument.parse)
  var names: [String] = []

  @OptionGroup var file: JobFileOption

  @Flag(help: "Use systemd, even if it does not run.")
  var systemd = false

  @Flag(help: "Use the crontab, even if systemd runs.")
  var cron = false

  @Flag(help: "Use system units, which run as root; default for root.")
  var system = false

  @Flag(help: "Use user units; default for other users.")
  var user = false

  @Option(help: .hidden, transform: PathArgument.parse)
  var units: String?

  func validate() throws {
    if systemd, cron { throw ValidationError("choose --systemd or --cron") }
    if system, user { throw ValidationError("choose --system or --user") }
    if cron, system || user {
      throw ValidationError("--cron always uses the crontab of the current user; remove --system and --user")
    }
  }

  private var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns the scheduler.
  ///
  /// - Parameter needed: true to throw if neither systemd nor cron is available.
  func scheduler(needed: Bool = true) throws -> any Scheduler {
    if cron { return CronSchedule() }
    if !systemd, units == nil, !SystemdSchedule.isRunning {
      if CronSchedule.isAvailable { return CronSchedule() }
      if needed { throw ScheduleInstallError.noScheduler }
    }
    let scope: UnitScope = system || !user && geteuid() == 0 ? .system : .user
    let folder = units.map { FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath($0)) }
    return SystemdSchedule(scope, folder: folder, environment: environment)
  }

  /// Reads the chosen jobs.
  func read() throws -> SchedulePlan {
    let path = try file.path()
    let file = try JobFile(path, environment: environment)
    let library = environment["SMILEPILE_LIBRARY"].flatMap { $0.isEmpty ? nil : FilePath($0) }
    let program = try Self.program()
    let jobs = try file.jobs(named: names).map {
      try ScheduledJob($0, in: path, library: library, program: program, environment: environment)
    }
    return SchedulePlan(
      file: path, jobs: jobs, allNames: file.jobs.map(\.name), folders: ServiceFolders(environment))
  }

  /// Returns the path of this program, which services start. proc(5).
  private static func program() throws -> FilePath {
    FilePath(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
  }
}

/// The schedules to install.
struct SchedulePlan {
  /// The job file.
  var file: FilePath
  /// The chosen jobs.
  var jobs: [ScheduledJob]
  /// All jobs of the file.
  var allNames: [String]
  /// The folders that the services need.
  var folders: ServiceFolders

  /// Creates the state folders of the users whom the jobs run as, if they are missing. A service can write in its state
  /// folder but cannot create it. Blocks.
  func makeFolders() throws {
    try Directory.makeAll(folders.state)
    for user in jobs.compactMap(\.user) { try ServiceFolders(["HOME": user.home]).make(as: user) }
  }

  /// True if any job has a schedule or an inbox.
  var hasSchedules: Bool { jobs.contains(where: \.isScheduled) }

  /// Returns the marks of installed jobs that are no longer in this job file.
  func orphans(_ scheduler: any Scheduler) throws -> Set<String> {
    try scheduler.marks().filter { mark in
      ScheduledJob.name(in: mark, of: file).map { !allNames.contains($0) } ?? false
    }
  }
}

extension ScheduledJob {
  /// True if a task of the job runs without the user.
  var isScheduled: Bool { Task.allCases.contains(where: runsAutomatically) }
}
