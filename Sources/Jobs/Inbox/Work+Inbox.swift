import Foundation
import Operations
import PhotoLibrary

extension Work where Summary == InboxReport {
  /// Starts to import the new backups in the inboxes of a job. Does not take the lock of the job, so a backup of the job may
  /// run at the same time.
  ///
  /// The summary throws `JobError.noLibrary`, and the errors of `InboxRun.run()`.
  ///
  /// - Parameters:
  ///   - isDryRun: reports only. A dry run takes no lock and writes nothing.
  ///   - waits: waits for files that were modified within the last minute, and imports them too.
  package static func inbox(
    _ job: Job, _ environment: JobEnvironment, isDryRun: Bool = false, waits: Bool = false
  ) -> Self {
    Work { counter in
      let input = try RunInput(.inbox, of: job, environment, counter)
      let run = InboxRun(input: input, isDryRun: isDryRun)
      var report = try run.run()
      while waits, let end = report.nextSettling {
        try Self.wait(until: end, now: Timestamp(environment.now()), counter)
        report = report.followed(by: try run.run())
      }
      return report
    }
  }

  /// Waits until a time, but at least a second and at most two settling times: the clock may be set meanwhile.
  private static func wait(until end: Timestamp, now: Timestamp, _ counter: ProgressCounter) throws {
    let limit = min(max(end.milliseconds(since: now), 1000), 2 * UnfinishedFile.settlingTime)
    let deadline = ContinuousClock.now + .milliseconds(limit)
    while ContinuousClock.now < deadline {
      try counter.checkCancellation()
      Thread.sleep(forTimeInterval: 0.1)
    }
  }
}
