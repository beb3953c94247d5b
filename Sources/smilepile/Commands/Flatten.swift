import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import SystemPackage

struct Flatten: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a full archive of an incremental one and those that it rests on.",
    discussion: """
      Needs the archives alone, and no library; those that it rests on are found beside it. The new archive, NAME.full.zip \
      beside it or where -o says, holds the same state, dates and tags under a number of its own. It is read back before it \
      gets its name; the chain is not touched. What the chain promises and does not hold whole is named, and the exit \
      code is 3: the chain is still needed then. An encrypted chain becomes an encrypted archive. Of a full archive it \
      says so, and writes nothing.

      Example:
        smilepile flatten /backups/smilepile_backup_20251103_020000.zip
      """)

  @Argument(help: "The incremental archive.", completion: .file(), transform: PathArgument.parse)
  var archive: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("An existing folder, or a file name that is free.", valueName: "path"),
    transform: PathArgument.parse)
  var output: String?

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var outputOptions: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    @Null var archive: String?
    var chain: [String]
    var photos: Int
    var bytes: Int
    var archiveBytes: Int
    var missing: [String]
    var warnings: [String]
  }

  func run() async throws {
    let reporter = Reporter(outputOptions)
    let path = FilePath(archive)
    var options = FlattenOptions()
    options.destination = output.map { FilePath($0) }
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(for: [path], limits.limits, reporter)
    let summary = try await reporter.follow(.flatten(path, options: options))

    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.lost { reporter.error(photo, during: "flatten") }
    if let written = summary.archive {
      reporter.note(
        "wrote \(Count(summary.photos, "photo")), \(ByteCount(summary.bytes)), of \(summary.chain.count) archives"
          + (summary.lost.isEmpty ? "" : "; \(summary.lost.count) lost"))
      reporter.lasting(written.string.escaped)
    } else {
      reporter.note("\(archive.escaped) rests on no other archive: there is nothing to flatten")
    }
    reporter.json(
      Summary(
        archive: summary.archive?.string, chain: summary.chain.map(\.string), photos: summary.photos,
        bytes: summary.bytes, archiveBytes: summary.archiveBytes, missing: summary.lost.map(\.message),
        warnings: summary.warnings))
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }
}
