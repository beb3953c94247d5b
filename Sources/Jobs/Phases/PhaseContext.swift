import ArchiveCatalog
import Backup
import Operations
import Secrets
import SystemPackage

/// The input of every phase of a backup.
struct PhaseContext: RunPart {
  let input: RunInput
  let password: Secret?
  /// The library's ID; nil if it has none.
  let libraryID: String?

  /// Verifies the archives that the run relies on.
  var verifier: ArchiveVerifier {
    ArchiveVerifier(observer: observer, password: password, verifiesUnverified: job.verifies)
  }

  /// Lists the archives of a destination. Blocks.
  func inventory(of destination: DestinationState) throws -> ArchiveInventory {
    try ArchiveInventory(
      folder: destination.folder, password: password, ledger: observer.ledger,
      whileReading: counter.checkCancellation)
  }

  /// Returns the job's archives of this library, newest first, without those whose place is unknown.
  func archives(in inventory: ArchiveInventory) -> [ArchiveDescriptor] {
    let now = now
    return inventory.backups(ofLibrary: libraryID, tags: [job.name]).reversed()
      .filter { !$0.isOrderUnknown(at: now) }
  }

  /// Returns true if this run has found the archive damaged. Blocks.
  func isDamaged(_ archive: ArchiveDescriptor) -> Bool {
    ArchiveFile(at: FilePath(archive.path)).map(observer.hasFoundDamaged) ?? false
  }

  /// Returns the archives that a restore needs, after verifying those of unknown health; nil if one is
  /// damaged and cannot be replaced. Replaces a damaged archive by another that satisfies the same reference. Blocks.
  ///
  /// - Throws: environment failures, `CancellationError`, and `BrokenChain` or `IncompleteSet` if a member is missing.
  func intactMembers(
    of archive: ArchiveDescriptor, in inventory: ArchiveInventory
  ) throws -> [ArchiveDescriptor]? {
    var graph = inventory.graph
    while true {
      let members = try graph.members(of: archive)
      let damaged = try members.filter { try !verifier.isUsable($0, counter) }
      if damaged.isEmpty { return members }
      graph = graph.excluding(Set(damaged.map(\.path)))
      guard !damaged.contains(archive), try graph.members(of: archive) != members else { return nil }
    }
  }

  /// The options of an export.
  var exportOptions: ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = now
    // a base of another job would be copied to all destinations, and this job's retention would never remove it
    options.baseTag = job.name
    options.observer = observer
    return options
  }
}
