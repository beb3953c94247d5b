import ArchiveCatalog
import Backup
import PhotoLibrary
import SystemPackage

/// Seventh phase: verifies the newest copy of the library at each destination if it is unverified or suspect. After the
/// retention, describes the copies, and rejects archives that were found corrupt since they were written or verified.
struct CopyVerification {
  let context: PhaseContext

  /// Verifies archives until one is intact and has every photo. The ledger records the results. Blocks.
  func run(_ destination: DestinationState) throws -> PhaseResults.Step {
    guard let inventory = destination.inventory else { return (destination, []) }
    for archive in context.archives(in: inventory) {
      do {
        guard let members = try context.intactMembers(of: archive, in: inventory) else { continue }
        if hasEveryPhoto(archive, members) { break }
      } catch let error where error is BrokenChain || error is IncompleteSet {
        continue
      }
    }
    return (destination, inventory.unreadable.map(\.issue))
  }

  /// Returns the destination with its copy: the newest intact copy without missing photos, else the newest
  /// copy. Blocks.
  func describingCopy(at destination: DestinationState) -> DestinationState {
    var destination = destination
    guard let inventory = destination.inventory?.updated(context.operation.ledger) else { return destination }
    var newest: JobStatus.Copy?
    for archive in context.archives(in: inventory) {
      guard let members = try? inventory.members(of: archive),
        !members.contains(where: { $0.isPartiallyRecovered || inventory.graph.health(of: $0).isSuspect }),
        let copy = JobStatus.Copy(members, at: destination.configuration, of: context.job, context.library)
      else { continue }
      newest = newest ?? copy
      guard !hasEveryPhoto(archive, members) else {
        newest = copy
        break
      }
    }
    destination.copy = newest
    return destination
  }

  private func hasEveryPhoto(_ archive: ArchiveDescriptor, _ members: [ArchiveDescriptor]) -> Bool {
    (archive.part == nil ? [archive] : members).allSatisfy(\.missingPhotos.isEmpty)
  }

  /// Returns the destination as failed if this run wrote or listed its current archives and found them
  /// damaged later. Blocks.
  func rejectingDamage(at destination: DestinationState) -> DestinationState {
    guard let inventory = destination.inventory else { return destination }
    let members = destination.upToDateArchives.flatMap { (try? inventory.members(of: $0)) ?? [] }
    guard let damaged = members.first(where: context.isDamaged) else { return destination }
    return destination.skipped(because: DamagedCopy(path: damaged.path))
  }

  private struct DamagedCopy: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path.escaped) is damaged; the next run writes another archive" }
  }
}

extension ArchiveInventory.Unreadable {
  /// The warning about the file. A run reports each file once.
  var issue: Issue { .warning(.archives, "\(reason); the file may be a backup") }
}
