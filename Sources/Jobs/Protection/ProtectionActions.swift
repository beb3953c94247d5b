import FileSystem
import Foundation
import Operations

/// What a person should do to protect a library.
enum ProtectionActions {
  /// The most characters of the message of a run.
  static let mostCharacters = 300
  /// After how many days without a passed restore test the next one is due.
  private static let daysBetweenTests = 92
  /// How many days after its scheduled start a complete backup is late. A job without a schedule runs each day.
  private static let daysOfDelay = 3

  /// Returns what to do, the most important first.
  ///
  /// - Parameter first: the action of the judgment.
  static func all(for protection: LibraryProtection, after first: Finding?, _ days: DayCount) -> [Finding] {
    var actions = first.map { [$0] } ?? []
    if let damage = protection.damageAction { actions.append(damage) }
    actions += protection.jobs.flatMap { job in
      Self.actions(for: job, protection)
        + job.restoreTests.compactMap { action(forTest: $0, of: job, protection) }
    }
    actions += protection.copies.compactMap { action(forCopy: $0, days) }
    for job in protection.jobs where job.copies.contains(where: { !$0.isSelection }) {
      guard let run = job.lastSuccess, days.since(run.nextRunAt ?? run.startedAt) > daysOfDelay else {
        continue
      }
      let last = days.since(run.startedAt)
      actions.append(backUp(job.job, "job “\(job.job)” was last complete \(last) days ago"))
    }
    if let due = dueTest(protection, days), !actions.contains(where: { $0.remedy == due.remedy }) {
      actions.append(due)
    }
    return actions.enumerated().filter { actions.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }

  /// Returns a finding about a job, whose remedy is to run the job.
  private static func backUp(_ job: String, _ message: String) -> Finding {
    Finding(.job(job), message: message, remedy: .runBackup(job: job))
  }

  // MARK: Actions of a judgment

  /// Returns what makes one of these copies a complete copy without a problem; nil if no copy can become one.
  static func completing(_ copies: [LibraryCopy], of protection: LibraryProtection, _ days: DayCount)
    -> Finding?
  {
    if let copy = copies.filter({ $0.hasAllPhotos && $0.problem != nil }).newest {
      return action(forCopy: copy, days)
    }
    guard let counted = copies.filter({ !$0.hasAllPhotos && !$0.copy.isSelection }).newest else {
      return nil
    }
    let copy = counted.copy
    return Finding(
      .file(copy.archive),
      message:
        "\(Count(copy.missingPhotos, "photo is", "photos are").grouped) missing from the copy "
        + "\(copy.archive) or corrupt in it",
      remedy: protection.remedy(forPhotosMissingFrom: counted))
  }

  /// Returns what makes the first copy of the whole library.
  static func firstCopy(of protection: LibraryProtection) -> Finding {
    let jobs = protection.jobs
    if let job = jobs.first(where: { $0.copies.isEmpty }) {
      return Self.actions(forLastRunOf: job, protection).first
        ?? backUp(job.job, "job “\(job.job)” has no copy yet")
    }
    guard let job = jobs.first?.job else {
      if let job = protection.formerJobs.first?.job {
        return backUp(job, "job “\(job)” last backed up another library")
      }
      return Finding(
        .folder(protection.path.string), message: "no job has backed up the library", remedy: .installSchedule
      )
    }
    // another run makes another selection
    return Finding(
      .job(job),
      message:
        "job “\(job)” backs up a selection of the library; remove “categories”, “since” and “until” from it, "
        + "or add a job without them")
  }

  /// Returns what brings the photos that a copy lacks into one: a backup, or what the last backup reported if it made no
  /// complete copy.
  static func backUp(after copy: LibraryCopy, of protection: LibraryProtection) -> Finding {
    if let job = protection.jobs.first(where: { $0.job == copy.job }), let run = job.run,
      run.startedAt > copy.copy.madeAt, let finding = Self.actions(forLastRunOf: job, protection).first
    {
      return finding
    }
    return Finding(
      .file(copy.copy.archive),
      message: copy.photosAdded.map {
        "\(Count($0, "photo was", "photos were").grouped) added since the copy \(copy.copy.archive)"
      } ?? "the copy \(copy.copy.archive) may lack photos", remedy: .runBackup(job: copy.job))
  }

  /// Returns the restore test of a copy. Tells why the last test did not pass.
  static func test(_ copy: LibraryCopy, of protection: LibraryProtection) -> Finding {
    let job = protection.jobs.first { $0.job == copy.job }
    return copy.test.flatMap { test in job.flatMap { action(forTest: test, of: $0, protection) } }
      ?? Finding(
        .folder(copy.copy.path), message: "no restore test has passed at \(copy.copy.path)",
        remedy: .testRestore(job: copy.job))
  }

  // MARK: Restore tests

  /// Returns the restore test that is due.
  private static func dueTest(_ protection: LibraryProtection, _ days: DayCount) -> Finding? {
    let copies = protection.copies.filter { !$0.copy.isSelection }
    guard let job = copies.first?.job else { return nil }
    let protecting = copies.filter { $0.isProtecting && $0.testedAt != nil }
    guard let tested = protecting.max(by: { $0.testedAt ?? 0 < $1.testedAt ?? 0 }),
      let testedAt = tested.testedAt
    else {
      guard protection.testedAt == nil else { return nil }
      return Finding(.job(job), message: "no restore test has passed yet", remedy: .testRestore(job: job))
    }
    guard days.since(testedAt) > daysBetweenTests else { return nil }
    return Finding(
      .folder(tested.copy.path),
      message: "the last restore test at \(tested.copy.path) passed \(days.ago(testedAt))",
      remedy: .testRestore(job: tested.job))
  }

  /// Returns what to do about the last restore test at a destination; nil if the test passed, or if another action
  /// tells it.
  private static func action(
    forTest test: JobStatus.DestinationTestRecord, of job: JobStatus, _ protection: LibraryProtection
  ) -> Finding? {
    let copy = protection.copies.first { $0.job == job.job && $0.copy.path == test.path }
    guard test.outcome != .passed, copy?.problem == nil else { return nil }
    switch test.outcome {
    case .unreachable where copy != nil:
      // it can be read now
      return Finding(
        .folder(test.path), message: "the last restore test could not read \(test.path)",
        remedy: .testRestore(job: job.job))
    case .unreachable:
      let reason = test.failure.map { ": \($0)" } ?? ""
      return Finding(
        .folder(test.path), message: "the last restore test could not read \(test.path)\(reason)")
    case .missing:
      return Finding(
        .folder(test.path),
        message: "the last restore test did not find its archive in \(test.path)",
        remedy: copy == nil ? .runBackup(job: job.job) : .testRestore(job: job.job))
    case .failed:
      // a failed test makes the copy suspect, so that it was verified since; an incomplete copy fails each test
      let archive = test.archive ?? test.path
      let isIncomplete = job.run?.missing.isEmpty == false
      return Finding(
        .file(archive), message: "the restore test of \(archive) failed",
        remedy: isIncomplete
          ? protection.damageAction?.remedy ?? .runBackup(job: job.job) : .testRestore(job: job.job))
    case .incomplete:
      // the action about the library says more
      guard protection.damage.isEmpty else { return nil }
      return Finding(
        .folder(test.path), message: test.failure ?? "the restore test of \(test.path) was incomplete",
        remedy: .testRestore(job: job.job))
    case .passed: return nil
    }
  }

  // MARK: Jobs and copies

  /// Returns what the last run did not do; nothing if the run is complete or under way. The photos that it found corrupt or
  /// missing are apart, since they may be repaired.
  private static func actions(forLastRunOf job: JobStatus, _ protection: LibraryProtection) -> [Finding] {
    guard let run = job.run, [.failed, .incomplete, .interrupted].contains(run.outcome) else { return [] }
    let name = "the last run of job “\(job.job)”"
    var actions: [Finding] = []
    if !run.lacksPhotos {
      let message = run.message.map { ": \($0.prefix(mostCharacters))" } ?? ""
      actions.append(
        Finding(
          .job(job.job), message: "\(name) \(run.outcome.words)\(message)",
          remedy: run.outcome == .interrupted ? .runBackup(job: job.job) : nil))
    }
    if !run.missing.isEmpty {
      let photos = Count(
        run.missing.count, "photo that \(name) reported is", "photos that \(name) reported are")
      actions.append(protection.damageAction ?? backUp(job.job, "\(photos.grouped) repaired or removed"))
    }
    return actions
  }

  private static func actions(for job: JobStatus, _ protection: LibraryProtection) -> [Finding] {
    var actions = Self.actions(forLastRunOf: job, protection)
    if let failure = job.restoreTestFailure {
      actions.append(
        Finding(
          .job(job.job),
          message: "the last restore test of job “\(job.job)” failed: \(failure.prefix(mostCharacters))",
          remedy: .testRestore(job: job.job)))
    }
    return actions
  }
}

extension JobStatus.RunRecord {
  /// True if the run is incomplete because of corrupt or missing photos, and each destination has an archive.
  fileprivate var lacksPhotos: Bool {
    outcome == .incomplete && !missing.isEmpty && destinations.allSatisfy { $0.failure == nil }
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
    case .interrupted: "was interrupted"
    case .notBegun: "did not begin"
    }
  }
}
