import Foundation
import Operations
import PhotoLibrary

/// Whether the photos of a library are safe: one sentence, and what to do if they are not.
package struct ProtectionVerdict: Sendable, Equatable {
  /// How safe the photos are.
  package enum Level: String, Sendable, Encodable, CaseIterable {
    /// A verified copy on another device has every photo, and a restore test has passed.
    case safe
    /// Every photo that was backed up can be restored, but something needs attention.
    case attention
    /// Photos would be lost with the library.
    case danger
  }

  /// The most actions that a page shows.
  private static let mostActions = 3
  /// The most characters of the message of a run.
  private static let mostCharacters = 300
  /// After how many days without a passed restore test the next one is due.
  private static let daysBetweenTests = 92
  /// After how many days without a complete backup the backup is late.
  private static let daysBetweenBackups = 3

  package private(set) var level = Level.danger
  /// One true sentence.
  package private(set) var sentence = ""
  /// What a person should do, the most important first.
  package private(set) var actions: [Finding] = []

  /// Judges the protection of a library.
  ///
  /// - Parameter now: the time to which the sentence refers.
  package init(of protection: LibraryProtection, now: Date = Date(), calendar: Calendar = .current) {
    let days = DayCount(now: now, calendar)
    (level, sentence) = Self.judge(protection, days)
    actions = Array(Self.actions(protection, days).prefix(Self.mostActions))
    if level == .safe, !actions.isEmpty { level = .attention }
  }

  private static func judge(_ protection: LibraryProtection, _ days: DayCount) -> (Level, String) {
    let photos = protection.totals.photos
    guard photos > 0 else { return (.attention, "The library has no photos yet.") }
    if let problem = protection.ledgerProblem {
      return (.attention, "The copies of \(Self.photos(photos)) are unknown: \(problem).")
    }
    let complete = protection.completeCopies
    guard let newest = complete.max(by: { $0.copy.place < $1.copy.place }) else {
      return (.danger, "\(all(photos)) in no complete copy that a job made.")
    }
    let made = days.ago(newest.copy.madeAt)
    let current = complete.filter { $0.photosAdded == 0 }
    guard !current.isEmpty else {
      guard let added = complete.compactMap(\.photosAdded).min() else {
        return (.attention, "It is unknown whether the newest copy, from \(made), has all photos.")
      }
      return (
        .attention,
        "\(number(photos - min(added, photos))) of \(Self.photos(photos)) are safe in the newest copy, from \(made); "
          + "\(number(added)) \(added == 1 ? "was" : "were") added since."
      )
    }
    let count = "\(number(current.count)) \(current.count == 1 ? "copy" : "copies")"
    let elsewhere = current.filter { !$0.copy.isOnSameDevice }
    guard !elsewhere.isEmpty else {
      return (
        .danger,
        "\(all(photos)) in \(count), the newest from \(made), but each copy is on the device of the library."
      )
    }
    let tested =
      protection.testedAt.map { "restore tested \(days.ago($0))" } ?? "no restore test has passed yet"
    guard elsewhere.contains(where: { $0.verifiedAt != nil }) else {
      return (.attention, "\(all(photos)) in \(count), the newest from \(made), but no copy is verified.")
    }
    return (
      protection.testedAt == nil ? .attention : .safe,
      "\(all(photos)) safe: \(count), the newest from \(made), \(tested)."
    )
  }

  private static func photos(_ count: Int) -> String {
    count == 1 ? "the one photo" : "\(number(count)) photos"
  }

  private static func all(_ count: Int) -> String {
    count == 1 ? "The one photo is" : "All \(number(count)) photos are"
  }

  /// Returns a number with commas: `12,345`.
  package static func number(_ value: Int) -> String {
    value.formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic))
  }

  // MARK: Actions

  private static func actions(_ protection: LibraryProtection, _ days: DayCount) -> [Finding] {
    var actions: [Finding] = []
    if protection.jobs.isEmpty, protection.ledgerProblem == nil {
      actions.append(Finding("", message: "no job backs up the library", remedy: .installSchedule))
    }
    actions += protection.jobs.flatMap { of($0) }
    actions += protection.copies.compactMap { of($0, days) }
    let whole = protection.jobs.filter { job in job.copies.contains { $0.isSelection != true } }
    guard let job = whole.first?.job else { return actions }
    if !protection.completeCopies.contains(where: { !$0.copy.isOnSameDevice }) {
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
    if protection.testedAt.map({ days.since($0) > daysBetweenTests }) ?? true {
      let last = protection.testedAt.map { "the last restore test passed \(days.ago($0))" }
      actions.append(
        Finding(job, message: last ?? "no restore test has passed yet", remedy: .testRestore(job: job)))
    }
    return actions
  }

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
          job.library, message: "\(number(damaged)) photos of the library are corrupt or missing",
          remedy: .repairLibrary))
    }
    if !test.hasPassed {
      actions.append(
        Finding(
          test.archive, message: "the restore test of \(test.archive) failed",
          remedy: .verifyArchive(test.archive)))
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
