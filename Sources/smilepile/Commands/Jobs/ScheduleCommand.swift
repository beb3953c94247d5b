import ArgumentParser
import FileSystem
import Foundation
import Jobs

/// `smilepile schedule`: runs jobs by systemd or cron.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Run jobs on a schedule, through systemd or cron.",
    discussion: """
      Each scheduled backup and drill of the job file gets a systemd service and a timer, or a line in the crontab \
      if systemd does not run. An inbox is watched: its backups are imported within two minutes. Root gets system \
      units, other users get user units. Other units and lines are never changed.

      Example:
        smilepile schedule install
        smilepile schedule status
      """,
    subcommands: [Install.self, Remove.self, Status.self])

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install or update the schedules of jobs.",
      discussion: """
        Removes schedules that are no longer in the job file. Drop-ins (systemctl edit) are not changed.

        Example:
          smilepile schedule install --print
          smilepile schedule install Family
        """)

    @Flag(help: "Print what would be installed, and install nothing.")
    var print = false

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var reporter: Reporter

    func run() throws {
      let scheduler = try jobs.scheduler(needed: !self.print)
      let plan = try jobs.read()
      var warnings: [String] = []
      for job in plan.jobs {
        warnings += Self.skippedRuns(job, scheduler)
        warnings += Self.otherOwner(job, scheduler)
        if !job.isScheduled, jobs.names.contains(job.name) || plan.jobs.count == 1 {
          warnings.append("the job “\(job.name)” has no schedule; add “schedule:” to it in \(plan.file)")
        }
      }
      if self.print {
        for warning in warnings { reporter.warn(warning) }
        let texts = try plan.jobs.flatMap(scheduler.texts)
        reporter.result(
          plan.hasSchedules
            ? texts.map { "# \($0.path.escaped)\n\($0.text)" }.joined(separator: "\n")
            : "nothing to install: no job has a schedule")
        reporter.json("summary", Self.summary(plan, written: [], removed: [], texts, warnings))
        return
      }
      try plan.makeFolders()
      var change = try scheduler.install(plan.jobs)
      if jobs.names.isEmpty { change.removed += try scheduler.remove(plan.orphans(scheduler)).removed }
      for name in change.written { reporter.result("installed \(name)".escaped) }
      for name in change.removed { reporter.result("removed \(name)".escaped) }
      if change.isEmpty {
        reporter.result(
          plan.hasSchedules ? "everything is already installed" : "nothing to install: no job has a schedule")
      }
      let systemd = scheduler as? SystemdSchedule
      if systemd?.scope == .user, !change.written.isEmpty {
        warnings += Self.logout
      }
      if let systemd, !change.notStarted.isEmpty {
        let option = systemd.scope == .user ? " --user" : ""
        warnings.append(
          "systemd does not run here, and nothing was started; when systemd runs, run systemctl\(option) enable --now "
            + change.notStarted.joined(separator: " "))
      }
      for warning in warnings { reporter.warn(warning) }
      try reporter.finish(
        isIncomplete: !change.notStarted.isEmpty,
        Self.summary(plan, written: change.written, removed: change.removed, nil, warnings))
    }

    /// - Parameter texts: nil after an installation.
    private static func summary(
      _ plan: SchedulePlan, written: [String], removed: [String], _ texts: [ScheduleText]?,
      _ warnings: [String]
    ) -> JSONFields {
      [
        "jobs": plan.jobs.map(\.name), "written": written, "removed": removed,
        "files": texts?.map { ["path": $0.path, "text": $0.text] as JSONFields }, "warnings": warnings,
      ]
    }

    /// Returns a warning about a job of root whose library belongs to another user.
    private static func otherOwner(_ job: ScheduledJob, _ scheduler: any Scheduler) -> [String] {
      guard let user = job.user else { return [] }
      guard (scheduler as? SystemdSchedule)?.scope == .system else {
        return [
          "job “\(job.name)”: its library belongs to \(user.name), and root will not use it; run schedule install as "
            + user.name
        ]
      }
      return [
        "job “\(job.name)” will run as \(user.name), who owns its library; \(user.name) must be able to read "
          + "\(job.configuration) and to write to the destinations"
      ]
    }

    /// Returns warnings about the days on which systemd skips a run because its time does not exist.
    private static func skippedRuns(_ job: ScheduledJob, _ scheduler: any Scheduler) -> [String] {
      guard scheduler is SystemdSchedule else { return [] }
      return ScheduledJob.Task.allCases.compactMap { task in
        guard let schedule = job.schedule(of: task),
          let day = schedule.skippedRuns(after: .now, in: .current).first
        else { return nil }
        return
          "job “\(job.name)”: \(schedule.time) does not exist on \(day) (start of daylight saving time), and systemd "
          + "skips the \(task.rawValue); choose another time"
      }
    }

    private static var logout: [String] {
      guard access("/var/lib/systemd/linger/\(NSUserName())", F_OK) != 0 else { return [] }
      return [
        "these jobs run only while you are logged in; run loginctl enable-linger to run them always"
      ]
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the schedules of jobs.",
      discussion: """
        Archives, the job file, and other units and crontab lines are not changed.

        Example:
          smilepile schedule remove Family
        """)

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var reporter: Reporter

    func run() throws {
      let scheduler = try jobs.scheduler()
      var warnings: [String] = []
      let file = try jobs.file.path()
      let installed = try scheduler.marks()
      var marks = installed.filter { ScheduledJob.name(in: $0, of: file) != nil }
      if !jobs.names.isEmpty {
        let asked = Set(jobs.names.map { ScheduledJob.mark(of: $0, in: file) })
        for name in jobs.names where !marks.contains(ScheduledJob.mark(of: name, in: file)) {
          warnings.append("the job “\(name)” of \(file) is not installed")
        }
        marks.formIntersection(asked)
      }
      for warning in warnings { reporter.warn(warning) }
      let change = try scheduler.remove(marks)
      for name in change.removed { reporter.result("removed \(name)".escaped) }
      if change.removed.isEmpty { reporter.result("nothing to remove") }
      reporter.json("summary", ["removed": change.removed, "warnings": warnings])
    }
  }
}
