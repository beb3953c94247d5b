import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import SystemPackage

struct Heal: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring rotten and missing photos of a library back from archives.",
    discussion: """
      Reads every photo of the library. One whose bytes no longer match its row, or whose file is gone, comes \
      back by its MD5 from whichever archive holds it; the archives may be damaged themselves. Rotten files are \
      not deleted: they are kept in the library's folder .rotten. Of several archives, one that cannot be used is \
      named, and the others are used. A photo that no archive holds is named. In both cases the exit code is 3.

      Example:
        smilepile heal -l ~/Family /backups/smilepile_backup_*.zip
      """)

  @Argument(help: "The archives.", completion: .file(), transform: PathArgument.parse)
  var archives: [String]

  @Flag(name: [.customShort("n"), .long], help: "Say what would be brought back, and write nothing.")
  var dryRun = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var photosChecked: Int
    var repaired: [String]
    var damaged: [String]
    var unusable: [String]
    var bytes: Int
    var kept: String?
    var warnings: [String]
    var dryRun: Bool
  }

  func run() async throws {
    var options = HealOptions()
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    let reporter = Reporter(output)
    let (target, paths) = (try library.path(), archives.map { FilePath($0) })
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(for: paths, limits.limits, reporter, salvaging: true)
    let summary = try await reporter.follow(.heal(target, from: paths, options: options))

    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.healed { reporter.note(photo.message.escaped) }
    for archive in summary.unusable { reporter.error(archive, during: "heal") }
    for photo in summary.damaged { reporter.error(photo, during: "heal") }
    if let kept = summary.kept { reporter.note("what was in their places is in \(kept.string.escaped)") }
    let verb = dryRun ? "would heal" : "healed"
    reporter.lasting(
      "checked \(Count(summary.photosChecked, "photo")): "
        + (summary.healed.isEmpty && summary.damaged.isEmpty
          ? "all whole"
          : "\(verb) \(summary.healed.count), \(summary.damaged.count) still damaged"))
    reporter.json(
      Summary(
        photosChecked: summary.photosChecked, repaired: summary.healed.map(\.message),
        damaged: summary.damaged.map(\.message),
        unusable: summary.unusable.map(\.message), bytes: summary.bytes, kept: summary.kept?.string,
        warnings: summary.warnings, dryRun: summary.isDryRun))
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }
}
