import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import Secrets
import SystemPackage

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import backups into a library.",
    discussion: """
      Imports backups of both SmilePile apps and of smilepile. Each import adds its photos in one transaction. Missing \
      and corrupt photos are skipped and reported; the exit code is then 3. The bases of an incremental archive are found among \
      the arguments and in its folder.

      merge adds new photos and categories, and uses the newer names and settings; skip only adds; replace makes the \
      library equal to the backup. A duplicate is a photo with the same content in the same category. With \
      merge and skip, photos stay where they were moved to, and removed photos stay removed.

      Example:
        smilepile import -l ~/Family mums_phone.zip dads_phone.smilepile
      """)

  @Argument(
    help: "The backups in the order of import. A folder stands for all backups in it, oldest first.",
    completion: .file(), transform: PathArgument.parse)
  var backups: [String]

  @Option(
    help: ArgumentHelp(
      "How to treat existing categories, photos and settings.", valueName: "merge|replace|skip"))
  var strategy = ImportStrategy.merge

  @Option(
    help: ArgumentHelp("How to treat duplicates; rename adds a copy.", valueName: "skip|replace|rename|ask"))
  var duplicates = DuplicateChoice.skip

  @Flag(help: "Add photos again that were removed from the library.")
  var restoreRemoved = false

  @Flag(help: "Keep the library's settings.")
  var noSettings = false

  @Option(
    help: ArgumentHelp(
      "Search this folder for the photo files of a JSON backup, by name and size.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var photosFrom: String?

  @Flag(help: "Import the intact photos of truncated or damaged archives.")
  var salvage = false

  @Flag(help: "With --strategy replace: accept a backup that is incomplete or contains only a selection.")
  var force = false

  @Flag(name: [.customShort("n"), .long], help: "Report what would be imported, and write nothing.")
  var dryRun = false

  @Flag(
    help:
      "Skip fsync. Run sync(1) afterwards, because a power failure can lose imported photos."
  )
  var noSync = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reports: PhotoReportOptions

  private var reporter: Reporter { reports.reporter }

  func validate() throws {
    if restoreRemoved, strategy == .replace {
      throw ValidationError(
        "--strategy replace restores all photos of the backup; leave out --restore-removed")
    }
    if force, strategy != .replace { throw ValidationError("--force works only with --strategy replace") }
    try duplicates.checkTerminal()
  }

  func run() async throws {
    var options = ImportOptions()
    options.strategy = strategy
    options.includesSettings = !noSettings
    options.restoresRemoved = restoreRemoved
    options.isDryRun = dryRun
    options.isForced = force
    options.syncs = !noSync
    options.salvages = salvage
    options.photosFrom = photosFrom.map { FilePath($0) }
    options.lockWait = lock.duration
    options.limits = limits.limits
    options.duplicates = duplicates.rule
    options.reportsPhotos = reports.reportsPhotos
    let paths = backups.map { FilePath($0) }
    let (target, ledger) = try library.pathAndLedger()
    options.ledger = ledger
    options.authorization = try confirmation.authorization(reporter, for: target)
    let sources = try BackupOpener.files(in: paths)
    options.password = try password.read(for: sources, limits.limits, reporter, salvaging: salvage)
    let summary: ImportSummary
    do {
      summary = try await reporter.follow(.import(paths, into: target, options: options), during: "import")
    } catch {
      if let stop = error as? ImportStopped { report(stop.done) }
      throw error
    }
    report(summary)
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "categories_imported": summary.categoriesImported, "photos_imported": summary.photosImported,
        "photos_skipped": summary.photosSkipped, "photos_removed_before": summary.photosRemovedBefore,
        "photos_removed": summary.removal.photos, "categories_removed": summary.removal.categories,
        "files_restored": summary.photoFilesWritten, "photos_missing": summary.photosNotImported,
        "warnings": summary.warnings, "errors": summary.findings.map(\.message), "dry_run": summary.isDryRun,
      ])
  }

  private func report(_ summary: ImportSummary) {
    reporter.photos(summary.photoReports)
    for warning in summary.warnings { reporter.warn(warning) }
    let verb = dryRun ? "would import" : "imported"
    reporter.importantResult(
      "\(verb) \(Count(summary.photosImported, "photo")) (\(Count(summary.photoFilesWritten, "file"))) and "
        + "\(Count(summary.categoriesImported, "category", "categories")), "
        + "\(dryRun ? "would skip" : "skipped") \(summary.photosSkipped) that already exist"
        + Self.stillRemoved(summary.photosRemovedBefore)
        + (summary.removal.isEmpty ? "" : "; \(dryRun ? "would remove" : "removed") \(summary.removal)")
        + (summary.photosNotImported == 0 ? "" : "; \(Count(summary.photosNotImported, "photo")) missing"))
  }

  private static func stillRemoved(_ count: Int) -> String {
    count == 0 ? "" : " and \(count) that \(count == 1 ? "was" : "were") removed"
  }
}

extension ImportStrategy: ExpressibleByArgument {}
