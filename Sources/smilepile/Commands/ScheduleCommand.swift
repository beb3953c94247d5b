import ArgumentParser
import FileSystem
import Foundation
import Jobs
import SystemPackage

/// `smilepile schedule`: runs jobs by the clock of systemd or cron.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Have jobs run by the clock, through systemd or cron.",
    discussion: """
      Each job of the job file that has a schedule gets a service and a timer of systemd, and one more pair for its \
      drill; where systemd does not run, lines in the crontab. For a user they are units of that user, for root \
      units of the machine. What was not made by this command is never changed.

      Example:
        smilepile schedule install --print
        smilepile schedule install
        smilepile schedule status
        smilepile schedule remove Family
      """,
    subcommands: [Install.self, Remove.self, Status.self])

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install the schedules of jobs, or bring them up to date.",
      discussion: """
        A schedule that the job file has no more is removed; where no job is named, so are those of jobs that it has no \
        more. Drop-ins (systemctl edit) stay.

        Example:
          smilepile schedule install --print
          smilepile schedule install Family
        """)

    @Flag(help: "Show what would be installed, and install nothing.")
    var print = false

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var output: OutputOptions

    private struct Summary: Encodable {
      let messageType = "summary"
      var jobs: [String]
      var written: [String]
      var removed: [String]
      var files: [File]?
      var warnings: [String]
    }

    private struct File: Encodable {
      var path: String
      var text: String
    }

    func run() throws {
      let reporter = Reporter(output)
      let scheduler = try jobs.scheduler(needed: !self.print)
      let plan = try jobs.read()
      var warnings: [String] = []
      for job in plan.jobs {
        warnings += Self.skippedRuns(job, scheduler)
        if job.schedule == nil, job.drill == nil, jobs.names.contains(job.name) || plan.jobs.count == 1 {
          warnings.append("the job “\(job.name)” has no schedule; write “schedule:” for it into \(plan.file)")
        }
      }
      if self.print {
        for warning in warnings { reporter.warn(warning) }
        let texts = try plan.jobs.flatMap(scheduler.texts)
        reporter.result(
          plan.hasSchedules
            ? texts.map { "# \($0.place.escaped)\n\($0.text)" }.joined(separator: "\n")
            : "nothing to install: no job has a schedule")
        reporter.json(
          Summary(
            jobs: plan.jobs.map(\.name), written: [], removed: [],
            files: texts.map { File(path: $0.place, text: $0.text) }, warnings: warnings))
        return
      }
      try plan.folders.make()
      var change = try scheduler.install(plan.jobs)
      if jobs.names.isEmpty { change.removed += try scheduler.remove(plan.orphans(scheduler)).removed }
      for name in change.written { reporter.result("installed \(name)".escaped) }
      for name in change.removed { reporter.result("removed \(name)".escaped) }
      if change.isEmpty {
        reporter.result(
          plan.hasSchedules ? "everything is installed already" : "nothing to install: no job has a schedule")
      }
      if case .systemd(let systemd) = scheduler, systemd.scope == .user, !change.written.isEmpty {
        warnings += Self.logout
      }
      if !change.notStarted.isEmpty, case .systemd(let systemd) = scheduler {
        let option = systemd.scope == .user ? " --user" : ""
        warnings.append(
          "systemd does not run here, so that nothing is started; where it does: systemctl\(option) enable --now "
            + change.notStarted.joined(separator: " "))
      }
      for warning in warnings { reporter.warn(warning) }
      reporter.json(
        Summary(
          jobs: plan.jobs.map(\.name), written: change.written, removed: change.removed, files: nil,
          warnings: warnings))
      if !change.notStarted.isEmpty { throw ExitStatus.incomplete }
    }

    /// systemd runs nothing on a day whose clock does not show the time.
    private static func skippedRuns(_ job: ScheduledJob, _ scheduler: Scheduler) -> [String] {
      guard case .systemd = scheduler else { return [] }
      return ScheduledJob.Task.allCases.compactMap { task in
        guard let schedule = job.schedule(of: task),
          let day = schedule.skippedRuns(after: .now, in: .current).first
        else { return nil }
        return
          "job “\(job.name)”: there is no \(schedule.time) on \(day), when the clock is put forward, and systemd "
          + "runs no \(task.rawValue) then; choose another time"
      }
    }

    private static var logout: [String] {
      guard access("/var/lib/systemd/linger/\(NSUserName())", F_OK) != 0 else { return [] }
      return ["jobs of a user run only while that user is logged in; to change that: loginctl enable-linger"]
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the schedules of jobs, or of all jobs of the job file.",
      discussion: """
        Archives, the job file and what was not installed by this command stay.

        Example:
          smilepile schedule remove Family
        """)

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var output: OutputOptions

    private struct Summary: Encodable {
      let messageType = "summary"
      var removed: [String]
      var warnings: [String]
    }

    func run() throws {
      let reporter = Reporter(output)
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
      if change.removed.isEmpty { reporter.result("nothing is installed") }
      reporter.json(Summary(removed: change.removed, warnings: warnings))
    }
  }
}
