import ArgumentParser
import Backup
import FileSystem
import Jobs
import PhotoLibrary
import SystemPackage

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a backup of a library into a new archive.",
    discussion: """
      Prints the path of the new archive. Both SmilePile apps and unzip can open it; `md5sum -c checksums.md5` verifies \
      the unpacked files. The archive appears only when it is complete, and no file is overwritten. The exit code is 3 \
      if a photo is missing, corrupt or cannot be read.

      Dates are days (2025-06-01) or times (2025-06-01T12:00:00), in local time.

      Example:
        archive=$(smilepile export -l ~/Family -o /backups --verify)
        smilepile export -l ~/Family -o /backups --incremental
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Folder for smilepile_backup_YYYYMMDD_HHMMSS.zip, or a new file; default: the current folder.",
      valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var output = "."

  @Option(
    help: ArgumentHelp("Format of the backup; json is version 1, without photo files.", valueName: "zip|json")
  )
  var format = ExportOptions.Format.zip

  @Option(name: .shortAndLong, help: "Only photos of this category; may be given several times.")
  var category: [String] = []

  @OptionGroup var taken: TakenOptions

  @Option(
    help: ArgumentHelp("Tag of the archive, for prune --tag and --keep-tag; may be given several times."))
  var tag: [String] = []

  @Flag(help: "Export the app's default settings instead of the library's.")
  var noSettings = false

  @Option(
    help: ArgumentHelp(
      "Write several archives if one archive is too large for a phone; the only value is phone.",
      valueName: "phone"))
  var split: SplitChoice?

  @Flag(
    help:
      "Write only files that the newest archive of this library in the folder, and its bases, do not contain."
  )
  var incremental = false

  @Option(
    help: ArgumentHelp(
      "With --incremental: write a full archive after this many incremental ones; default: 7.",
      valueName: "number"))
  var maxChain: Int?

  @Flag(help: "Add a thumbnail of each photo, and draw those that the cache lacks (apt install libvips42).")
  var thumbnails = false

  @Flag(help: "Add a gallery with thumbnails: unpack the archive, and open index.html in a browser.")
  var gallery = false

  @OptionGroup var style: GalleryStyleOptions

  @Flag(
    help: "Verify the archive before it is published, and its bases.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Permissions of the archive, as for chmod; default: 600.", valueName: "octal"),
    transform: { text in
      guard let mode = UInt16(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
        throw ValidationError("invalid permissions “\(text.escaped)”; use for example 600 or 644")
      }
      return mode
    })
  var mode: UInt16?

  @Flag(name: [.customShort("n"), .long], help: "Report what would be written, and write nothing.")
  var dryRun = false

  @Flag(
    help:
      "Skip fsync. Run sync(1) afterwards, because a power failure can damage the archive."
  )
  var noSync = false

  @Flag(
    help: "Refuse to write to the root file system, for example because the backup disk is not mounted.")
  var requireMount = false

  @OptionGroup var encryption: EncryptionOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var reports: PhotoReportOptions

  var reporter: Reporter { reports.reporter }

  func validate() throws {
    if !gallery, style.isGiven {
      throw ValidationError("--theme, --appearance and --text-size need --gallery")
    }
    if split != nil, encryption.encrypt {
      throw ValidationError("phones cannot read encrypted archives; remove --encrypt or --split")
    }
    if split != nil, incremental {
      throw ValidationError(
        "a split archive cannot be incremental; remove --incremental or --split")
    }
    if split != nil || incremental, format == .json {
      throw ValidationError("a JSON backup has no photo files; remove --format json")
    }
    if let maxChain {
      if !incremental { throw ValidationError("--max-chain needs --incremental") }
      if maxChain < 1 { throw ValidationError("--max-chain needs a number of at least 1") }
    }
    if encryption.encrypt, format == .json {
      throw ValidationError("a JSON backup cannot be encrypted; remove --encrypt or --format json")
    }
    if thumbnails || gallery, format == .json {
      throw ValidationError("a JSON backup has no pictures; remove --format json")
    }
  }

  func run() async throws {
    var options = ExportOptions()
    options.format = format
    options.categories = category
    options.taken = taken.range
    options.includesSettings = !noSettings
    options.tags = tag
    options.phoneLimits = split.map { _ in PhoneLimits() }
    options.isIncremental = incremental
    options.maximumChainDepth = maxChain ?? ExportOptions.defaultMaximumChainDepth
    options.verifies = verify
    options.permissions = mode
    options.isDryRun = dryRun
    options.syncs = !noSync
    options.lockWait = lock.duration
    options.reportsPhotos = reports.reportsPhotos
    options.includesThumbnails = thumbnails
    options.gallery = gallery ? style.style : nil
    let (source, ledger) = try library.pathAndLedger()
    options.ledger = ledger
    let target = try destination()
    if requireMount { try checkMount(of: target) }
    // checks for a missing library before asking for a password
    if encryption.encrypt { _ = try Library(path: source) }
    let (password, passphraseFile) = try encryption.secret(isDryRun: dryRun, reporter)
    options.password = password
    options.allowsWeakPassword = encryption.forceWeakPassword
    let summary: ExportSummary
    do {
      summary = try await reporter.follow(
        .export(source, to: target, options: options), during: "export")
    } catch {
      // no archive needs the new passphrase
      passphraseFile?.remove()
      throw error
    }

    try report(summary)
  }
}

/// The values of `--split`.
enum SplitChoice: String, ExpressibleByArgument, CaseIterable {
  case phone
}

extension Export {
  /// Returns the path of the archive. A slash at the end of the argument means a folder. `FilePath` drops the
  /// slash, so a missing folder would become a file with its name.
  private func destination() throws -> FilePath {
    let path = FilePath(output)
    guard output.hasSuffix("/") else { return path }
    do {
      _ = try Directory.open(path)
    } catch  where error.errno == .noSuchFileOrDirectory {
      throw BackupError.noSuchDestination(path)
    }
    return path
  }

  /// Refuses a folder on the root's own file system. The export refuses a missing folder.
  private func checkMount(of path: FilePath) throws {
    let folder = path.isFolder ? path : path.folder
    guard folder.isFolder else { return }
    var destination = JobDestination(path: folder)
    destination.requiredMount = .any
    try destination.checkDisk()
  }
}

extension ExportOptions.Format: ExpressibleByArgument {}
