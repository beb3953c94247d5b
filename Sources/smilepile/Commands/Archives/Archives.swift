import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary

struct Archives: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the archives of folders or jobs.",
    discussion: """
      Finds archives by their content, not by their names. The content of an encrypted archive is listed only with \
      its password. With a password, --latest skips archives that are not encrypted. The exit code is 3 if a backup \
      cannot be read, its base or another part is missing, or an archive of a job cannot be opened. It is 1 if a folder \
      cannot be read, and 10 if a folder does not exist, or --latest finds no archive of a whole library.

      Example:
        smilepile archives /backups
        smilepile verify "$(smilepile archives family --latest)"
      """,
    aliases: ["list"])

  @Argument(
    help: ArgumentHelp(
      "Folders, or names of jobs; default: all jobs of the job file.", valueName: "folder|job"),
    completion: .jobsAndFolders)
  var folders: [String] = []

  @Flag(
    help:
      "Print only the path of the newest archive of a whole library that can be restored; of a split archive the paths of all parts."
  )
  var latest = false

  @OptionGroup var file: JobFileOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var reporter: Reporter

  func run() async throws {
    var total = (archives: 0, bytes: 0)
    var newest: [ArchiveDescriptor] = []
    var unreadable: [String] = []
    var incomplete: [String] = []
    var isFirst = true
    let worst = try await reporter.each(ArchiveFolder.named(folders, file)) { target in
      try target.check()
      let inventory = try ArchiveInventory(
        folder: target.folder, password: try target.password(password, reporter), ledger: .ofThisUser)
      var status = ExitStatus.done
      if !isFirst, !latest { reporter.result("") }
      isFirst = false
      if !latest { reporter.result("\(target.folder.string.escaped):") }
      // an archive that cannot be decrypted may belong to the job
      let archives = inventory.archives.filter { archive in
        target.tag.map { archive.isLocked || archive.tags.contains($0) } ?? true
      }
      let health = archives.map { inventory.graph.health(of: $0) }
      if !latest {
        reporter.result(
          TextTable(
            .left, .right, .left, .left, indentation: 2,
            rows: zip(archives, health).map {
              Self.row($0, $1, in: inventory)
            }))
      }
      for (archive, health) in zip(archives, health) {
        json(archive, health, in: inventory)
        do {
          _ = try inventory.members(of: archive)
        } catch {
          reporter.error(
            Finding(.file(archive.path), message: CommandMessage.text(of: error)), during: "archives")
          incomplete.append(CommandMessage.text(of: error))
          status = .incomplete
        }
        total.archives += 1
        total.bytes += archive.fileBytes
      }
      let tags = target.tag.map { [$0] } ?? []
      if let found = inventory.latest(tags: tags),
        newest.first.map({ $0.order <= found[0].order }) ?? true
      {
        newest = found
      }
      let unopened = archives.count { $0.isLocked }
      if unopened > 0 {
        reporter.warn(
          "\(target.folder): \(Count(unopened, "encrypted archive")) could not be opened, so content, order and bases "
            + "are unknown; give the password, for example with --password-file")
        if target.job != nil { status = .incomplete }
      }
      for warning in [inventory.warningOfPlainArchives(tags: tags), inventory.warningOfOtherOwners] {
        if let warning { reporter.warn(warning) }
      }
      for file in inventory.unreadable {
        reporter.error(Finding(.file(file.path), message: file.reason), during: "archives")
        unreadable.append(file.path)
        status = .incomplete
      }
      return status
    } failed: { target, error in
      if error is CancellationError || error is ValidationError { throw error }
      reporter.error(
        Finding(.folder(target.folder.string), message: CommandMessage.text(of: error)), during: "archives")
      unreadable.append(target.folder.string)
    }
    if latest {
      guard !newest.isEmpty else { throw NoArchive() }
      for archive in newest { reporter.importantResult(archive.path) }
    }
    // the total is unknown if no folder could be read
    if !isFirst, !latest { reporter.result("\(Count(total.archives, "archive")), \(ByteCount(total.bytes))") }
    try reporter.finish(
      worst,
      [
        "archives": total.archives, "archive_bytes": total.bytes, "unreadable": unreadable,
        "incomplete": incomplete, "latest": latest ? newest.map(\.path) : nil,
      ])
  }

  /// `--latest` found no archive.
  struct NoArchive: ExplainedError, CustomStringConvertible {
    let cause = ErrorCause.notFound
    let description = "no archive restores a whole library; without --latest, archives shows why"
  }

  /// The content of an archive that could not be opened is unknown.
  private func json(
    _ archive: ArchiveDescriptor, _ health: ArchiveHealth, in inventory: ArchiveInventory
  ) {
    let opened = archive.isLocked ? nil : archive
    reporter.json(
      "archive",
      [
        "path": archive.path, "date": archive.date, "sequence": archive.sequence, "photos": opened?.photos,
        "photo_files": opened?.photoFiles, "categories": opened?.categories, "bytes": opened?.bytes,
        "archive_bytes": archive.fileBytes, "encrypted": archive.isEncrypted, "partial": opened?.isPartial,
        "part": archive.part.map { "\($0.number)/\($0.count)" }, "base": archive.base?.archiveID,
        "uuid": archive.archiveID, "tags": opened?.tags, "missing_files": opened?.missingFiles,
        "verified_at": health.verifiedAt, "suspect_since": health.suspectSince,
        "other_owner": inventory.graph.hasOtherOwner(archive),
      ])
  }

  private static func row(
    _ archive: ArchiveDescriptor, _ health: ArchiveHealth, in inventory: ArchiveInventory
  ) -> [String] {
    var facts =
      archive.isLocked
      ? ["encrypted, not opened"]
      : ["\(Count(archive.photos, "photo")) in \(Count(archive.categories, "category", "categories"))"]
    if let base = archive.base {
      facts.append("\(Count(archive.photoFiles, "new file")), chain depth \(base.depth)")
    }
    switch archive.extent {
    case .library: break
    case .selection: facts.append("a selection")
    case .part(let part): facts.append("part \(part.number) of \(part.count)")
    case .partiallyRecovered: facts.append("partially recovered")
    case .document: facts.append("without photo files")
    }
    if archive.isEncrypted, !archive.isLocked { facts.append("encrypted") }
    if archive.missingFiles > 0 { facts.append("\(Count(archive.missingFiles, "photo")) missing") }
    if inventory.isPlain(archive) { facts.append("not encrypted") }
    if inventory.graph.hasOtherOwner(archive) { facts.append("of another user") }
    facts.append(text(health))
    return [
      archive.archiveID == nil && archive.isLocked ? "unknown date" : archive.date.iso8601,
      "\(ByteCount(archive.fileBytes))", archive.name.escaped,
      facts.joined(separator: ", "),
    ]
  }

  private static func text(_ health: ArchiveHealth) -> String {
    switch health {
    case .unverified: "unverified"
    case .verified(let at): "verified \(at.iso8601)"
    case .suspect(let since, _): "suspect since \(since.iso8601)"
    }
  }
}

extension ArchiveInventory {
  /// Returns the newest backup of a whole library that has the tags, and is neither suspect nor without its base: one
  /// archive, or all parts of a set; nil if no archive is.
  fileprivate func latest(tags: [String]) -> [ArchiveDescriptor]? {
    for archive in backups(ofLibrary: nil, tags: tags).reversed() where archive.isOfWholeLibrary {
      guard let members = try? members(of: archive),
        !members.contains(where: { graph.health(of: $0).isSuspect })
      else { continue }
      guard archive.part != nil else { return [archive] }
      return members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
    }
    return nil
  }
}
