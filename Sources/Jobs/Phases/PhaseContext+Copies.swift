import ArchiveCatalog
import Backup

extension PhaseContext {
  /// Returns the destination with its copy: the newest intact copy without missing photos, else the newest
  /// copy. Blocks.
  func describingCopy(at destination: DestinationState) -> DestinationState {
    var destination = destination
    guard let inventory = destination.inventory?.updated(observer.ledger) else { return destination }
    var newest: CopyRecord?
    for archive in archives(in: inventory) {
      guard let members = try? inventory.members(of: archive),
        !members.contains(where: { $0.isPartiallyRecovered || inventory.graph.health(of: $0).isSuspect }),
        let copy = CopyRecord(members, at: destination.configuration, of: job, library)
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

  /// Returns true if no photo of the library was missing when the archive, or a part of its set, was made.
  func hasEveryPhoto(_ archive: ArchiveDescriptor, _ members: [ArchiveDescriptor]) -> Bool {
    (archive.part == nil ? [archive] : members).allSatisfy(\.missingPhotos.isEmpty)
  }

  /// Returns the destination as failed if this run wrote or listed its current archives and found them
  /// damaged later. Blocks.
  func rejectingDamage(at destination: DestinationState) -> DestinationState {
    guard let inventory = destination.inventory else { return destination }
    let members = destination.upToDateArchives.flatMap { (try? inventory.members(of: $0)) ?? [] }
    guard let damaged = members.first(where: isDamaged) else { return destination }
    return destination.skipped(because: DamagedCopy(path: damaged.path))
  }
}

private struct DamagedCopy: Error, CustomStringConvertible {
  let path: String

  var description: String { "\(path.escaped) is damaged; the next run writes another archive" }
}
