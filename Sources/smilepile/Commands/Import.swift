import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import Secrets
import SystemPackage

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring backups into a library.",
    discussion: """
      Reads every backup that either SmilePile app ever wrote, and this program's own; what a file is shows in its \
      content, not in its name. Each backup is imported whole or not at all. Photos that a backup promises and \
      does not hold, or not whole, are left out and named, and the exit code is 3.

      Strategies: merge adds what is new, and takes names and settings from whichever side is newer; skip adds \
      what is new and changes nothing that is there; replace puts the backup in the place of everything, and asks \
      first if photos or categories go (without a terminal it needs --yes).
      Duplicates (equal bytes in one category): skip keeps the row; replace takes the backup's name and date; \
      rename adds a copy, each time; ask asks.

      An incremental archive is imported together with those that it rests on, which are found beside it or among the \
      arguments: the whole chain is one backup, in the state of its newest archive. Photos whose archive is gone are \
      named, and the exit code is 3.

      One password opens all encrypted backups of a run. Without an option for it and without SMILEPILE_PASSWORD it is \
      asked for at the terminal, where one is needed.

      Example:
        smilepile import -l ~/Family mums_phone.zip dads_phone.smilepile
      """)

  @Argument(
    help: "The backups, imported one after the other.", completion: .file(), transform: PathArgument.parse)
  var backups: [String]

  @Option(help: ArgumentHelp("What happens to what is there.", valueName: "merge|replace|skip"))
  var strategy = ImportStrategy.merge

  @Option(
    help: ArgumentHelp("What happens to photos that are there.", valueName: "skip|replace|rename|ask"))
  var duplicates = DuplicateChoice.skip

  @Flag(help: "Leave the library's settings as they are.")
  var noSettings = false

  @Option(
    help: ArgumentHelp(
      "Where the photo files of a JSON backup are, by name and size, at any depth.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var photosFrom: String?

  @Flag(help: "Search a truncated or damaged archive for the photos that are still whole.")
  var salvage = false

  @Flag(help: "Replace even with a backup that does not hold a whole library.")
  var force = false

  @Flag(name: [.customShort("n"), .long], help: "Say what would be imported, and write nothing.")
  var dryRun = false

  @Flag(
    help:
      "Leave the flushing to the disk to you: a power cut soon afterwards may cost photos that came. sync(1) makes up for it; importing again does not."
  )
  var noSync = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var readers: ReadersOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var categoriesImported: Int
    var photosImported: Int
    var photosSkipped: Int
    var photosRemoved: Int
    var categoriesRemoved: Int
    var filesRestored: Int
    var photosMissing: Int
    var warnings: [String]
    var errors: [String]
    var dryRun: Bool
  }

  func validate() throws {
    try duplicates.checkTerminal()
  }

  func run() async throws {
    var options = ImportOptions()
    options.strategy = strategy
    options.includesSettings = !noSettings
    options.isDryRun = dryRun
    options.isForced = force
    options.syncs = !noSync
    options.readers = readers.readers
    options.salvages = salvage
    options.photosFrom = photosFrom.map { FilePath($0) }
    options.lockWait = lock.duration
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.duplicates = duplicates.rule
    let reporter = Reporter(output)
    let (paths, target) = (backups.map { FilePath($0) }, try library.path())
    options.authorization = try confirmation.authorization(reporter, for: target)
    options.password = try password.read(for: paths, limits.limits, reporter, salvaging: salvage)
    let summary: ImportSummary
    do {
      summary = try await reporter.follow(.import(paths, into: target, options: options))
    } catch {
      if case BackupError.stopped(_, _, let done, _) = error {
        report(done, reporter)
      }
      throw error
    }
    report(summary, reporter)
    reporter.json(
      Summary(
        categoriesImported: summary.categoriesImported, photosImported: summary.photosImported,
        photosSkipped: summary.photosSkipped, photosRemoved: summary.removal.photos,
        categoriesRemoved: summary.removal.categories, filesRestored: summary.photoFilesRestored,
        photosMissing: summary.photosAbsent,
        warnings: summary.warnings, errors: summary.errors.map(\.message), dryRun: summary.isDryRun))
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }

  private func report(_ summary: ImportSummary, _ reporter: Reporter) {
    for warning in summary.warnings { reporter.warn(warning) }
    for error in summary.errors { reporter.error(error, during: "import") }
    let verb = dryRun ? "would import" : "imported"
    reporter.lasting(
      "\(verb) \(Count(summary.photosImported, "photo")) (\(Count(summary.photoFilesRestored, "file"))) and "
        + "\(Count(summary.categoriesImported, "category", "categories")), "
        + "skipped \(summary.photosSkipped) that are there already"
        + (summary.removal.isEmpty ? "" : "; \(dryRun ? "would remove" : "removed") \(summary.removal)")
        + (summary.photosAbsent == 0 ? "" : "; \(summary.photosAbsent) absent"))
  }
}

extension ImportStrategy: ExpressibleByArgument {}
