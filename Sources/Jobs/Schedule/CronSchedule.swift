import Foundation
import Processes

/// Installs jobs as lines of the user's crontab, for machines without systemd. All functions block.
package struct CronSchedule: Scheduler {
  private let crontab = ScheduleProgram(name: "crontab")

  package let name = "cron"

  /// Makes the value. Reads nothing yet.
  package init() {}

  /// True if this machine has a `crontab` command.
  package static var isAvailable: Bool { ChildProcess.find("crontab") != nil }

  /// Returns the lines that an installation would write.
  package func texts(of job: ScheduledJob) throws(ScheduleInstallError) -> [ScheduleText] {
    let text = try CrontabBlock(job: job).text()
    return text.isEmpty ? [] : [ScheduleText(path: "crontab", text: text)]
  }

  /// Writes the lines of these jobs into the crontab and replaces the lines that the jobs have there. All
  /// other lines stay byte for byte. An up-to-date crontab is not written.
  package func install(_ jobs: [ScheduledJob]) throws(ScheduleInstallError) -> ScheduleChange {
    var blocks: [(ScheduledJob, String)] = []
    for job in jobs { blocks.append((job, try CrontabBlock(job: job).text())) }
    return try change { table, change in
      for (job, block) in blocks where table.block(job.mark) ?? "" != block {
        if block.isEmpty {
          table.remove(job.mark)
          change.removed.append(job.mark)
        } else {
          table.install(block, mark: job.mark)
          change.written.append(job.mark)
        }
      }
    }
  }

  /// Removes the lines of these jobs from the crontab.
  package func remove(_ marks: Set<String>) throws(ScheduleInstallError) -> ScheduleChange {
    try change { table, change in
      for mark in marks.sorted() where table.remove(mark) { change.removed.append(mark) }
    }
  }

  package func marks() throws(ScheduleInstallError) -> Set<String> { Set(try read().marks) }

  /// Compares the installed lines of a job with the job file.
  package func status(
    of job: ScheduledJob, at now: Date, in zone: TimeZone
  ) throws(ScheduleInstallError) -> [InstalledTask] {
    let block = try read().block(job.mark)
    let isCurrent = block == (try CrontabBlock(job: job).text())
    return ScheduledJob.Task.allCases.compactMap { task in
      let state: InstalledTask.State =
        switch (block, job.runsAutomatically(task)) {
        case (nil, false): .manual
        case (nil, true): .missing
        case (_?, false): isCurrent ? .manual : .unscheduled
        case (_?, true): isCurrent ? .installed : .outdated
        }
      // most jobs have no inbox
      if task == .inbox, !job.runsAutomatically(.inbox) { return nil }
      let nextRun =
        state == .installed
        ? job.schedule(of: task)?.nextRun(after: now, in: zone, skipped: .runsAfterwards) : nil
      return InstalledTask(job, task, state, nextRun: nextRun)
    }
  }

  private func change(
    _ edit: (inout Crontab, inout ScheduleChange) -> Void
  ) throws(ScheduleInstallError) -> ScheduleChange {
    let old = try read()
    var new = old
    var change = ScheduleChange()
    edit(&new, &change)
    guard new != old else { return ScheduleChange() }
    try crontab.succeed(["-"], input: new.text)
    guard try read() == new else { throw .crontabChanged }
    return change
  }

  /// Reads the crontab. An error message of `crontab` is the only sign that the user has none. Every other
  /// error is thrown, because the next write would lose an unread crontab.
  private func read() throws(ScheduleInstallError) -> Crontab {
    let result = try crontab.run(["-l"])
    if result.status == 0 { return Crontab(result.output) }
    // the first message is of cron and cronie, the second of busybox
    guard result.message.contains("no crontab for") || result.message.hasSuffix("No such file or directory")
    else { throw .program("crontab -l", reason: result.reason) }
    return Crontab([])
  }
}
