import ArgumentParser
import SystemPackage

struct Repair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Repair a damaged archive, or a library.",
    discussion: """
      Writes a new archive NAME.repaired.zip with the intact photos of the damaged archive, and with photos of --from \
      for the others. The damaged archive is not changed. Encrypted archives cannot be repaired: import them with --salvage.

      With -l, replaces corrupt and missing photos of the library with those of the archives, or of all archives of its \
      jobs. The library's folder .rotten keeps the corrupt files. A damaged row gets the MD5 and the size of its intact file.

      The exit code is 3 if photos are still missing or corrupt.

      Example:
        smilepile repair truncated.zip --from ~/Family
        smilepile repair -l ~/Family /backups/smilepile_backup_20251003_140000.zip
      """)

  @Argument(
    help: "The damaged archive; with -l, intact or damaged archives to take photos from.",
    completion: .file(), transform: PathArgument.parse)
  var archives: [String] = []

  @Option(
    name: [.short, .customLong("library")],
    help: ArgumentHelp("Repair this library, with photos of the archives.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var library: String?

  @Option(
    help: ArgumentHelp(
      "Use photos of this archive or library for missing and corrupt photos; may be given several times.",
      valueName: "archive|library"),
    completion: .file(), transform: PathArgument.parse)
  var from: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the new archive into this folder, or as this new file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var output: String?

  @Flag(name: [.customShort("n"), .long], help: "With -l: report what would be repaired, and write nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Wait at most this long for another process that uses the library; default: 0 with -l, otherwise 60.",
      valueName: "seconds"))
  var lockWait: Double?

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if let lockWait { try checkLockWait(lockWait) }
    if library != nil {
      if output != nil || !from.isEmpty {
        throw ValidationError(
          "--from and --output do not work with -l; give the archives as arguments")
      }
    } else {
      if archives.isEmpty { throw ValidationError("give the damaged archive") }
      if archives.count > 1 {
        throw ValidationError("give one damaged archive; use --from for the others")
      }
      if dryRun { throw ValidationError("--dry-run needs -l; use smilepile verify to check an archive") }
    }
  }

  func run() async throws {
    if let library {
      try await repair(FilePath(library))
    } else {
      try await repairArchive()
    }
  }
}
