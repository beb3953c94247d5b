import FileSystem
import Foundation
import SystemPackage

/// Installs jobs as services and timers of systemd. All functions block.
package struct SystemdSchedule: Sendable {
  /// For whom.
  package let scope: UnitScope
  /// Where the units are.
  package let folder: FilePath
  private let systemctl: ScheduleProgram

  /// - Parameter folder: another place for units than the one where systemd looks, for tests.
  package init(_ scope: UnitScope, folder: FilePath? = nil, environment: [String: String]) {
    self.scope = scope
    self.folder = folder ?? Self.defaultFolder(scope, environment)
    systemctl = ScheduleProgram(name: "systemctl", prefix: scope == .user ? ["--user"] : [])
  }

  /// Whether systemd runs this machine. sd_booted(3).
  package static var isRunning: Bool { access("/run/systemd/system", F_OK) == 0 }

  /// systemd.unit(5)
  private static func defaultFolder(_ scope: UnitScope, _ environment: [String: String]) -> FilePath {
    guard scope == .user else { return "/etc/systemd/system" }
    let home = environment["HOME"] ?? NSHomeDirectory()
    let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return FilePath(configuration ?? "\(home)/.config").appending("systemd").appending("user")
  }

  /// The units of a job, by name.
  private func units(of job: ScheduledJob) -> [(name: String, text: String?)] {
    ScheduledJob.Task.allCases.flatMap { task -> [(name: String, text: String?)] in
      let text = UnitText(job: job, task: task, scope: scope)
      let name = UnitText.name(task, job.name)
      let timer = text.timer
      return [("\(name).service", timer == nil ? nil : text.service), ("\(name).timer", timer)]
    }
  }

  /// What would be installed.
  package func texts(of job: ScheduledJob) -> [ScheduleText] {
    units(of: job).compactMap { unit in
      unit.text.map { ScheduleText(place: folder.appending(unit.name).string, text: $0) }
    }
  }

  /// Installs the units that the jobs ask for, removes those that they do not ask for any more, and starts the timers.
  ///
  /// Where systemd does not run, as in the folder of a machine to be, nothing is started.
  ///
  /// - Throws: `ScheduleInstallError`. If a name is taken by somebody else nothing has changed; if systemctl failed,
  ///   the files are there and the same call may be made again.
  package func install(_ jobs: [ScheduledJob]) throws(ScheduleInstallError) -> ScheduleChange {
    guard let folder = try UnitFolder(folder, make: true) else { return ScheduleChange() }
    try refuseForeign(jobs, folder)
    var change = ScheduleChange()
    for job in jobs {
      for (name, text) in units(of: job) {
        guard let text else { continue }
        if try folder.install(text, as: name, mark: job.mark) { change.written.append(name) }
      }
      // a timer goes before its service, so that nothing starts in between
      for (name, text) in units(of: job).reversed() where text == nil {
        if try isOurs(name, job.mark, folder) { try take(name, job.mark, folder, &change) }
      }
    }
    let timers = jobs.flatMap(units).filter { $0.text != nil }.map(\.name).filter { $0.hasSuffix(".timer") }
    guard try tell(["daemon-reload"]) else {
      change.notStarted = timers
      return change
    }
    for name in timers {
      try systemctl.succeed(["enable", "--now", name])
      // a timer that runs already goes on by its old text until it is started anew
      if change.written.contains(name) { try systemctl.succeed(["restart", name]) }
    }
    return change
  }

  /// Stops the timers of these jobs and removes their units.
  ///
  /// - Parameter marks: those of `ScheduledJob`, or of `marks()`.
  package func remove(_ marks: Set<String>) throws(ScheduleInstallError) -> ScheduleChange {
    var change = ScheduleChange()
    guard let folder = try UnitFolder(folder, make: false) else { return change }
    // a timer goes before its service, so that nothing starts in between
    let units = try folder.units().filter { marks.contains($0.mark) }
      .sorted {
        ($0.name.hasSuffix(".service") ? 1 : 0, $0.name) < ($1.name.hasSuffix(".service") ? 1 : 0, $1.name)
      }
    for unit in units { try take(unit.name, unit.mark, folder, &change) }
    if !units.isEmpty { _ = try tell(["daemon-reload"]) }
    return change
  }

  /// Has systemctl do something. Where systemd does not run, there is nothing that goes on.
  ///
  /// - Returns: whether it was done.
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
  ) throws(ScheduleInstallError) {
    // what a crash left disabled but there is an error of no importance; a timer that goes on is not
    if name.hasSuffix(".timer") { _ = try tell(["disable", "--now", name]) }
    if try folder.remove(name, mark: mark) { change.removed.append(name) }
  }

  private func isOurs(
    _ name: String, _ mark: String, _ folder: borrowing UnitFolder
  ) throws(ScheduleInstallError) -> Bool {
    if case .ours = try folder.holder(of: name, mark: mark) { return true }
    return false
  }

  private func refuseForeign(
    _ jobs: [ScheduledJob], _ folder: borrowing UnitFolder
  ) throws(ScheduleInstallError) {
    for job in jobs {
      for (name, text) in units(of: job) where text != nil {
        let path = self.folder.appending(name)
        switch try folder.holder(of: name, mark: job.mark) {
        case .nothing, .ours: break
        case .otherJob(let owner): throw .otherJob(path, owner: owner)
        case .foreign: throw .foreignUnit(path)
        }
      }
    }
  }

  /// The marks of all jobs that are installed, of whichever job file.
  package func marks() throws(ScheduleInstallError) -> Set<String> {
    guard let folder = try UnitFolder(folder, make: false) else { return [] }
    return Set(try folder.units().map(\.mark))
  }

  /// How the installation of a job stands.
  package func status(
    of job: ScheduledJob, at now: Date, in zone: TimeZone
  ) throws(ScheduleInstallError) -> [InstalledTask] {
    let folder = try UnitFolder(folder, make: false)
    var tasks: [InstalledTask] = []
    for task in ScheduledJob.Task.allCases {
      let schedule = job.schedule(of: task)
      let state = try state(of: task, job, folder)
      let nextRun = state == .installed ? schedule?.nextRun(after: now, in: zone) : nil
      tasks.append(
        InstalledTask(job: job.name, task: task, schedule: schedule, state: state, nextRun: nextRun))
    }
    return tasks
  }

  private func state(
    of task: ScheduledJob.Task, _ job: ScheduledJob, _ folder: borrowing UnitFolder?
  ) throws(ScheduleInstallError) -> InstalledTask.State {
    let text = UnitText(job: job, task: task, scope: scope)
    let name = UnitText.name(task, job.name)
    let wanted = [("\(name).timer", text.timer), ("\(name).service", text.timer == nil ? nil : text.service)]
    let isAsked = text.timer != nil
    var (present, current) = (0, 0)
    for (name, text) in wanted {
      switch try folder?.holder(of: name, mark: job.mark) ?? .nothing {
      case .nothing: break
      case .ours(let found): (present, current) = (present + 1, current + (found == text ? 1 : 0))
      case .otherJob, .foreign: if isAsked { return .foreign }
      }
    }
    switch (isAsked, present) {
    case (false, 0): return .manual
    case (false, _): return .needless
    case (true, 0): return .missing
    default: break
    }
    guard current == 2 else { return .outdated }
    // it may run now and not after the next start, or the other way round
    for question in ["is-active", "is-enabled"] {
      guard try systemctl.run([question, "--quiet", "\(name).timer"]).status == 0 else { return .stopped }
    }
    return .installed
  }
}
