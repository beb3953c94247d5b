import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
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

      --incremental leaves out the files that the newest archive of this library in the folder, or one before it, holds. \
      The archive opens alone, and lists all photos; import finds those that it rests on beside it. --split phone writes \
      several archives, each small enough for a phone; imported in any order they give the library back. Each one's \
      path stands on a line of its own.

      Example:
        archive=$(smilepile export -l ~/Family -o /backups --verify)
        smilepile export -l ~/Family -o /backups --encrypt --password-file ~/key
        smilepile export -l ~/Family -o /backups --incremental
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "An existing folder, for smilepile_backup_YYYYMMDD_HHMMSS.zip in it, or a file name that is free; default: "
        + "the current folder.",
      valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
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

  @Option(
    help: ArgumentHelp(
      "Write several archives, where a phone would refuse one for its size.", valueName: "phone"))
  var split: SplitChoice?

  @Flag(help: "Leave out the files that archives in the same folder hold already.")
  var incremental = false

  @Option(
    help: ArgumentHelp(
      "Write a full archive once this many increments rest on one; default: 7.", valueName: "number"))
  var maxChain: Int?

  @Flag(
    help: """
      Read the archive back, every CRC and MD5, before it gets its name; before that, what it is to rest on, unless that \
      was read back and has not changed since.
      """)
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
      "Leave the flushing to the disk to you: a power cut soon afterwards may take the archive, or a part of it. sync(1) makes up for it."
  )
  var noSync = false

  @Flag(
    help: "Write only to a mounted file system, never to the root's, as where the backup disk is missing.")
  var requireMount = false

  @OptionGroup var encryption: EncryptionOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var readers: ReadersOption
  @OptionGroup var outputOptions: OutputOptions

  func validate() throws {
    if split != nil, encryption.encrypt {
      throw ValidationError("phones read no encrypted archive; leave out --encrypt or --split phone")
    }
    if split != nil, incremental {
      throw ValidationError(
        "each part of a split holds its photos itself; leave out --incremental or --split")
    }
    if split != nil || incremental, format == .json {
      throw ValidationError("a JSON backup holds no photo files; leave out --format json")
    }
    if let maxChain {
      if !incremental { throw ValidationError("--max-chain goes with --incremental") }
      if maxChain < 1 { throw ValidationError("--max-chain takes a number from 1 on") }
    }
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
    options.split = split.map { _ in .phone() }
    options.isIncremental = incremental
    options.maximumChain = maxChain ?? ExportOptions.defaultMaximumChain
    options.verifies = verify
    options.permissions = mode
    options.isDryRun = dryRun
    options.syncs = !noSync
    options.readers = readers.readers
    options.lockWait = lock.duration
    let reporter = Reporter(outputOptions)
    let (source, target) = (try library.path(), try destination())
    if requireMount { try checkMount(of: target) }
    // nobody is asked for the password of a library that is not there
    if encryption.encrypt { _ = try Library(path: source) }
    let (password, passphraseFile) = try encryption.secret(isDryRun: dryRun, reporter)
    options.password = password
    options.allowsWeakPassword = encryption.forceWeakPassword
    options.ledger = .ofThisUser
    let summary: ExportSummary
    do {
      summary = try await reporter.follow(.export(source, to: target, options: options))
    } catch {
      // nothing was published, and a new passphrase has nothing to open
      passphraseFile?.remove()
      throw error
    }

    report(summary, reporter)
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }
}

/// For whom an export is split.
enum SplitChoice: String, ExpressibleByArgument, CaseIterable {
  case phone
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

  /// Refuses a folder on the root's own file system. One that is not there is the export's to refuse.
  private func checkMount(of path: FilePath) throws {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder)
    let parent = path.removingLastComponent()
    let folder = isThere && isFolder.boolValue ? path : parent.isEmpty ? "." : parent
    guard FileManager.default.fileExists(atPath: folder.string) else { return }
    var destination = JobDestination(path: folder)
    destination.requiredMount = .any
    try destination.checkDisk()
  }
}

extension ExportOptions.Format: ExpressibleByArgument {}
