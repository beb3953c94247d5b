import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Operations

extension ScheduleCommand {
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show installed schedules, their next runs and last results.",
      discussion: """
        The exit code is 3 if a schedule is not installed, outdated, stopped, or no longer in the job file.

        Example:
          smilepile schedule status
        """)

    @OptionGroup var jobs: ScheduleOptions
    @OptionGroup var reporter: Reporter

    func run() throws {
      let scheduler = try jobs.scheduler()
      let plan = try jobs.read()
      let state = StateFolder(path: plan.folders.state)
      var lines: [JSONFields] = []
      var matchesJobFile = true
      for job in plan.jobs {
        let status = state.status(of: job.name)
        for task in try scheduler.status(of: job, at: .now, in: .current) {
          matchesJobFile = matchesJobFile && task.matchesJobFile
          let last = Self.last(task, status)
          lines.append([
            "job": task.job, "task": task.task.rawValue, "schedule": task.timing,
            "state": task.state.rawValue, "next_run": task.nextRun.map(Timestamp.init), "last_run": last?.at,
            "last_outcome": last?.outcome,
          ])
          reporter.result(text(of: task, last).escaped)
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
      try reporter.finish(
        isIncomplete: !matchesJobFile || !orphans.isEmpty,
        [
          "scheduler": scheduler.name, "tasks": lines, "orphans": orphans,
        ])
    }

    /// Returns the last run of a task; nil if there was none.
    private static func last(_ task: InstalledTask, _ status: JobStatus) -> (at: Timestamp, outcome: String)?
    {
      switch task.task {
      case .backup: status.run.map { ($0.startedAt, $0.outcome.rawValue) }
      case .restoreTest: status.lastRestoreTest.map { ($0.at, $0.hasPassed ? "passed" : "failed") }
      case .inbox: nil
      }
    }

    private func text(of task: InstalledTask, _ last: (at: Timestamp, outcome: String)?) -> String {
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
      var parts = ["\(task.job) \(task.task.rawValue)"]
      if let timing = task.timing { parts.append(timing) }
      parts.append(state)
      if let next = task.nextRun { parts.append("next \(Timestamp(next).localMinute)") }
      if let (at, outcome) = last {
        parts.append("last \(at.localMinute) (\(outcome))")
      }
      return parts.joined(separator: "; ")
    }
  }
}
