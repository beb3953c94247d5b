import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary

/// Third phase: finds the archives with the current state of the library, which make a new export unnecessary.
struct UpToDateCheck {
  let context: PhaseContext
  let snapshot: LibrarySnapshot

  /// Lists the archives of a destination, verifies the newest, and finds those with the current state of the
  /// library. Blocks.
  ///
  /// - Throws: `FileError`, environment failures, `CancellationError`.
  func run(_ target: Target) throws -> BackupOutcome.Step {
    var target = target
    let inventory = try context.inventory(of: target)
    target.inventory = inventory
    var issues: [Issue] = []
    if let newest = inventory.archives(of: context.job, in: context.libraryID).last,
      newest.isDatedAfter(context.now())
    {
      issues.append(.warning(.archives, "\(newest.path) is dated in the future; check the clock"))
    }
    guard let newest = context.archives(in: inventory).first else { return (target, issues) }
    do {
      // verified even if the library has changed, since the next archive may depend on this one
      let members = try context.intactMembers(of: newest, in: inventory)
      if let members, newest.fingerprint == snapshot.plan.state {
        target.current = try current(newest, members)
      }
    } catch let error where error is BrokenChain || error is IncompleteSet {
      issues.append(.warning(.archives, "\(error)"))
    }
    return (target, issues)
  }

  /// Returns the archives with the state of the library: all parts of a set, else the newest of a chain.
  /// Returns none if the library has photos again that are missing from the archives.
  private func current(
    _ newest: ArchiveDescriptor, _ members: [ArchiveDescriptor]
  ) throws -> [ArchiveDescriptor] {
    let archives =
      newest.part == nil ? [newest] : members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
    let missing = Set(archives.flatMap(\.missingPhotos).map(\.id))
    guard !missing.isEmpty else { return archives }
    let library = snapshot.library
    let isBack = try library.contents().photos.contains { photo in
      try missing.contains(photo.id)
        && library.holds(photo, whileReading: context.counter.checkCancellation)
    }
    return isBack ? [] : archives
  }

  /// Returns findings about photos of a library that needs no new archive: photos missing from the archives,
  /// and files that were changed since the full backup of the chain. Blocks.
  func findings(_ target: Target) throws -> [Finding] {
    let missing = target.current.flatMap(\.missingPhotos).map(\.finding)
    // an incremental export reads only the photos that it stores
    guard let newest = target.current.first, newest.base != nil, let inventory = target.inventory,
      let full = try inventory.members(of: newest).last
    else { return snapshot.plan.missing + missing }
    let library = snapshot.library
    return try snapshot.plan.missing
      + library.damaged(
        in: library.contents(), touchedAfter: full.date, context.exportOptions, context.counter)
      + missing
  }
}
