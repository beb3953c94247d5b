import ArgumentParser
import Backup
import FileSystem
import SystemPackage

struct Extract: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Extract photos of an archive into folders.",
    discussion: """
      Writes each photo into a folder of its category, under its own name and date. Each file appears when it is \
      complete and its checksums match. After an interruption, run the command again: existing files are kept. The exit \
      code is 3 if a photo is missing or corrupt, or a file with other content exists. Links and folders are never \
      replaced.

      Example:
        smilepile extract smilepile_backup_20251003_140000.zip --to ~/Photos
        smilepile extract a.zip --photo 'IMG_00*' --category Family --to /tmp/some
      """)

  @Argument(help: "The archive.", completion: .file(), transform: PathArgument.parse)
  var archive: String

  @Option(
    help: ArgumentHelp("Folder for the photos; created if its parent exists.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var to: String

  @Option(
    help: ArgumentHelp(
      "Only photos whose name or file name matches, with *, ? and [a-z]; may be given several times.",
      valueName: "glob"))
  var photo: [String] = []

  @Option(name: .shortAndLong, help: "Only photos of this category; may be given several times.")
  var category: [String] = []

  @Option(
    help: ArgumentHelp(
      "When to replace an existing file; if-changed: only if the content differs.",
      valueName: "never|if-changed|always"))
  var overwrite = OverwriteRule.never

  @Flag(name: [.customShort("n"), .long], help: "Report what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reports: PhotoReportOptions

  func run() async throws {
    var options = ExtractOptions()
    options.selection.names = photo
    options.selection.categories = category
    options.overwrite = overwrite
    options.isDryRun = dryRun
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.reportsPhotos = reports.reportsPhotos
    let reporter = reports.reporter
    let path = FilePath(archive)
    options.password = try password.read(for: [path], limits.limits, reporter)
    let summary = try await reporter.follow(
      .extract(path, to: FilePath(to), options: options), during: "extract")

    reporter.photos(summary.photoReports)
    for warning in summary.warnings { reporter.warn(warning) }
    let verb = dryRun ? "would extract" : "extracted"
    let kept =
      summary.filesKept == 0
      ? "" : "; \(Count(summary.filesKept, "file already exists", "files already exist"))"
    let replaced =
      summary.filesReplaced == 0 ? "" : " (\(summary.filesReplaced) replaced an existing file)"
    let assets =
      summary.assets == 0
      ? "" : "; \(Count(summary.assets, "photo is an asset", "photos are assets")) of the app, without a file"
    reporter.result(
      "\(verb) \(Count(summary.filesWritten, "photo"))\(replaced), \(ByteCount(summary.bytesWritten)), "
        + "to \(to.escaped)\(kept)\(assets)")
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "target": to, "total_files": summary.files, "files_restored": summary.filesWritten,
        "files_replaced": summary.filesReplaced, "files_skipped": summary.filesKept,
        "total_bytes": summary.bytes, "bytes_restored": summary.bytesWritten,
        "bytes_skipped": summary.bytesKept, "assets": summary.assets, "errors": summary.errors.map(\.message),
        "warnings": summary.warnings, "dry_run": summary.isDryRun,
      ])
  }
}

extension OverwriteRule: ExpressibleByArgument {}
