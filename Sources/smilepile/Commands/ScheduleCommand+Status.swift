import ArgumentParser
import FileSystem
import Foundation
import Jobs

extension ScheduleCommand {
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show installed schedules, their next runs and last results.",
      discussion: """
        The exit code is 3 if a schedule is not installed, outdated, stopped, or no longer in the job file.

        Example:
          smilepile schedule status
        """)

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var output: CommonOptions

    private struct Summary: Encodable {
      let messageType = "summary"
      var scheduler: String
      var tasks: [Line]
      var orphans: [String]
    }

    private struct Line: Encodable {
      var job: String
      var task: String
      var schedule: String?
      var state: String
      var nextRun: Int64?
      var lastRun: Int64?
      var lastOutcome: String?
    }

    func run() throws {
      let reporter = Reporter(output)
      let scheduler = try jobs.scheduler()
      let plan = try jobs.read()
      let state = StateFolder(path: plan.folders.state)
      var lines: [Line] = []
      var matchesJobFile = true
      for job in plan.jobs {
        let status = state.status(of: job.name)
        for task in try scheduler.status(of: job, at: .now, in: .current) {
          matchesJobFile = matchesJobFile && task.matchesJobFile
          var line = Line(
            job: task.job, task: task.task.rawValue, schedule: task.timing,
            state: task.state.rawValue,
            nextRun: task.nextRun?.milliseconds)
          switch task.task {
          case .backup:
            (line.lastRun, line.lastOutcome) = (status.run?.startedAt, status.run?.outcome.rawValue)
          case .drill:
            let drill = status.lastRestoreTest
            (line.lastRun, line.lastOutcome) = (drill?.at, drill.map { $0.hasPassed ? "passed" : "failed" })
          case .inbox: break
          }
          lines.append(line)
          reporter.result(text(of: line, task).escaped)
        }
      }
      let orphans =
        jobs.names.isEmpty
        ? try plan.orphans(scheduler).compactMap { ScheduledJob.name(in: $0, of: plan.file) }.sorted() : []
      for name in orphans {
        reporter.warn(
          "the job “\(name)” is installed, but not in \(plan.file); run smilepile schedule remove \(name)"
        )
      }
      reporter.json(Summary(scheduler: scheduler.name, tasks: lines, orphans: orphans))
      if !matchesJobFile || !orphans.isEmpty { throw ExitStatus.incomplete }
    }

    private func text(of line: Line, _ task: InstalledTask) -> String {
      let state =
        switch task.state {
        case .installed: "installed"
        case .outdated: "outdated; run smilepile schedule install"
        case .stopped: "stopped; run smilepile schedule install"
        case .missing: "not installed; run smilepile schedule install"
        case .unscheduled where task.task == .inbox:
          "installed, but without an inbox in the job file; run smilepile schedule install"
        case .unscheduled: "installed, but without a schedule in the job file; run smilepile schedule install"
        case .manual: "manual"
        case .thirdParty: "not installed: a unit of another program has the same name; rename the job"
        }
      var parts = ["\(task.job) \(line.task)"]
      if let schedule = line.schedule { parts.append(schedule) }
      parts.append(state)
      if let next = task.nextRun { parts.append("next \(LocalTime().minute(next))") }
      let last = line.lastRun.map { LocalTime().minute(Date(milliseconds: $0)) }
      if let last { parts.append("last \(last)" + (line.lastOutcome.map { " (\($0))" } ?? "")) }
      return parts.joined(separator: "; ")
    }
  }
}
