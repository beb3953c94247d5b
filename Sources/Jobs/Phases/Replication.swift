import ArchiveCatalog
import Backup
import FileSystem
import Operations
import SystemPackage
import Zip

/// Fifth phase: copies the archives with the current content of the library, and the archives that they depend
/// on, to a destination without them.
struct Replication {
  let context: PhaseContext
  /// The destination that has the archives.
  let source: DestinationState

  /// Copies the archives. Replaces an archive that is damaged at the source by another that satisfies the
  /// same reference. Blocks.
  ///
  /// - Throws: `CancellationError`, and errors that prevent the copy.
  func run(_ destination: DestinationState) throws -> PhaseResults.Step {
    guard let inventory = source.inventory?.updated(context.observer.ledger) else {
      return (destination, [])
    }
    var graph = inventory.graph
    while true {
      let needed = try source.upToDateArchives.flatMap(graph.chain).reversed() + source.upToDateArchives
      do {
        return try copy(needed, to: destination)
      } catch let error where Self.concernsSource(error) {
        let other: ArchiveGraph?
        do {
          other = try self.graph(graph, without: needed)
        } catch let cause where !(cause is CancellationError) {
          // the next run verifies the archives
          return (destination.skipped(because: error), [.warning(.archives, JobMessage.text(of: cause))])
        }
        guard let other else { throw error }
        graph = other
      }
    }
  }

  /// Verifies archives that could not be copied, even if they are known as intact, and returns the graph
  /// without the damaged ones; nil if no other archives can replace them.
  private func graph(
    _ graph: ArchiveGraph, without needed: [ArchiveDescriptor]
  ) throws -> ArchiveGraph? {
    let damaged = try context.verifier.unusableAfterReverifying(needed, context.counter)
    guard !damaged.isEmpty, !source.upToDateArchives.contains(where: damaged.contains) else { return nil }
    let other = graph.excluding(Set(damaged.map(\.path)))
    return try source.upToDateArchives.flatMap(other.chain).contains(where: damaged.contains) ? nil : other
  }

  /// Returns true if the error may have its cause in the source.
  private static func concernsSource(_ error: any Error) -> Bool {
    if case BackupError.verificationFailed = error { return true }
    return (error is BackupError || error is ArchiveError) && error.cause != .destination
      && !error.cause.isInconclusive
  }

  /// Copies the archives that are missing or damaged at the destination, bases first.
  private func copy(_ archives: [ArchiveDescriptor], to destination: DestinationState) throws
    -> PhaseResults.Step
  {
    try destination.configuration.check()
    // keeps other processes from pruning a base before the archives that depend on it are copied
    let lock = try FolderLock(
      destination.folder, exclusive: false, waiting: .seconds(context.job.lockWait),
      whileWaiting: context.counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    var (destination, issues) = (destination, [Issue]())
    let inventory = try context.inventory(of: destination)
    let known = inventory.backups(ofLibrary: nil, tags: []).filter { !context.isDamaged($0) }
    let bases = Set(archives.compactMap(\.base?.digest))
    var copies: [ArchiveDescriptor] = []
    for archive in archives {
      let same = try known.first { try isCopy($0, of: archive, bases: bases) }
      let copy: ArchiveDescriptor
      if let same {
        copy = same
      } else {
        let (path, warning) = try write(archive, to: destination)
        if let warning { issues.append(.warning(.archives, warning)) }
        copy = try ArchiveDescriptor(path: path, password: context.password)
        copies.append(copy)
        destination.hasNewArchives = true
      }
      if source.upToDateArchives.contains(archive) { destination.upToDateArchives.append(copy) }
    }
    destination.inventory = inventory.updated(adding: copies, context.observer.ledger)
    return (destination, issues)
  }

  /// Returns true if an archive from an earlier run is an intact copy of an archive at the source. Blocks.
  private func isCopy(
    _ other: ArchiveDescriptor, of archive: ArchiveDescriptor, bases: Set<String>
  ) throws -> Bool {
    // the copy of a base may be older than a repair of that base
    let isUnrepaired = other.digest.map { archive.repairedFrom.contains($0) && bases.contains($0) } ?? false
    return try other.archiveID == archive.archiveID && (other.digest == archive.digest || isUnrepaired)
      && context.verifier.isUsable(other, context.counter)
  }

  private func write(
    _ archive: ArchiveDescriptor, to destination: DestinationState
  ) throws -> (archive: FilePath, warning: String?) {
    var copy = ArchiveCopy(
      of: FilePath(archive.path), to: destination.folder, password: context.password, counter: context.counter
    )
    copy.permissions = context.job.permissions
    let written = try copy.run()
    context.observer.recordVerified([written.archive])
    return written
  }
}
