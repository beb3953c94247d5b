import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// Removes the archives of a folder that a policy does not keep.
package struct PruneRun {
  /// The folder.
  package var folder: FilePath
  /// The retention policy.
  package var policy: RetentionPolicy
  /// The password of encrypted archives. Without a password they stay, and with one the archives with plain entries:
  /// these can be made without the password, and do not count.
  package var password: Secret?
  /// The tags that an archive must have to be considered.
  package var tags: [String] = []
  /// The ID of the library whose archives are considered, besides those without an ID; nil for those of all libraries.
  package var libraryID: String?
  /// True to report the archives that a run would remove, and to remove none.
  package var isDryRun = false
  /// Knows the health of archives, and records which are verified.
  package var observer = Ledger().observer(named: "prune")
  /// The paths of archives that were just written. They stay whatever their date is.
  package var fresh: Set<String> = []
  /// The maximum wait for exports into the folder.
  package var lockWait: Duration = .seconds(60)
  /// The time of the run.
  package var now = Date()
  /// Counts the work and checks for cancellation.
  package var counter: ProgressCounter

  /// Prepares a run.
  package init(folder: FilePath, policy: RetentionPolicy, counter: ProgressCounter) {
    self.folder = folder
    self.policy = policy
    self.counter = counter
  }

  /// The result of a run.
  package struct Summary: Sendable, FindingReport {
    /// The decision about each archive, with its reasons.
    package var plan: PrunePlan
    /// The archives that the run removed.
    package var removed: [ArchiveDescriptor] = []
    /// The archives that could not be removed, with reasons.
    package var failures: [Finding] = []
    /// Unreadable files that may be backups. They stay.
    package var unreadable: [ArchiveInventory.Unreadable] = []
    /// The number of archives that cannot be decrypted. They stay.
    package var locked = 0
    /// Reports the archives with plain entries, if a password was given; nil if there are none.
    package var warningOfPlainArchives: String?
    /// Reports the archives of other users; nil if this user owns all archives.
    package var warningOfOtherOwners: String?
    /// The number of archives that the plan does not include, for example because they cannot be decrypted. They stay.
    package var notConsidered = 0

    /// The archives that could not be removed, with reasons.
    package var findings: [Finding] { failures }
  }

  /// Removes archives, increments before their bases. An archive that has changed since it was listed stays. Blocks.
  ///
  /// - Returns: the decisions and the removed archives, also if the removal was cancelled.
  /// - Throws: `FileError` if the folder cannot be read, `FileLock.Busy`, `CancellationError` before the removal,
  ///   environment failures. Nothing was removed.
  package func run() throws -> Summary {
    counter.enter(.planning)
    // a running export may depend on an archive to remove
    let lock =
      try isDryRun
      ? nil
      : FolderLock(folder, exclusive: true, waiting: lockWait, whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: observer.ledger, whileReading: counter.checkCancellation)
    let plan = try plan(for: inventory, earlierIDs: earlierIDs) { try reasonToKeepAll($0, inventory) }
    var summary = Summary(
      plan: plan, unreadable: inventory.unreadable, locked: inventory.archives.count(where: \.isLocked))
    summary.warningOfPlainArchives = inventory.warningOfPlainArchives(tags: tags)
    summary.warningOfOtherOwners = inventory.warningOfOtherOwners
    summary.notConsidered =
      inventory.archives.count - plan.decisions.reduce(0) { $0 + $1.archives.count }
    if isDryRun {
      summary.removed = plan.removals
      return summary
    }
    try remove(plan.removals, &summary)
    return summary
  }

  /// Returns true if the policy would remove archives of an inventory. Reads no archive.
  func hasCandidates(in inventory: ArchiveInventory) -> Bool {
    !plan(for: inventory, earlierIDs: { _ in nil }, reasonToKeepAll: { _ in nil }).removals.isEmpty
  }

  private func plan(
    for inventory: ArchiveInventory, earlierIDs: (ArchiveDescriptor) throws -> [String]?,
    reasonToKeepAll: ([ArchiveDescriptor]) throws -> String?
  ) rethrows -> PrunePlan {
    try PrunePlan(
      inventory.graph, policy, now: now, fresh: fresh,
      isIncluded: { inventory.isBackup($0, ofLibrary: libraryID, tags: tags) }, earlierIDs: earlierIDs,
      reasonToKeepAll: reasonToKeepAll)
  }

  /// Reads the IDs of the exports that the library had made before an archive; nil if the archive is missing, which
  /// `reasonToKeepAll` reports.
  private func earlierIDs(of archive: ArchiveDescriptor) throws -> [String]? {
    try counter.checkCancellation()
    do {
      return try OpenedBackup(path: FilePath(archive.path), limits: .trusted, password: password)
        .metadata.smilepile?.earlierIDs
    } catch BackupError.noSuchBackup {
      return nil
    }
  }

  /// Returns why nothing may be removed while these archives are the newest; nil if they are intact. Verifies
  /// archives that this operation has not verified yet.
  private func reasonToKeepAll(
    _ archives: [ArchiveDescriptor], _ inventory: ArchiveInventory
  ) throws -> String? {
    if let newer = try newerUnreadable(than: archives, inventory) { return newer }
    let verifier = ArchiveVerifier(observer: observer, password: password)
    for archive in archives {
      let subject =
        archive == archives.first
        ? "the newest archive, \(archive.path)," : "the newest archive depends on \(archive.path), which"
      guard let file = ArchiveFile(at: FilePath(archive.path)) else {
        return "\(subject) is missing"
      }
      if observer.hasVerified(file) { continue }
      do {
        if let fault = try verifier.verify(archive, file, counter) {
          return "\(subject) is damaged (\(fault))"
        }
      } catch BackupError.noSuchBackup {
        return "\(subject) is missing"
      }
    }
    return nil
  }

  /// Reports an unreadable file that may be newer than the newest archive. Only the date of the file is known, and the
  /// clock may have been set back by a day.
  private func newerUnreadable(
    than archives: [ArchiveDescriptor], _ inventory: ArchiveInventory
  ) throws -> String? {
    let directory = try Directory.open(folder)
    let newest = archives.map(\.date).max() ?? 0
    let (limit, isOverflow) = newest.rawValue.subtractingReportingOverflow(ArchiveDescriptor.clockTolerance)
    for file in inventory.unreadable where !file.hasOtherOwner {
      let status = try directory.status(of: FilePath(FilePath(file.path).name))
      if let status, status.modified.rawValue > (isOverflow ? .min : limit) {
        return "\(file.reason); the file may be a newer archive"
      }
    }
    return nil
  }

  private func remove(_ archives: [ArchiveDescriptor], _ summary: inout Summary) throws {
    guard !archives.isEmpty else { return }
    counter.enter(.committing)
    let directory = try Directory.open(folder)
    for archive in archives where !counter.isCancelled {
      let name = FilePath(archive.name)
      do {
        // another file may have the name by now
        guard let status = try directory.status(of: name) else { continue }
        let current = try ArchiveDescriptor(path: directory.path(of: name), password: password)
        if current.isLocked, !archive.isLocked {
          summary.failures.append(
            Finding(.file(archive.path), "it is encrypted with another password, and was not removed"))
          break
        }
        guard status.kind == .file, current == archive else {
          summary.failures.append(
            Finding(.file(archive.path), "it has changed since it was listed, and was not removed"))
          // an increment that stays needs its base
          break
        }
        _ = try directory.remove(name)
        summary.removed.append(archive)
      } catch {
        summary.failures.append(Finding(.file(archive.path), message: "\(error)"))
        break
      }
    }
    do {
      try directory.sync()
    } catch {
      summary.failures.append(Finding(.folder(folder.string), message: "\(error)"))
    }
  }
}

extension PruneRun.Summary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(removed: removed.count), findings: findings,
      isIncomplete: !failures.isEmpty || !plan.refusals.isEmpty, archives: removed.map { FilePath($0.path) })
  }
}
