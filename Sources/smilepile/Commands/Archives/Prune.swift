import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Jobs
import Operations
import Secrets
import SystemPackage

struct Prune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove old archives of folders or jobs.",
    discussion: """
      The keep rules are those of `restic forget`; without one, a job's “retention” is used. Archives that no rule \
      keeps are removed. The rules apply separately to each library, selection and set of tags. The newest archive is \
      kept and verified first: if it is damaged, nothing is removed. Never removed are bases of kept archives, backups \
      of phones, and archives that cannot be read or decrypted.

      The exit code is 3 if an archive could not be removed, 4 if the newest archive is damaged.

      Example:
        smilepile prune /backups --keep-daily 7 --keep-weekly 5 --keep-monthly 12 --dry-run
      """)

  @Argument(
    help: ArgumentHelp(
      "Folders, or names of jobs; default: all jobs of the job file.", valueName: "folder|job"),
    completion: .jobsAndFolders)
  var folders: [String] = []

  @Option(help: ArgumentHelp("Keep this many of the newest archives.", valueName: "n")) var keepLast: Int?
  @Option(help: Prune.keepHelp("hour")) var keepHourly: Int?
  @Option(help: Prune.keepHelp("day")) var keepDaily: Int?
  @Option(help: Prune.keepHelp("week")) var keepWeekly: Int?
  @Option(help: Prune.keepHelp("month")) var keepMonthly: Int?
  @Option(help: Prune.keepHelp("year")) var keepYearly: Int?
  @Option(
    help: ArgumentHelp(
      "Keep archives made within this time before the newest archive, for example 30d or 1y6m.",
      valueName: "span"),
    transform: { text in
      guard let span = RetentionSpan(text) else {
        throw ValidationError("invalid duration “\(text.escaped)”; use for example 30d or 1y6m")
      }
      return span
    })
  var keepWithin: RetentionSpan?
  @Option(help: ArgumentHelp("Keep archives with this tag; may be given several times.", valueName: "tag"))
  var keepTag: [String] = []

  @Option(
    help: ArgumentHelp("Only consider archives with this tag; if given several times, with all these tags."))
  var tag: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Report what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var file: JobFileOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var reporter: Reporter

  private static func keepHelp(_ unit: String) -> ArgumentHelp {
    ArgumentHelp(
      "Keep the newest archive of each of the last N \(unit)s that have archives.", valueName: "n")
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
    if numbers.contains(where: { $0 < 0 }) { throw ValidationError("--keep-… needs a number of at least 0") }
  }

  func run() async throws {
    var (kept, removed, bytes, others) = (0, [String](), 0, 0)
    var refusals: [String] = []
    var warnings: [String] = []
    let worst = try await reporter.each(chosen()) { target, policy in
      try target.check()
      let secret = try target.password(password, reporter)
      let summary = try await reporter.follow(work(target, policy, secret))
      reporter.result("\(target.folder.string.escaped):")
      show(summary.plan)
      for failure in summary.failures { reporter.error(failure, during: "prune") }
      for refusal in summary.plan.refusals {
        reporter.error(Finding(.folder(target.folder.string), message: refusal), during: "prune")
      }
      for warning in Self.warnings(of: summary) {
        reporter.warn(warning)
        warnings.append(warning)
      }
      kept += summary.plan.decisions.reduce(0) { $0 + $1.archives.count } - summary.removed.count
      others += summary.notConsidered
      removed += summary.removed.map(\.path)
      bytes += summary.removed.reduce(0) { $0 + $1.fileBytes }
      refusals += summary.plan.refusals
      return summary.plan.refusals.isEmpty ? summary.failures.isEmpty ? .done : .incomplete : .damaged
    } failed: { chosen, error in
      if error is CancellationError || error is ValidationError { throw error }
      // prune has no --lock-wait
      let canWait = (error as? FileLock.Busy)?.remedy != nil
      let message =
        canWait ? "\(error); wait until the other process ends" : CommandMessage.text(of: error)
      reporter.error(Finding(.folder(chosen.0.folder.string), message: message), during: "prune")
    }
    reporter.result(
      "kept \(Count(kept, "archive")), \(dryRun ? "would remove" : "removed") \(removed.count), \(ByteCount(bytes))"
        + (others > 0 ? "; \(Count(others, "other archive was", "other archives were")) not considered" : ""))
    try reporter.finish(
      worst,
      [
        "kept": kept, "removed": removed, "removed_bytes": bytes, "refusals": refusals, "warnings": warnings,
        "dry_run": dryRun,
      ])
  }

  private func show(_ plan: PrunePlan) {
    let isRefused = !plan.refusals.isEmpty
    let lines = plan.decisions.map { decision in
      let removal = "no rule keeps it" + (isRefused ? ", but nothing is removed" : "")
      return (
        decision: decision, isKept: decision.isKept || isRefused,
        reasons: decision.isKept ? decision.reasons : [removal]
      )
    }
    reporter.result(
      TextTable(
        .left, .left, .left, .left, indentation: 2,
        rows: lines.map { decision, isKept, reasons in
          [
            isKept ? "keep" : "remove", decision.date.iso8601,
            decision.archives.map(\.name).joined(separator: ", ").escaped,
            "(\(reasons.joined(separator: ", ").escaped))",
          ]
        }))
    for (decision, isKept, reasons) in lines {
      reporter.json(
        "decision",
        [
          "keep": isKept, "reasons": reasons, "date": decision.date,
          "archives": decision.archives.map(\.path),
        ])
    }
  }

  private static func warnings(of summary: PruneRun.Summary) -> [String] {
    let locked = Count(summary.locked, "encrypted archive")
    return (summary.locked > 0 ? ["kept \(locked), because the password is missing or wrong"] : [])
      + [summary.warningOfPlainArchives, summary.warningOfOtherOwners].compactMap { $0 }
      + summary.unreadable.map { "\($0.reason); the archive was kept" }
  }

  /// Returns the folders and their policies before anything is removed. Without arguments, omits jobs without
  /// a retention policy.
  private func chosen() throws -> [(ArchiveFolder, RetentionPolicy)] {
    let all = try ArchiveFolder.named(folders, file)
    let ruled = all.compactMap { target in
      (given.isEmpty ? target.job?.retention : given).map { (target, $0) }
    }
    if ruled.isEmpty || !folders.isEmpty, ruled.count < all.count,
      let target = all.first(where: { $0.job?.retention == nil })
    {
      throw ValidationError("no keep rule for \(target.folder.string.escaped); use for example --keep-last 7")
    }
    return ruled
  }

  private func work(
    _ target: ArchiveFolder, _ policy: RetentionPolicy, _ secret: Secret?
  ) -> Work<PruneRun.Summary> {
    let tags = tag + (target.tag.map { [$0] } ?? [])
    let isDryRun = dryRun
    let operation = RecordedOperation(.prune, folder: target.folder, isDryRun: dryRun)
    return Work(operation, by: Ledger.ofThisUser) { counter in
      var run = PruneRun(folder: target.folder, policy: policy, counter: counter)
      run.password = secret
      run.tags = tags
      run.isDryRun = isDryRun
      run.observer = Ledger.ofThisUser.observer(named: "prune")
      return try run.run()
    }
  }
}
