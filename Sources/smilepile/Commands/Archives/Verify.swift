import ArgumentParser
import Backup
import FileSystem
import PhotoLibrary
import SystemPackage

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Verify the checksums of archives or of a library.",
    discussion: """
      Reads every byte. Compares the CRC of every entry and the MD5 of every photo of an archive, or the MD5 of every \
      photo of a library. The exit code is 4 if there is damage, 1 if an archive cannot be opened. Unknown entries and \
      untracked files are reported, but do not count as damage.

      Example:
        smilepile verify /backups/smilepile_backup_*.zip
        smilepile verify -l ~/Family
      """)

  @Argument(help: "The archives.", completion: .file(), transform: PathArgument.parse)
  var archives: [String] = []

  @OptionGroup var password: PasswordOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if !archives.isEmpty, library.isGiven {
      throw ValidationError("verify archives or a library (-l), not both")
    }
    if archives.isEmpty, password.isGiven {
      throw ValidationError("password options need archives; give the archives as arguments")
    }
  }

  func run() async throws {
    let paths = archives.map { FilePath($0) }
    let secret = try password.read(for: paths, limits.limits, reporter)
    var summary =
      archives.isEmpty
      ? try await reporter.follow(
        .verify(library: library.path(), lockWait: lock.duration, ledger: .ofThisUser), during: "verify")
      : try await reporter.follow(
        .verify(paths, limits: limits.limits, password: secret, ledger: .ofThisUser), during: "verify")
    if archives.isEmpty { summary.warnings += try Library(path: library.path()).storedSettings().warnings }
    for warning in summary.warnings { reporter.warn(warning) }
    for name in summary.untracked {
      reporter.warn("\(name) is \(archives.isEmpty ? "an untracked file" : "an unknown entry")")
    }
    if summary.stagedFiles > 0 {
      let size = ByteCount(summary.stagedBytes)
      reporter.warn(
        """
        .staging has \(Count(summary.stagedFiles, "file")) (\(size)) of an import or add that is running or was \
        interrupted; the next import or add reuses or removes them
        """)
    }
    let number = summary.entriesChecked
    let what = archives.isEmpty ? Count(number, "photo") : Count(number, "entry", "entries")
    reporter.result(
      (number == 0 && !summary.unreadable.isEmpty
        ? "checked nothing"
        : "checked \(what): " + (summary.damaged.isEmpty ? "all intact" : "\(summary.damaged.count) damaged"))
        + (summary.unreadable.isEmpty
          ? "" : "; \(Count(summary.unreadable.count, "archive")) could not be read"))
    let statuses = summary.unreadable.map { ExitStatus(for: $0.error) }
    try reporter.finish(
      (statuses + (summary.damaged.isEmpty ? [] : [.damaged])).max() ?? .done,
      [
        "entries_checked": summary.entriesChecked, "damaged": summary.damaged.map(\.message),
        "unreadable": summary.unreadable.map { "\($0.error)" }, "untracked": summary.untracked,
        "staged_files": summary.stagedFiles, "staged_bytes": summary.stagedBytes,
        "warnings": summary.warnings,
      ])
  }
}
