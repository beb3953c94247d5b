import ArgumentParser
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a backup of a library.",
    discussion: """
      Prints the archive's path, alone, on standard output. The archive opens in both SmilePile apps and in \
      every unzip; unpacked, `md5sum -c checksums.md5` proves it. It gets its name when it is whole and on the disk, and \
      never overwrites a file. A photo that cannot be read is named, and the exit code is 3.

      Dates are days (2025-06-01, from midnight, local time) or moments (2025-06-01T12:00:00).

      --encrypt hides photos, names, dates and metadata; how many photos there are, and their sizes and \
      checksums, stay visible. The password comes from one of the options below, from SMILEPILE_PASSWORD (the weakest \
      way: other programs of the same user may see it), or it is asked for at the terminal. Without it nobody \
      opens the archive.

      Example:
        archive=$(smilepile export -l ~/Family -o /backups --verify)
        smilepile export -l ~/Family -o /backups --encrypt --password-file ~/key
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "An existing folder, for smilepile_backup_YYYYMMDD_HHMMSS.zip in it, or a file name that is free.",
      valueName: "path"),
    transform: PathArgument.parse)
  var output = "."

  @Option(
    help: ArgumentHelp("zip, or json for a version 1 backup without photo files.", valueName: "zip|json"))
  var format = ExportOptions.Format.zip

  @Option(name: .shortAndLong, help: "This category alone; may be given several times.")
  var category: [String] = []

  @Option(help: ArgumentHelp("Photos taken then or later.", valueName: "date"), transform: DateArgument.parse)
  var since: Date?

  @Option(help: ArgumentHelp("Photos taken before then.", valueName: "date"), transform: DateArgument.parse)
  var until: Date?

  @Option(
    help: ArgumentHelp("A word to know the archive by, as for prune --keep-tag; may be given several times."))
  var tag: [String] = []

  @Flag(help: "Leave the settings behind; the app's defaults stand in for them.")
  var noSettings = false

  @Flag(help: "Read the archive back, every CRC and MD5, before it gets its name.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Who may read the archive, as for chmod; default: 600, you alone.", valueName: "octal"),
    transform: { text in
      guard let mode = UInt16(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
        throw ValidationError("“\(text)” is no mode that leaves you the archive; write 600, 640 or 644")
      }
      return mode
    })
  var mode: UInt16?

  @Flag(name: [.customShort("n"), .long], help: "Say what would be written, and write nothing.")
  var dryRun = false

  @Flag(
    help:
      "Leave the flushing to the disk to you: a power cut soon afterwards may take the archive, or a part of it."
  )
  var noSync = false

  @OptionGroup var encryption: EncryptionOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var readers: ReadersOption
  @OptionGroup var outputOptions: OutputOptions

  private struct Summary: Encodable {
    var message_type = "summary"
    var archive: String?
    var photos: Int
    var categories: Int
    var bytes: Int
    var archive_bytes: Int
    var missing: [String]
    var damaged: [String]
    var phone_compatible: Bool
    var phone_refusals: [String]
    var encrypted: Bool
    var warnings: [String]
    var dry_run: Bool
  }

  func validate() throws {
    if encryption.encrypt, format == .json {
      throw ValidationError("a JSON backup cannot be encrypted; leave out --encrypt or --format json")
    }
    if let since, let until, until <= since { throw ValidationError("--until must be later than --since") }
  }

  func run() async throws {
    var options = ExportOptions()
    options.format = format
    options.categories = category
    options.since = since?.milliseconds
    options.until = until?.milliseconds
    options.includesSettings = !noSettings
    options.tags = tag
    options.verifies = verify
    options.permissions = mode
    options.isDryRun = dryRun
    options.syncs = !noSync
    options.readers = readers.readers
    options.lockWait = lock.duration
    let reporter = Reporter(outputOptions)
    let (source, target) = (try library.path(), try destination())
    // nobody is asked for the password of a library that is not there
    if encryption.encrypt { _ = try Library(path: source) }
    let (password, passphraseFile) = try encryption.secret(isDryRun: dryRun, reporter)
    options.password = password
    options.allowsWeakPassword = encryption.forceWeakPassword
    let summary: ExportSummary
    do {
      summary = try await reporter.follow(.export(source, to: target, options: options))
    } catch {
      // nothing was published, and a new passphrase has nothing to open
      passphraseFile?.remove()
      throw error
    }

    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.missing + summary.damaged { reporter.error(photo, during: "export") }
    let verb = dryRun ? "would export" : "exported"
    reporter.note(
      "\(verb) \(Count(summary.photos, "photo")) in \(Count(summary.categories, "category", "categories")), "
        + "\(ByteCount(summary.bytes))\(dryRun ? "" : "; the archive has \(ByteCount(summary.archiveBytes))")"
        + (format == .json ? "; a JSON backup holds no photo files" : "")
    )
    if summary.archive != nil { encryption.announce(reporter) }
    if !summary.phoneRefusals.isEmpty {
      reporter.note("a phone will refuse this archive: \(summary.phoneRefusals.joined(separator: "; "))")
    }
    if let archive = summary.archive { reporter.lasting(archive.string) }
    reporter.json(
      Summary(
        archive: summary.archive?.string, photos: summary.photos, categories: summary.categories,
        bytes: summary.bytes, archive_bytes: summary.archiveBytes, missing: summary.missing.map(\.message),
        damaged: summary.damaged.map(\.message), phone_compatible: summary.phoneRefusals.isEmpty,
        phone_refusals: summary.phoneRefusals, encrypted: encryption.encrypt, warnings: summary.warnings,
        dry_run: summary.isDryRun))
    if summary.isIncomplete { throw ExitStatus.incomplete }
  }
}

extension Export {
  /// Where the archive goes. A slash at the end says that a folder is meant; `FilePath` forgets it, and a folder
  /// that is not there would become a file of its name.
  private func destination() throws -> FilePath {
    let path = FilePath(output)
    var isFolder: ObjCBool = false
    if output.hasSuffix("/"),
      !FileManager.default.fileExists(atPath: output, isDirectory: &isFolder) || !isFolder.boolValue
    {
      throw BackupError.noSuchDestination(path)
    }
    return path
  }
}

extension ExportOptions.Format: ExpressibleByArgument {}

/// Dates on the command line.
enum DateArgument {
  static func parse(_ text: String) throws -> Date {
    if let date = LocalDate.parse(text) { return date }
    throw ValidationError("“\(text)” is no date; write 2025-06-01 or 2025-06-01T12:00:00")
  }
}
