import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import SystemPackage

struct Extract: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take photos out of an archive, as plain files.",
    discussion: """
      Each category becomes a folder, and each photo a file in it, with the name that it had and the date when it was \
      taken. A photo gets its name when it is whole, proven by its checksums, and on the disk; run again after an \
      interruption, what is there is kept, and the rest is done. Photos that the archive does not hold, or not whole, \
      are named, and the exit code is 3. The photos of the Android app's statistics exports and HTML galleries, which \
      have no categories, come into one folder, Photos.

      A file that is there under a photo's name stays, and one with other bytes is named (exit 3): that is --overwrite \
      never. if-changed replaces the latter, and always replaces both. What is a link or a folder is left as it is, \
      and named.

      Example:
        smilepile extract smilepile_backup_20251003_140000.zip --to ~/Photos
        smilepile extract a.zip --photo 'IMG_00*' --category Family --to /tmp/some
      """)

  @Argument(help: "The archive.", completion: .file(), transform: PathArgument.parse)
  var archive: String

  @Option(
    help: ArgumentHelp("The folder; made if its parent is there.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var to: String

  @Option(
    help: ArgumentHelp(
      "Photos whose name or file name matches, with *, ? and [a-z] as in a shell ([*] is a star, a backslash itself); may be given several times.",
      valueName: "glob"))
  var photo: [String] = []

  @Option(name: .shortAndLong, help: "Photos of this category; may be given several times.")
  var category: [String] = []

  @Option(
    help: ArgumentHelp(
      "What becomes of files that are there.", valueName: "never|if-changed|always"))
  var overwrite = OverwriteRule.never

  @Flag(name: [.customShort("n"), .long], help: "Say what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup var readers: ReadersOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var output: OutputOptions

  /// restic's names, where the meaning is the same.
  private struct Summary: Encodable {
    let messageType = "summary"
    var target: String
    var totalFiles: Int
    var filesRestored: Int
    var filesReplaced: Int
    var filesSkipped: Int
    var totalBytes: Int
    var bytesRestored: Int
    var bytesSkipped: Int
    var assets: Int
    var errors: [String]
    var warnings: [String]
    var dryRun: Bool
  }

  func run() async throws {
    var options = ExtractOptions()
    options.selection.names = photo
    options.selection.categories = category
    options.overwrite = overwrite
    options.isDryRun = dryRun
    options.readers = readers.readers
    options.ledger = .ofThisUser
    options.limits = limits.limits
    let reporter = Reporter(output)
    let path = FilePath(archive)
    options.password = try password.read(for: [path], limits.limits, reporter)
    let summary = try await reporter.follow(.extract(path, to: FilePath(to), options: options))

    for warning in summary.warnings { reporter.warn(warning) }
    for error in summary.errors { reporter.error(error, during: "extract") }
    let verb = dryRun ? "would extract" : "extracted"
    let kept = summary.filesKept == 0 ? "" : "; \(summary.filesKept) there already"
    let replaced = summary.filesReplaced == 0 ? "" : " (\(summary.filesReplaced) in the place of others)"
    let assets = summary.assets == 0 ? "" : "; \(summary.assets) in the app, without a file"
    reporter.result(
      "\(verb) \(Count(summary.filesWritten, "photo"))\(replaced), \(ByteCount(summary.bytesWritten)), "
        + "to \(to.escaped)\(kept)\(assets)")
    reporter.json(
      Summary(
        target: to, totalFiles: summary.files, filesRestored: summary.filesWritten,
        filesReplaced: summary.filesReplaced, filesSkipped: summary.filesKept,
        totalBytes: summary.bytes, bytesRestored: summary.bytesWritten,
        bytesSkipped: summary.bytesKept, assets: summary.assets,
        errors: summary.errors.map(\.message), warnings: summary.warnings, dryRun: summary.isDryRun))
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }
}

extension OverwriteRule: ExpressibleByArgument {}
