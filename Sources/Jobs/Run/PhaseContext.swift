import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// What every phase of a backup needs.
struct PhaseContext {
  let job: Job
  /// The library's folder.
  let library: FilePath
  let password: Secret?
  /// The library's ID; nil if it has none.
  let libraryID: String?
  /// Records what this run observes of archives.
  let observer: ArchiveObserver
  let now: @Sendable () -> Date
  let counter: ProgressCounter

  /// Verifies archives of which the run relies on being intact.
  var verifier: ArchiveVerifier {
    ArchiveVerifier(observer: observer, password: password, verifiesUnknown: job.verifies)
  }

  /// Lists the archives of a destination. Blocks.
  func inventory(of target: Target) throws -> ArchiveInventory {
    try ArchiveInventory(
      folder: target.folder, password: password, ledger: observer.ledger,
      whileReading: counter.checkCancellation)
  }

  /// Returns the job's archives of this library, newest first, without those that are dated in the future.
  func archives(in inventory: ArchiveInventory) -> [ArchiveDescriptor] {
    let now = now()
    return inventory.archives(of: job, in: libraryID).reversed().filter { !$0.isDatedAfter(now) }
  }

  /// Returns whether this run has found an archive damaged. Blocks.
  func isDamaged(_ archive: ArchiveDescriptor) -> Bool {
    ArchiveFile(at: FilePath(archive.path)).map(observer.hasFoundDamaged) ?? false
  }

  /// Returns what restoring an archive takes if all of it is intact, after verifying what is not known to be; nil if it
  /// is not. Where one archive is damaged, another that satisfies the same reference takes its place. Blocks.
  ///
  /// - Throws: environment failures, `CancellationError`, and `BrokenChain` or `IncompleteSet` if a member is missing.
  func intactMembers(
    of archive: ArchiveDescriptor, in inventory: ArchiveInventory
  ) throws -> [ArchiveDescriptor]? {
    var graph = inventory.graph
    while true {
      let members = try graph.members(of: archive)
      let damaged = try members.filter { try !verifier.areIntact([$0], counter) }
      if damaged.isEmpty { return members }
      graph = graph.excluding(Set(damaged.map(\.path)))
      guard !damaged.contains(archive), try graph.members(of: archive) != members else { return nil }
    }
  }

  /// The options of an export.
  var exportOptions: ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = now()
    // other archives would be copied to all destinations, where this job's retention would keep them for ever
    options.baseTag = job.name
    options.observer = observer
    return options
  }
}
