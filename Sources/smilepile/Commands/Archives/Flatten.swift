import ArgumentParser
import Backup
import FileSystem
import SystemPackage

struct Flatten: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Combine an incremental archive and its bases into a full archive.",
    discussion: """
      Writes NAME.full.zip with the same photos, dates and tags; the bases are found in the archive's folder. The new \
      archive is verified before it is published. The chain is not changed. If the chain is encrypted, the new archive \
      is encrypted with the same password. If a photo is missing or corrupt in the chain, the exit code is 3, and the chain is still needed.

      Example:
        smilepile flatten /backups/smilepile_backup_20251103_020000.zip
      """)

  @Argument(help: "The incremental archive.", completion: .file(), transform: PathArgument.parse)
  var archive: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the new archive into this folder, or as this new file.", valueName: "path"),
    transform: PathArgument.parse)
  var output: String?

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let path = FilePath(archive)
    var options = RewriteOptions()
    options.destination = output.map { FilePath($0) }
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(for: [path], limits.limits, reporter)
    let summary = try await reporter.follow(.flatten(path, options: options), during: "flatten")

    for warning in summary.warnings { reporter.warn(warning) }
    if let written = summary.archive {
      reporter.note(
        "wrote \(Count(summary.photos, "photo")), \(ByteCount(summary.bytes)), from \(summary.chain.count) archives"
          + (summary.unrecoverable.isEmpty ? "" : "; \(Count(summary.unrecoverable.count, "photo")) missing"))
      reporter.importantResult(written.string.escaped)
    } else {
      reporter.note("\(archive.escaped) has no base: nothing to flatten")
    }
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "archive": Null(summary.archive?.string), "chain": summary.chain.map(\.string),
        "photos": summary.photos, "bytes": summary.bytes, "archive_bytes": summary.archiveBytes,
        "missing": summary.unrecoverable.map(\.message), "warnings": summary.warnings,
      ])
  }
}
