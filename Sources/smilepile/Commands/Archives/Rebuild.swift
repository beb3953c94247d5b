import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Jobs
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

struct Rebuild: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Rebuild the lost or corrupt database of a library.",
    discussion: """
      Makes a new library.sqlite from the files in photos, the library's newest archive with its chain, and the rows that \
      can be read of the old database. Without --from, searches the destinations of the library's jobs, and the archives \
      that were exported on this machine.

      A photo file that belongs to no known photo gets the category “Found again”. The old database moves to the folder \
      .lost, a corrupt photo to .rotten. Nothing can be undone afterwards.

      The exit code is 3 if a file was missing, corrupt or found again.

      Example:
        smilepile rebuild -l ~/Family --from /srv/backups
      """)

  @Option(
    help: ArgumentHelp(
      "Use this archive, or the newest archive of the library in this folder; may be given several times.",
      valueName: "archive|folder"),
    completion: .file(), transform: PathArgument.parse)
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Bring missing files back from an archive, or leave their photos out.", valueName: "restore|leave"))
  var missing = MissingPhotos.restore

  @Flag(
    help:
      "If there is no archive of the library, use only the photo files and what can be read of the database.")
  var withoutArchive = false

  @Flag(name: [.customShort("n"), .long], help: "Report what would be done, and write nothing.")
  var dryRun = false

  @Flag(
    name: .shortAndLong,
    help: "Do not ask before a library is rebuilt without the PIN that it may have had.")
  var yes = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var file: JobFileOption
  @OptionGroup var lock: LockOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let (path, ledger) = try library.pathAndLedger()
    var options = RebuildOptions()
    options.ledger = ledger
    options.acceptsNoArchive = withoutArchive
    options.missing = missing
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    options.limits = limits.limits
    options.authorization = authorization
    let sources =
      from.isEmpty ? try knownArchives(of: path) : ArchiveSources(paths: from.map { FilePath($0) })
    for warning in sources.warnings { reporter.warn(warning) }
    options.archives = sources.paths
    options.password = try readPassword(of: sources)
    let summary = try await reporter.follow(.rebuild(path, options: options), during: "rebuild")
    try report(summary, of: path, sources.warnings)
  }

  /// An authorization that asks the user at the terminal before a library whose PIN cannot be read is rebuilt.
  private var authorization: Authorization {
    let yes = yes
    return Authorization(
      pin: { _ in nil }, confirms: { try yes || ConfirmationOption.ask($0.description.escaped) })
  }

  private func report(
    _ summary: RebuildSummary, of path: FilePath, _ warnings: [String]
  ) throws {
    for warning in summary.warnings { reporter.warn(warning) }
    if let archive = summary.archive {
      reporter.note("what cannot be read from the old database comes from \(archive.string.escaped)")
    }
    for photo in summary.restored { reporter.note(photo.message.escaped) }
    let verb = dryRun ? "would be put" : "is"
    for file in summary.foundAgain {
      reporter.note(
        "\(file.escaped) is unknown, and \(verb) in the category “\(RebuildSummary.foundCategory)”")
    }
    for file in summary.untracked {
      reporter.note("\(file.escaped) is no photo, and stays as an untracked file")
    }
    if let lost = summary.lostFiles { reporter.note("the old files are in \(lost.string.escaped)") }
    if let kept = summary.corruptFiles { reporter.note("the corrupt files are in \(kept.string.escaped)") }
    if summary.isPINLost, !dryRun {
      reporter.warn("if \(path) had a PIN, it is lost; run smilepile pin set")
    }
    let parts = [
      "\(dryRun ? "would rebuild" : "rebuilt") \(Count(summary.photos, "photo")) in "
        + "\(Count(summary.categories, "category", "categories"))",
      summary.restored.isEmpty ? nil : "\(summary.restored.count) restored",
      summary.foundAgain.isEmpty ? nil : "\(summary.foundAgain.count) found again",
      summary.missing.isEmpty ? nil : "\(summary.missing.count) missing",
      summary.damaged.isEmpty ? nil : "\(summary.damaged.count) damaged",
    ]
    reporter.importantResult(parts.compactMap(\.self).joined(separator: ", "))
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "archive": summary.archive?.string, "photos": summary.photos, "categories": summary.categories,
        "photos_of_database": summary.photosOfDatabase, "restored": summary.restored.map(\.message),
        "missing": summary.missing.map(\.message), "damaged": summary.damaged.map(\.message),
        "outdated": summary.outdated.map(\.message), "uncategorized": summary.uncategorized.map(\.message),
        "found_again": summary.foundAgain, "untracked": summary.untracked,
        "unusable": summary.unusable.map(\.message), "bytes": summary.bytes,
        "lost": summary.lostFiles?.string, "kept": summary.corruptFiles?.string,
        "pin_lost": summary.isPINLost, "warnings": warnings + summary.warnings, "dry_run": summary.isDryRun,
      ])
  }

  // MARK: Archives

  /// Reads the given password, or else that of a job, or else asks at the terminal if an archive is encrypted.
  private func readPassword(of sources: ArchiveSources) throws -> Secret? {
    if try password.source == nil, let source = sources.jobPassword {
      return try JobEnvironment.ofThisProcess(reporter).password(source)
    }
    let archives = TerminalPrompt.isPossible ? try BackupOpener.files(in: sources.paths) : []
    return try password.read(for: archives, limits.limits, reporter)
  }

  /// Where the archives of a library are.
  private struct ArchiveSources {
    var paths: [FilePath]
    var warnings: [String] = []
    /// The source of the password of a job; nil if its archives are not encrypted.
    var jobPassword: PasswordSource?
  }

  /// Returns the destinations of the library's jobs, and the archives that were exported on this machine.
  private func knownArchives(of path: FilePath) throws -> ArchiveSources {
    let jobs = try file.readIfPresent()?.jobs(ofLibrary: path, id: nil, .ofThisUser) ?? []
    let (folders, warnings) = jobs.flatMap(\.destinations).readable()
    var sources = ArchiveSources(
      paths: folders, warnings: warnings, jobPassword: jobs.compactMap(\.password).first)
    for entry in Ledger.ofThisUser.history(library: (path, nil)) where entry.run.kind == .export {
      let archives = entry.details.archives.map { FilePath($0) }
      sources.paths += archives.filter { archive in
        !sources.paths.contains { $0 == archive || $0.isSamePlace(as: archive.folder) }
          && (try? File.open(archive, .readFollowingLinks)) != nil
      }
    }
    return sources
  }
}

extension MissingPhotos: ExpressibleByArgument {}
