import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

struct Archives: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the archives in folders, or of jobs.",
    discussion: """
      What is shown is read from the archives themselves, whatever their names. Archives that have not changed are not \
      opened again. Of an encrypted archive nothing is known without its \
      password. Files that look like backups and cannot be read are named, and the exit code is 3, as for an archive \
      whose base or other parts are not there; a folder that cannot be read is named too, and the exit code is 1, or 10 \
      where there is none.

      Example:
        smilepile list /backups
        smilepile list family --json | jq -r 'select(.message_type == "archive") | .path'
      """)

  @Argument(
    help: "Folders, or jobs of the job file; all jobs if nothing is named.", completion: .jobsAndFolders)
  var places: [String] = []

  @OptionGroup var file: JobFileOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  private struct ArchiveLine: Encodable {
    var message_type = "archive"
    var path: String
    var date: Int64
    var photos: Int?
    var photo_files: Int?
    var categories: Int?
    var bytes: Int?
    var archive_bytes: Int
    var encrypted: Bool
    var partial: Bool?
    var part: String?
    var base: String?
    var uuid: String?
    var tags: [String]?
    var absent: Int?
    var verified_at: Int64?
    var suspect_since: Int64?
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var archives: Int
    var archive_bytes: Int
    var unreadable: [String]
    var incomplete: [String]
  }

  func run() async throws {
    let reporter = Reporter(output)
    var total = (archives: 0, bytes: 0)
    var unreadable: [String] = []
    var incomplete: [String] = []
    var isFirst = true
    var worst = ExitStatus.done
    for place in try ArchivePlace.named(places, file) {
      let inventory: ArchiveInventory
      do {
        try place.check()
        inventory = try ArchiveInventory(
          folder: place.folder, password: try place.password(password, reporter), ledger: .ofThisUser)
      } catch let error where error is CancellationError || error is ValidationError {
        throw error
      } catch {
        reporter.error(Finding(place.folder.string, message: CommandMessage.text(of: error)), during: "list")
        unreadable.append(place.folder.string)
        worst = max(worst, ExitStatus(for: error))
        continue
      }
      if !isFirst { reporter.result("") }
      isFirst = false
      reporter.result("\(place.folder.string.escaped):")
      // of one that the password does not open nobody knows whose it is
      for archive in inventory.archives
      where place.tag.map({ archive.isLocked || archive.tags.contains($0) }) ?? true {
        show(archive, inventory.graph.health(of: archive), reporter)
        do {
          _ = try inventory.members(of: archive)
        } catch {
          reporter.error(Finding(archive.path, message: CommandMessage.text(of: error)), during: "list")
          incomplete.append(CommandMessage.text(of: error))
          worst = max(worst, .incomplete)
        }
        total.archives += 1
        total.bytes += archive.fileBytes
      }
      for file in inventory.unreadable {
        reporter.error(.init(file.path, file.reason), during: "list")
        unreadable.append(file.path)
        worst = max(worst, .incomplete)
      }
    }
    // where no folder could be read, nobody knows how many there are
    if !isFirst { reporter.result("\(Count(total.archives, "archive")), \(ByteCount(total.bytes))") }
    reporter.json(
      Summary(
        archives: total.archives, archive_bytes: total.bytes, unreadable: unreadable, incomplete: incomplete))
    if worst != .done { throw worst }
    try Ledger.ofThisUser.reportProblem(reporter)
  }

  private func show(_ archive: ArchiveDescriptor, _ health: ArchiveHealth, _ reporter: Reporter) {
    let date = Self.time(archive.date)
    let size = "\(ByteCount(archive.fileBytes))".padded(toColumns: 10)
    var facts =
      archive.isLocked
      ? ["encrypted, not opened"]
      : [
        "\(Count(archive.photos, "photo")) in \(Count(archive.categories, "category", "categories"))"
      ]
    if let base = archive.base {
      facts.append("\(Count(archive.photoFiles, "new file")), increment \(base.depth)")
    }
    if let part = archive.part {
      facts.append("part \(part.number) of \(part.count)")
    } else if archive.isPartial {
      facts.append("a selection")
    }
    if archive.isEncrypted, !archive.isLocked { facts.append("encrypted") }
    if archive.missingFiles > 0 { facts.append("\(archive.missingFiles) absent") }
    facts.append(Self.text(health))
    reporter.result("  \(date)  \(size)  \(archive.name.escaped)  \(facts.joined(separator: ", "))")
    let isKnown = !archive.isLocked
    reporter.json(
      ArchiveLine(
        path: archive.path, date: archive.date, photos: isKnown ? archive.photos : nil,
        photo_files: isKnown ? archive.photoFiles : nil, categories: isKnown ? archive.categories : nil,
        bytes: isKnown ? archive.bytes : nil, archive_bytes: archive.fileBytes,
        encrypted: archive.isEncrypted,
        partial: isKnown ? archive.isPartial : nil, part: archive.part.map { "\($0.number)/\($0.count)" },
        base: archive.base?.archiveID, uuid: archive.archiveID, tags: isKnown ? archive.tags : nil,
        absent: isKnown ? archive.missingFiles : nil, verified_at: health.verifiedAt,
        suspect_since: health.suspectSince))
  }

  private static func text(_ health: ArchiveHealth) -> String {
    switch health {
    case .unverified: "not known to be verified"
    case .verified(let at): "verified \(time(at))"
    case .suspect(let since, _): "suspect since \(time(since))"
    }
  }

  private static func time(_ milliseconds: Int64) -> String {
    Date(milliseconds: milliseconds).formatted(.iso8601)
  }
}
