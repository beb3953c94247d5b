import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary

/// Third phase: finds the archives with the current content of the library, which make a new export unnecessary.
struct UpToDateCheck {
  let context: PhaseContext
  let forecast: ExportForecast

  /// Lists the archives of a destination, verifies the newest, and finds those with the current state of the
  /// library. Blocks.
  ///
  /// - Throws: `FileError`, environment failures, `CancellationError`.
  func run(_ destination: DestinationState) throws -> PhaseResults.Step {
    var destination = destination
    let inventory = try context.inventory(of: destination)
    destination.inventory = inventory
    var issues: [Issue] = []
    if let newest = inventory.backups(ofLibrary: context.libraryID, tags: [context.job.name]).last,
      newest.isDatedAfter(context.now)
    {
      issues.append(.warning(.archives, "\(newest.path) is dated in the future; check the clock"))
    }
    for case let warning? in [
      inventory.warningOfPlainArchives(tags: [context.job.name]), inventory.warningOfOtherOwners,
    ] {
      issues.append(.warning(.archives, warning))
    }
    guard let newest = context.archives(in: inventory).first else { return (destination, issues) }
    do {
      // verified even if the library has changed, since the next archive may depend on this one
      let members = try context.intactMembers(of: newest, in: inventory)
      if let members, newest.fingerprint == forecast.summary.fingerprint {
        destination.upToDateArchives = try upToDateArchives(newest, members)
      }
    } catch let error where error is BrokenChain || error is IncompleteSet {
      issues.append(.warning(.archives, "\(error)"))
    }
    return (destination, issues)
  }

  /// Returns the archives with the current content of the library: all parts of a set, else the newest of a chain.
  /// Returns none if the library has photos again that are missing from the archives.
  private func upToDateArchives(
    _ newest: ArchiveDescriptor, _ members: [ArchiveDescriptor]
  ) throws -> [ArchiveDescriptor] {
    let archives =
      newest.part == nil ? [newest] : members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
    let missing = Set(archives.flatMap(\.missingPhotos).map(\.id))
    guard !missing.isEmpty else { return archives }
    let library = forecast.library
    let isBack = try library.contents().photos.contains { photo in
      try missing.contains(photo.id)
        && library.hasIntactFile(of: photo, whileReading: context.counter.checkCancellation)
    }
    return isBack ? [] : archives
  }

  /// Returns findings about photos of a library that needs no new archive: photos missing from the archives,
  /// and files that were changed since the full backup of the chain. Blocks.
  func findings(_ destination: DestinationState) throws -> [Finding] {
    let missing = destination.upToDateArchives.flatMap(\.missingPhotos).map(\.finding)
    // an incremental export reads only the photos that it stores
    guard let newest = destination.upToDateArchives.first, newest.base != nil,
      let inventory = destination.inventory,
      let full = try inventory.members(of: newest).last
    else { return forecast.summary.missing + missing }
    let library = forecast.library
    return try forecast.summary.missing
      + library.corruptPhotos(
        in: library.contents(), modifiedAfter: full.date, context.exportOptions, context.counter)
      + missing
  }
}
