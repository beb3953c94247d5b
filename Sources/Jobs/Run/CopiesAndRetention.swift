import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import SystemPackage
import Zip

/// What a run does when the library lies in one destination: it sees to the others, and to what is older.
extension JobBackup {
  /// Copies archives to another destination, and what they rest on, where that is not there: what they rest on first.
  mutating func copy(_ archives: [ArchiveDescriptor], from source: Int, to index: Int) throws {
    var needed = archives
    do {
      try job.destinations[index].check()
      // no process prunes a base there until what depends on it is copied
      let lock = try FolderLock(
        job.destinations[index].path, exclusive: false, waiting: .seconds(job.lockWait),
        whileWaiting: counter.waitForWriter)
      defer { withExtendedLifetime(lock) {} }
      let there = try inventory(at: index).archives.filter { !isDamaged($0) }
      let origin = try inventory(at: source)
      needed = try archives.flatMap(origin.chain).reversed() + archives
      let named = Set(needed.compactMap(\.base?.digest))
      for archive in needed {
        // what an earlier run copied before it was stopped
        let known = try there.first { other in
          // a base may be there as it was before it was repaired
          let isOld = other.digest.map { archive.repairedFrom.contains($0) && named.contains($0) } ?? false
          return try other.archiveID == archive.archiveID && (other.digest == archive.digest || isOld)
            && verifier.areIntact([other], counter)
        }
        let path = try known?.path ?? copy(archive, to: index)
        if archives.contains(archive) { records[index].archives.append(path) }
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      records[index].failure = JobMessage.text(of: error)
      records[index].archives = []
      if Self.concernsSource(error) { try copyAgain(archives, after: needed, from: source, to: index) }
    }
  }

  /// Verifies the archives that could not be copied, and tries once more if others can take the place of damaged ones.
  /// Otherwise the next run exports another archive.
  private mutating func copyAgain(
    _ archives: [ArchiveDescriptor], after needed: [ArchiveDescriptor], from source: Int, to index: Int
  ) throws {
    do {
      // whatever is known about them: one of them may be damaged
      let damaged = try verifier.damaged(among: needed, counter)
      guard !damaged.isEmpty, !archives.contains(where: damaged.contains) else { return }
      let origin = try inventory(at: source).graph.excluding(Set(damaged.map(\.path)))
      let other = try archives.flatMap(origin.chain)
      guard !other.contains(where: damaged.contains) else { return }
      records[index].failure = nil
      try copy(archives, from: source, to: index)
    } catch let error where !(error is CancellationError) {
      // the next run verifies them
      warnings.append(JobMessage.text(of: error))
    }
  }

  /// Whether a copy may have failed for what was to be copied.
  private static func concernsSource(_ error: any Error) -> Bool {
    switch error {
    case _ where ArchiveVerification.isEnvironmentFailure(error): false
    case BackupError.notEnoughSpace, BackupError.destinationExists: false
    case is BackupError, is ArchiveError: true
    default: false
    }
  }

  /// - Returns: where the copy lies.
  mutating func copy(_ archive: ArchiveDescriptor, to index: Int) throws -> String {
    var copy = ArchiveCopy(
      of: FilePath(archive.path), to: job.destinations[index].path, password: password, counter: counter)
    copy.permissions = job.permissions
    let (path, warning) = try copy.run()
    if let warning { warnings.append(warning) }
    observer.recordVerified([path])
    records[index].isNew = true
    return try ArchiveDescriptor(path: path, password: password).path
  }

  mutating func prune(_ index: Int) throws {
    // the archives of the job's own library may be older, and its status would go on naming them
    guard let retention = job.retention, !job.isOtherLibrary else { return }
    guard missing.isEmpty else {
      let warning =
        "nothing was pruned: an older archive may hold the photos that this one has not as they should be"
      if !warnings.contains(warning) { warnings.append(warning) }
      return
    }
    do {
      var prune = PruneRun(folder: job.destinations[index].path, policy: retention, counter: counter)
      prune.password = password
      prune.tags = [job.name]
      prune.observer = observer
      prune.lockWait = .seconds(job.lockWait)
      prune.now = context.now()
      prune.fresh = Set(records[index].archives)
      let done = try prune.run()
      records[index].removed = done.removed.map(\.path)
      shortcomings += done.plan.refusals + done.failures.map(\.message)
      noteUnreadable(done.unreadable)
    } catch let error as CancellationError {
      throw error
    } catch {
      shortcomings.append(
        "\(job.destinations[index].path) could not be pruned: \(JobMessage.text(of: error))")
    }
  }

  /// Takes back what the record says about a destination whose archives of this state were found damaged since.
  mutating func disownDamaged(at index: Int) {
    guard !observer.damage().isEmpty, let inventory = try? inventory(at: index) else { return }
    let left = inventory.archives.filter { records[index].archives.contains($0.path) }
    let members = left.flatMap { (try? inventory.members(of: $0)) ?? [] }
    guard let damaged = members.first(where: isDamaged) else { return }
    records[index].failure = "\(damaged.path) is damaged; the next run writes another archive"
    records[index].archives = []
  }

  /// Remembers the copy at a destination: the newest intact one without missing photos, else the newest.
  mutating func noteCopy(at index: Int) {
    // after an interruption too
    let folder = job.destinations[index].path
    guard let inventory = try? ArchiveInventory(folder: folder, password: password, ledger: context.ledger)
    else { return }
    let now = context.now()
    var newest: JobStatus.Copy?
    for own in inventory.archives(of: job, in: libraryID).reversed() where !own.isDatedAfter(now) {
      guard let copy = copy(own, in: inventory, at: index) else { continue }
      newest = newest ?? copy
      guard copy.missingPhotos != nil else {
        newest = copy
        break
      }
    }
    if let newest { copies.append(newest) }
  }

  /// Describes an archive as a copy; nil if it cannot be restored.
  private func copy(
    _ archive: ArchiveDescriptor, in inventory: ArchiveInventory, at index: Int
  ) -> JobStatus.Copy? {
    guard let members = try? inventory.members(of: archive),
      !members.contains(where: { $0.isPartialRecovery || inventory.graph.health(of: $0).isSuspect })
    else { return nil }
    return JobStatus.Copy(members, at: job.destinations[index], of: job, library)
  }
}
