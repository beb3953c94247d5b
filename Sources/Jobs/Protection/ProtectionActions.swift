import Foundation
import Operations

/// What a person should do to protect a library.
enum ProtectionActions {
  /// The most characters of the message of a run.
  private static let mostCharacters = 300
  /// After how many days without a passed restore test the next one is due.
  private static let daysBetweenTests = 92
  /// After how many days without a complete backup the backup is late.
  private static let daysBetweenBackups = 3

  /// Returns the actions, the most important first.
  static func all(for protection: LibraryProtection, _ days: DayCount) -> [Finding] {
    var actions: [Finding] = []
    if protection.jobs.isEmpty, protection.ledgerProblem == nil {
      actions.append(Finding("", message: "no job backs up the library", remedy: .installSchedule))
    }
    actions += protection.jobs.flatMap { job in
      of(job) + job.restoreTests.compactMap { of($0, job, protection.copies) }
    }
    actions += protection.copies.compactMap { of($0, days) }
    let whole = protection.jobs.filter { job in job.copies.contains { $0.isSelection != true } }
    guard let job = whole.first?.job else {
      guard actions.isEmpty, let job = protection.jobs.first?.job else { return actions }
      return [Finding(job, message: "no complete copy was made", remedy: .runBackup(job: job))]
    }
    if !protection.copies.contains(where: { $0.place == .anotherDevice && $0.copy.isSelection != true }) {
      actions.append(
        Finding(job, message: "no complete copy is on another disk; add a destination on one to job “\(job)”")
      )
    }
    for job in whole {
      guard let last = job.lastSuccess.map({ days.since($0.finishedAt ?? $0.startedAt) }),
        last > daysBetweenBackups
      else { continue }
      actions.append(
        Finding(
          job.job, message: "job “\(job.job)” was last complete \(last) days ago",
          remedy: .runBackup(job: job.job)))
    }
    if let due = dueTest(protection, job, days), !actions.contains(where: { $0.remedy == due.remedy }) {
      actions.append(due)
    }
    return actions
  }

  // MARK: Restore tests

  /// Returns the restore test that is due.
  ///
  /// - Parameter job: a job of the whole library.
  private static func dueTest(_ protection: LibraryProtection, _ job: String, _ days: DayCount) -> Finding? {
    guard let testedAt = protection.testedAt else {
      return Finding(job, message: "no restore test has passed yet", remedy: .testRestore(job: job))
    }
    if days.since(testedAt) > daysBetweenTests {
      return Finding(
        job, message: "the last restore test passed \(days.ago(testedAt))", remedy: .testRestore(job: job))
    }
    let protecting = protection.copies.filter(\.isProtecting)
    guard protecting.allSatisfy({ $0.testedAt == nil }),
      let copy = protecting.first(where: { $0.test == nil })
    else { return nil }
    return Finding(
      copy.copy.path, message: "no restore from \(copy.copy.path) was tested yet",
      remedy: .testRestore(job: copy.job))
  }

  /// Returns what to do about the last restore test at a destination; nil if it passed, or if the action of the copy says
  /// it.
  private static func of(
    _ test: JobStatus.DestinationTestRecord, _ job: JobStatus, _ copies: [CountedCopy]
  ) -> Finding? {
    let copy = copies.first { $0.job == job.job && $0.copy.path == test.path }
    guard test.outcome != .passed, copy?.problem == nil else { return nil }
    switch test.outcome {
    case .unreachable where copy != nil:
      // it can be read now
      return Finding(
        test.path, message: "the last restore test could not read \(test.path)",
        remedy: .testRestore(job: job.job))
    case .unreachable:
      let reason = test.failure.map { ": \($0)" } ?? ""
      return Finding(test.path, message: "the last restore test could not read \(test.path)\(reason)")
    case .missing:
      return Finding(
        test.path,
        message: "the last restore test did not find the archive of the last backup in \(test.path)",
        remedy: copy == nil ? .runBackup(job: job.job) : .testRestore(job: job.job))
    case .failed:
      // a failed test makes the copy suspect, so that it was verified since
      let archive = test.archive ?? test.path
      return Finding(
        archive, message: "the restore test of \(archive) failed", remedy: .testRestore(job: job.job))
    case .incomplete:
      // the action about the library says more
      guard job.lastRestoreTest?.damaged == nil else { return nil }
      return Finding(
        test.path, message: test.failure ?? "the restore test of \(test.path) was incomplete",
        remedy: .testRestore(job: job.job))
    case .passed: return nil
    }
  }

  // MARK: Jobs and copies

  private static func of(_ job: JobStatus) -> [Finding] {
    var actions: [Finding] = []
    if let run = job.run, [.failed, .incomplete, .interrupted].contains(run.outcome) {
      let message = run.message.map { ": \($0.prefix(mostCharacters))" } ?? ""
      actions.append(
        Finding(job.job, message: "the last run of job “\(job.job)” \(run.outcome.words)\(message)"))
    }
    guard let test = job.lastRestoreTest else { return actions }
    if let damaged = test.damaged {
      actions.append(
        Finding(
          job.library,
          message: "\(ProtectionVerdict.number(damaged)) photos of the library are corrupt or missing",
          remedy: .repairLibrary))
    }
    // the record of an older version does not tell at which destination
    if !test.hasPassed, job.restoreTests.allSatisfy({ $0.outcome == .passed }) {
      actions.append(
        Finding(
          test.archive, message: "the restore test of \(test.archive) failed",
          remedy: .testRestore(job: job.job)))
    }
    return actions
  }

  private static func of(_ copy: CountedCopy, _ days: DayCount) -> Finding? {
    let (archive, place) = (copy.copy.archive, copy.copy.path)
    return switch copy.problem {
    case .suspect?:
      Finding(archive, message: "the copy \(archive) is suspect", remedy: .verifyArchive(archive))
    case .unreachable?:
      Finding(
        place,
        message:
          "\(place) is unreachable, and its newest copy is from \(days.ago(copy.copy.madeAt)); connect the disk"
      )
    case .missing?:
      Finding(
        place,
        message: copy.copy.archives.count == 1
          ? "the archive \(archive) is missing" : "archives of the copy \(archive) are missing",
        remedy: .runBackup(job: copy.job))
    case .changed?:
      Finding(
        archive, message: "the copy \(archive) changed after the backup", remedy: .verifyArchive(archive))
    case nil: nil
    }
  }
}

extension JobStatus.Outcome {
  /// The outcome in a sentence.
  fileprivate var words: String {
    switch self {
    case .running: "is not finished"
    case .done: "is complete"
    case .unchanged: "found no changes"
    case .incomplete: "is incomplete"
    case .failed: "failed"
    case .interrupted: "was stopped"
    }
  }
}
