import ArchiveCatalog
import Backup
import PhotoLibrary
import SystemPackage

/// Sixth phase: verifies the newest copy of the library at each destination if its health is unknown. At the
/// end of the run it describes the copy.
struct CopyVerification {
  let context: PhaseContext

  /// Verifies archives until one is intact and holds every photo. Blocks.
  func run(_ target: Target) throws -> BackupOutcome.Step {
    guard let inventory = target.inventory else { return (target, []) }
    for archive in context.archives(in: inventory) {
      do {
        guard let members = try context.intactMembers(of: archive, in: inventory) else { continue }
        if holdsEveryPhoto(archive, members) { break }
      } catch let error where error is BrokenChain || error is IncompleteSet {
        continue
      }
    }
    return (target, inventory.unreadable.map(\.issue))
  }

  /// Returns the destination with its copy: the newest intact copy without missing photos, else the newest
  /// copy. Blocks.
  func describingCopy(at target: Target) -> Target {
    var target = target
    guard let inventory = target.inventory?.updated(context.observer.ledger) else { return target }
    var newest: JobStatus.Copy?
    for archive in context.archives(in: inventory) {
      guard let members = try? inventory.members(of: archive),
        !members.contains(where: { $0.isPartialRecovery || inventory.graph.health(of: $0).isSuspect }),
        let copy = JobStatus.Copy(members, at: target.destination, of: context.job, context.library)
      else { continue }
      newest = newest ?? copy
      guard !holdsEveryPhoto(archive, members) else {
        newest = copy
        break
      }
    }
    target.copy = newest
    return target
  }

  private func holdsEveryPhoto(_ archive: ArchiveDescriptor, _ members: [ArchiveDescriptor]) -> Bool {
    (archive.part == nil ? [archive] : members).allSatisfy(\.missingPhotos.isEmpty)
  }

  /// Returns the destination as failed if this run wrote or listed its current archives and found them
  /// damaged later. Blocks.
  func rejectingDamage(at target: Target) -> Target {
    guard let inventory = target.inventory else { return target }
    let members = target.current.flatMap { (try? inventory.members(of: $0)) ?? [] }
    guard let damaged = members.first(where: context.isDamaged) else { return target }
    return target.failed(DamagedCopy(path: damaged.path))
  }

  private struct DamagedCopy: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path.escaped) is damaged; the next run writes another archive" }
  }
}

extension ArchiveInventory.Unreadable {
  /// The warning about the file. A run reports each file once.
  var issue: Issue { .warning(.archives, "\(path) may be a backup and cannot be read: \(reason)") }
}
