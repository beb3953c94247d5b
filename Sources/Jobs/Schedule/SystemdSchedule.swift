import FileSystem
import Foundation
import SystemPackage

/// Installs jobs as services, timers and path units of systemd. All functions block.
package struct SystemdSchedule: Scheduler {
  /// The owner of the units: a user or the system.
  package let scope: UnitScope
  /// The folder of the units.
  package let folder: FilePath
  private let systemctl: ScheduleProgram

  package var name: String { scope == .user ? "systemd-user" : "systemd-system" }

  /// - Parameter folder: a folder for tests that replaces the folder of systemd.
  package init(_ scope: UnitScope, folder: FilePath? = nil, environment: [String: String]) {
    self.scope = scope
    self.folder = folder ?? Self.defaultFolder(scope, environment)
    systemctl = ScheduleProgram(name: "systemctl", prefix: scope == .user ? ["--user"] : [])
  }

  /// True if systemd runs this machine. sd_booted(3).
  package static var isRunning: Bool { access("/run/systemd/system", F_OK) == 0 }

  /// Returns the folder in which systemd finds units. systemd.unit(5).
  private static func defaultFolder(_ scope: UnitScope, _ environment: [String: String]) -> FilePath {
    guard scope == .user else { return "/etc/systemd/system" }
    return UserAccount.folder("XDG_CONFIG_HOME", default: ".config", environment).appending("systemd/user")
  }

  /// Returns the units of a task with their names. The text is nil if the job needs no such unit.
  private func units(of task: ScheduledJob.Task, _ job: ScheduledJob) -> [(name: String, text: String?)] {
    let text = UnitText(job: job, task: task, scope: scope)
    let name = UnitText.name(task, job.name)
    let service = job.runsAutomatically(task) ? text.service : nil
    let path = task == .inbox ? [("\(name).path", text.path)] : []
    return [("\(name).service", service)] + path + [("\(name).timer", text.timer)]
  }

  private func units(of job: ScheduledJob) -> [(name: String, text: String?)] {
    ScheduledJob.Task.allCases.flatMap { units(of: $0, job) }
  }

  /// Returns the units that an installation would write.
  package func texts(of job: ScheduledJob) -> [ScheduleText] {
    units(of: job).compactMap { unit in
      unit.text.map { ScheduleText(path: folder.appending(unit.name).string, text: $0) }
    }
  }

  /// Installs the units that the jobs need, removes the units that the jobs no longer need, and starts the timers and path
  /// units.
  ///
  /// Starts nothing if systemd does not run, for example in the image of another machine.
  ///
  /// - Throws: `ScheduleInstallError`, `FileError`. Nothing has changed if a third-party file has the name of a unit. If
  ///   systemctl failed, the files are installed and the caller can repeat the call.
  package func install(_ jobs: [ScheduledJob]) throws -> ScheduleChange {
    guard let folder = try UnitFolder(folder, make: true) else { return ScheduleChange() }
    for job in jobs {
      for (name, text) in units(of: job) where text != nil {
        _ = try folder.ownText(of: name, mark: job.mark)
      }
    }
    var change = ScheduleChange()
    for job in jobs {
      for (name, text) in units(of: job) {
        guard let text else { continue }
        if try folder.install(text, as: name, mark: job.mark) { change.written.append(name) }
      }
      // removes the timer before its service, so that the timer cannot start the service in between
      for (name, text) in units(of: job).reversed() where text == nil {
        guard case .ours = try folder.holder(of: name, mark: job.mark) else { continue }
        try take(name, job.mark, folder, &change)
      }
    }
    let triggers = jobs.flatMap(units).filter { $0.text != nil }.map(\.name).filter(Self.isTrigger)
    guard try tell(["daemon-reload"]) else {
      change.notStarted = triggers
      return change
    }
    for name in triggers {
      try systemctl.succeed(["enable", "--now", name])
      // a running unit keeps its old text until it is restarted
      if change.written.contains(name) { try systemctl.succeed(["restart", name]) }
    }
    return change
  }

  /// Returns true for a unit that starts a service: a timer or a path unit.
  private static func isTrigger(_ name: String) -> Bool { !name.hasSuffix(".service") }

  /// Stops the timers and path units of these jobs and removes their units.
  ///
  /// - Parameter marks: marks from `ScheduledJob` or from `marks()`.
  package func remove(_ marks: Set<String>) throws -> ScheduleChange {
    var change = ScheduleChange()
    guard let folder = try UnitFolder(folder, make: false) else { return change }
    // removes the timer before its service, so that the timer cannot start the service in between
    let units = try folder.units().filter { marks.contains($0.mark) }
      .sorted {
        ($0.name.hasSuffix(".service") ? 1 : 0, $0.name) < ($1.name.hasSuffix(".service") ? 1 : 0, $1.name)
      }
    for unit in units { try take(unit.name, unit.mark, folder, &change) }
    if !units.isEmpty { _ = try tell(["daemon-reload"]) }
    return change
  }

  /// Runs systemctl. Ignores a failure if systemd does not run, because then no timer runs either.
  ///
  /// - Returns: true if systemctl succeeded.
  private func tell(_ arguments: [String]) throws(ScheduleInstallError) -> Bool {
    do throws(ScheduleInstallError) {
      try systemctl.succeed(arguments)
      return true
    } catch {
      if Self.isRunning { throw error }
      return false
    }
  }

  private func take(
    _ name: String, _ mark: String, _ folder: borrowing UnitFolder, _ change: inout ScheduleChange
  ) throws {
    // disabling an already disabled unit is harmless after a crash; a timer that still runs is an error
    if Self.isTrigger(name) { _ = try tell(["disable", "--now", name]) }
    if try folder.remove(name, mark: mark) { change.removed.append(name) }
  }

  package func marks() throws -> Set<String> {
    guard let folder = try UnitFolder(folder, make: false) else { return [] }
    return Set(try folder.units().map(\.mark))
  }

  /// Compares the installed units of a job with the job file.
  package func status(
    of job: ScheduledJob, at now: Date, in zone: TimeZone
  ) throws -> [InstalledTask] {
    let folder = try UnitFolder(folder, make: false)
    var tasks: [InstalledTask] = []
    for task in ScheduledJob.Task.allCases {
      let state = try state(of: task, job, folder)
      // most jobs have no inbox
      if task == .inbox, state == .manual { continue }
      let nextRun =
        state == .installed ? job.schedule(of: task)?.nextRun(after: now, in: zone) : nil
      tasks.append(InstalledTask(job, task, state, nextRun: nextRun))
    }
    return tasks
  }

  private func state(
    of task: ScheduledJob.Task, _ job: ScheduledJob, _ folder: borrowing UnitFolder?
  ) throws -> InstalledTask.State {
    let own = units(of: task, job)
    let isAsked = own.contains { $0.text != nil }
    var (isPresent, isCurrent) = (false, true)
    for (name, text) in own {
      switch try folder?.holder(of: name, mark: job.mark) ?? .nothing {
      case .nothing: isCurrent = isCurrent && text == nil
      case .ours(let found):
        isPresent = true
        // the disk of an inbox may not be mounted now, so that it does not look like a network file system
        let isSpareTimer = task == .inbox && text == nil && name.hasSuffix(".timer")
        isCurrent = isCurrent && (found == text || isSpareTimer)
      case .otherJob, .thirdParty: if isAsked { return .thirdParty }
      }
    }
    switch (isAsked, isPresent) {
    case (false, false): return .manual
    case (false, true): return .unscheduled
    case (true, false): return .missing
    case (true, true): break
    }
    guard isCurrent else { return .outdated }
    // a timer may be active but not enabled, or enabled but not active
    for (name, text) in own where text != nil && Self.isTrigger(name) {
      for question in ["is-active", "is-enabled"] {
        guard try systemctl.run([question, "--quiet", name]).status == 0 else { return .stopped }
      }
    }
    return .installed
  }
}
