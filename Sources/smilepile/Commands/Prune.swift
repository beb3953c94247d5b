import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

struct Prune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove old archives from folders, or of jobs.",
    discussion: """
      What is kept is said as for `restic forget`: the newest N, and the newest of each of N hours, days, weeks, months \
      or years that have any; all within a time before the newest; all with a tag. What no option keeps goes. Archives \
      of different libraries, selections or tags are looked at apart, one whose library is not known stands alone, and \
      the parts of one export stay or go together. Where no rule keeps any of those that are looked at together, as with \
      a tag that none has, all of them stay.

      The newest archive always stays, and is read back before any is removed: if it is damaged, none is. An archive that \
      another one rests on stays with it. Backups that phones made, files that cannot be read, and archives that no \
      password opens are never removed. Of a job, its own retention is the default; where nothing \
      is named, jobs without one are passed over. A folder that fails does not stop the next.

      The exit code is 3 where an archive could not be removed, and 4 where some were to go and the newest one is damaged.

      Example:
        smilepile prune /backups --keep-daily 7 --keep-weekly 5 --keep-monthly 12 --dry-run
        smilepile prune family
      """)

  @Argument(
    help: "Folders, or jobs of the job file; all jobs if nothing is named.", completion: .jobsAndFolders)
  var places: [String] = []

  @Option(help: ArgumentHelp("Keep the newest.", valueName: "n")) var keepLast: Int?
  @Option(help: ArgumentHelp("Keep the newest of each hour.", valueName: "n")) var keepHourly: Int?
  @Option(help: ArgumentHelp("Keep the newest of each day.", valueName: "n")) var keepDaily: Int?
  @Option(help: ArgumentHelp("Keep the newest of each week.", valueName: "n")) var keepWeekly: Int?
  @Option(help: ArgumentHelp("Keep the newest of each month.", valueName: "n")) var keepMonthly: Int?
  @Option(help: ArgumentHelp("Keep the newest of each year.", valueName: "n")) var keepYearly: Int?
  @Option(
    help: ArgumentHelp("Keep all that were made so long before the newest: 30d, 1y6m.", valueName: "span"),
    transform: { text in
      guard let span = RetentionSpan(text) else {
        throw ValidationError("“\(text)” is no length of time; write 30d or 1y6m")
      }
      return span
    })
  var keepWithin: RetentionSpan?
  @Option(help: ArgumentHelp("Keep all with this tag; may be given several times.")) var keepTag: [String] =
    []

  @Option(
    help: ArgumentHelp("Only archives with this tag; given several times, only those with all of them."))
  var tag: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Say what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var file: JobFileOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  private struct DecisionLine: Encodable {
    var message_type = "decision"
    var keep: Bool
    var reasons: [String]
    var date: Int64
    var archives: [String]
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var kept: Int
    var removed: [String]
    var removed_bytes: Int
    var refusals: [String]
    var warnings: [String]
    var dry_run: Bool
  }

  private var given: RetentionPolicy {
    var policy = RetentionPolicy()
    policy.last = keepLast ?? 0
    policy.hourly = keepHourly ?? 0
    policy.daily = keepDaily ?? 0
    policy.weekly = keepWeekly ?? 0
    policy.monthly = keepMonthly ?? 0
    policy.yearly = keepYearly ?? 0
    policy.within = keepWithin
    policy.tags = keepTag
    return policy
  }

  func validate() throws {
    let numbers = [keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly].compactMap { $0 }
    if numbers.contains(where: { $0 < 0 }) { throw ValidationError("--keep-… takes a number, 0 or more") }
  }

  func run() async throws {
    let reporter = Reporter(output)
    var (kept, removed, bytes, others) = (0, [String](), 0, 0)
    var refusals: [String] = []
    var warnings: [String] = []
    var worst = ExitStatus.done
    for (place, policy) in try chosen() {
      let summary: PruneRun.Summary
      do {
        try place.check()
        summary = try await reporter.follow(try work(place, policy, reporter))
      } catch let error where error is CancellationError || error is ValidationError {
        throw error
      } catch {
        reporter.error(Finding(place.folder.string, message: CommandMessage.text(of: error)), during: "prune")
        worst = max(worst, ExitStatus(for: error))
        continue
      }
      reporter.result("\(place.folder.string.escaped):")
      for decision in summary.plan.decisions {
        show(decision, isRefused: !summary.plan.refusals.isEmpty, reporter)
      }
      for failure in summary.failures { reporter.error(failure, during: "prune") }
      for refusal in summary.plan.refusals {
        reporter.error(Finding(place.folder.string, message: refusal), during: "prune")
      }
      for warning in Self.warnings(of: summary) {
        reporter.warn(warning)
        warnings.append(warning)
      }
      kept += summary.plan.decisions.reduce(0) { $0 + $1.archives.count } - summary.plan.removals.count
      others += summary.passedOver
      removed += summary.removed.map(\.path)
      bytes += summary.removed.reduce(0) { $0 + $1.fileBytes }
      refusals += summary.plan.refusals
      if !summary.failures.isEmpty { worst = max(worst, .incomplete) }
      if !summary.plan.refusals.isEmpty { worst = max(worst, .damaged) }
    }
    reporter.result(
      "kept \(Count(kept, "archive")), \(dryRun ? "would remove" : "removed") \(removed.count), \(ByteCount(bytes))"
        + (others > 0 ? "; \(Count(others, "other stays", "others stay"))" : ""))
    reporter.json(
      Summary(
        kept: kept, removed: removed, removed_bytes: bytes, refusals: refusals, warnings: warnings,
        dry_run: dryRun))
    if worst != .done { throw worst }
  }

  private static func warnings(of summary: PruneRun.Summary) -> [String] {
    let locked = Count(summary.locked, "encrypted archive")
    return (summary.locked > 0 ? ["\(locked) that no password opens stay as they are"] : [])
      + summary.unreadable.map { "\($0.path) stays, and cannot be read: \($0.reason)" }
  }

  /// The folders, and what is kept of each: known of all before anything is removed. Where nothing is named, jobs
  /// without a retention are not meant.
  private func chosen() throws -> [(ArchivePlace, RetentionPolicy)] {
    let all = try ArchivePlace.named(places, file)
    let ruled = all.compactMap { place in
      (given.isEmpty ? place.job?.retention : given).map { (place, $0) }
    }
    if ruled.isEmpty || !places.isEmpty, ruled.count < all.count,
      let place = all.first(where: { $0.job?.retention == nil })
    {
      throw ValidationError("nothing says what to keep of \(place.folder); use --keep-last 7 or the like")
    }
    return ruled
  }

  private func work(
    _ place: ArchivePlace, _ policy: RetentionPolicy, _ reporter: Reporter
  ) throws -> Work<PruneRun.Summary> {
    let secret = try place.password(password, reporter)
    let tags = tag + (place.tag.map { [$0] } ?? [])
    let isDryRun = dryRun
    return Work { counter in
      var run = PruneRun(folder: place.folder, policy: policy, counter: counter)
      run.password = secret
      run.tags = tags
      run.isDryRun = isDryRun
      run.observer = Ledger.ofThisUser.observer("prune")
      return try run.run()
    }
  }

  private func show(_ decision: PrunePlan.Decision, isRefused: Bool, _ reporter: Reporter) {
    let date = Date(milliseconds: decision.date).formatted(.iso8601)
    let names = decision.archives.map(\.name).joined(separator: ", ")
    let isKept = decision.isKept || isRefused
    let reasons =
      decision.isKept ? decision.reasons : ["no rule keeps it" + (isRefused ? ", and it stays" : "")]
    reporter.result(
      "  \(isKept ? "keep  " : "remove")  \(date)  \(names.escaped)  (\(reasons.joined(separator: ", ").escaped))"
    )
    reporter.json(
      DecisionLine(
        keep: isKept, reasons: reasons, date: decision.date,
        archives: decision.archives.map(\.path)))
  }
}
