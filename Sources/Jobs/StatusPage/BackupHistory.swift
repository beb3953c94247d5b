import ArchiveCatalog
import Foundation

/// The runs and restore tests of the jobs of a library, by day.
struct BackupHistory {
  /// How the backups of a day ended: the best outcome counts.
  enum Outcome: Int, Comparable, CaseIterable {
    case none, failed, incomplete, unchanged, done

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }

    init(_ outcome: LedgerRun.Outcome) {
      switch outcome {
      case .done: self = .done
      case .unchanged: self = .unchanged
      case .incomplete: self = .incomplete
      case .failed, .interrupted, .notBegun: self = .failed
      case .running: self = .none
      }
    }
  }

  /// A day with backups.
  struct Day {
    /// In days before today.
    let age: Int
    /// The start of the last run of the day.
    var at: Timestamp
    var outcome: Outcome
    /// Why the last run that was not complete was not; nil if every run was complete.
    var message: String?
    /// The photos of the library and their bytes; nil if no run read them.
    var size: (photos: Int, bytes: Int)?
  }

  /// The free space of a destination at the end of a run.
  typealias FreeSpace = (at: Timestamp, bytes: Int)

  /// The days with backups, oldest first.
  private(set) var days: [Day] = []
  /// The restore tests, oldest first.
  private(set) var tests: [JobStatus.RestoreTestRecord] = []
  /// The free space at each destination, oldest first.
  private(set) var freeSpace: [String: [FreeSpace]] = [:]

  /// Reads the runs of jobs. Blocks.
  init(of jobs: [JobStatus], _ ledger: Ledger, _ count: DayCount) {
    let runs = jobs.flatMap { ledger.runs(of: $0.job) }.sorted { $0.startedAt < $1.startedAt }
    var byAge: [Int: Day] = [:]
    for run in runs {
      if let test = run.restoreTest?.test { tests.append(test) }
      guard run.kind == .backup else { continue }
      let wasKilled = run.outcome == .running && !ledger.isRunning(run)
      let (age, outcome) = (count.since(run.startedAt), wasKilled ? .failed : Outcome(run.outcome))
      // a clock that was wrong
      guard age >= 0 else { continue }
      var day = byAge[age] ?? Day(age: age, at: run.startedAt, outcome: outcome)
      (day.at, day.outcome) = (run.startedAt, max(day.outcome, outcome))
      if let record = run.backup?.run {
        let message = record.message ?? (wasKilled ? "the run was stopped" : day.message)
        if outcome < .unchanged { day.message = message }
        if outcome > .failed { day.size = (record.photos, record.bytes) }
        for destination in record.destinations {
          guard let free = destination.freeBytes else { continue }
          freeSpace[destination.path, default: []].append((run.startedAt, free))
        }
      }
      byAge[age] = day
    }
    days = byAge.values.sorted { $0.age > $1.age }
  }

  /// Estimates when a destination will be full, from its free space on the last 90 days.
  ///
  /// - Returns: the number of days from now; nil if the measurements span less than seven days, or if the free space does
  ///   not shrink, or lasts for ten years.
  static func daysUntilFull(_ points: [FreeSpace], now: Date) -> Int? {
    let (day, now) = (86_400_000.0, Timestamp(now))
    let recent = points.map { (x: Double($0.at.milliseconds(since: now)) / day, y: Double($0.bytes)) }
      .filter { (-90...1).contains($0.x) }
    guard let first = recent.first, let last = recent.last, last.x - first.x >= 7 else { return nil }
    // the line with the least squares
    let count = Double(recent.count)
    let (meanX, meanY) = (recent.reduce(0) { $0 + $1.x } / count, recent.reduce(0) { $0 + $1.y } / count)
    let slope =
      recent.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
      / recent.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    guard slope < 0 else { return nil }
    let days = last.y / -slope + last.x
    return days < 3650 ? max(0, Int(days)) : nil
  }
}
