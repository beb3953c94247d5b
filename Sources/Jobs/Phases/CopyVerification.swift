import ArchiveCatalog
import Backup

/// Seventh phase: verifies the newest copy of the library at each destination if it is unverified or suspect.
struct CopyVerification {
  let context: PhaseContext

  /// Verifies archives until one is intact and has every photo. The ledger records the results. Blocks.
  func run(_ destination: DestinationState) throws -> PhaseResults.Step {
    guard let inventory = destination.inventory else { return (destination, []) }
    for archive in context.archives(in: inventory) {
      do {
        guard let members = try context.intactMembers(of: archive, in: inventory) else { continue }
        if context.hasEveryPhoto(archive, members) { break }
      } catch let error where error is BrokenChain || error is IncompleteSet {
        continue
      }
    }
    return (destination, inventory.unreadable.map(\.issue))
  }
}

extension ArchiveInventory.Unreadable {
  /// The warning about the file. A run reports each file once.
  var issue: Issue { .warning(.archives, "\(reason); the file may be a backup") }
}
