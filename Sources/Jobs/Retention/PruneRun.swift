import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// Removes from a folder the archives that a policy does not keep.
package struct PruneRun {
  /// The folder.
  package var folder: FilePath
  /// What to keep.
  package var policy: RetentionPolicy
  /// Opens encrypted archives; without it, they stay.
  package var password: Secret?
  /// Archives must have all of these tags to be considered.
  package var tags: [String] = []
  /// True to report what would be removed, and to remove nothing.
  package var isDryRun = false
  /// Knows the health of archives, and records what is verified.
  package var observer = Ledger().observer("prune")
  /// The paths of archives that were just written. They stay, whatever their date.
  package var fresh: Set<String> = []
  /// How long to wait for exports into the folder.
  package var lockWait: Duration = .seconds(60)
  /// The clock.
  package var now = Date()
  /// Counts, and is checked for cancellation.
  package var counter: ProgressCounter

  /// Prepares a run.
  package init(folder: FilePath, policy: RetentionPolicy, counter: ProgressCounter) {
    self.folder = folder
    self.policy = policy
    self.counter = counter
  }

  /// What a run did.
  package struct Summary: Sendable {
    /// What was decided about each archive, and why.
    package var plan: PrunePlan
    /// What was removed.
    package var removed: [ArchiveDescriptor] = []
    /// Archives that could not be removed, each with the reason.
    package var failures: [Finding] = []
    /// Files that may be backups and cannot be read. They stay.
    package var unreadable: [ArchiveInventory.Unreadable] = []
    /// The number of archives that cannot be decrypted. They stay.
    package var locked = 0
    /// The number of archives that were not considered, including those that cannot be decrypted. They stay.
    package var passedOver = 0
  }

  /// Removes archives, increments before their bases. Blocks. An archive that has changed since it was listed stays.
  ///
  /// - Throws: `FileError` if the folder cannot be read, `FileLock.Busy`, `CancellationError`, environment failures. Archives
  ///   that were removed before that stay removed.
  package func run() throws -> Summary {
    counter.enter(.planning)
    // an export that is under way may depend on what would be removed
    let lock =
      try isDryRun
      ? nil
      : FolderLock(folder, exclusive: true, waiting: lockWait, whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: observer.ledger, whileReading: counter.checkCancellation)
    let plan = try plan(for: inventory) { try obstacle($0, inventory) }
    var summary = Summary(
      plan: plan, unreadable: inventory.unreadable, locked: inventory.archives.count(where: \.isLocked))
    summary.passedOver =
      inventory.archives.count - plan.decisions.reduce(0) { $0 + $1.archives.count }
    if isDryRun {
      summary.removed = plan.removals
      return summary
    }
    try remove(plan.removals, &summary)
    return summary
  }

  /// Returns whether the policy would remove archives of an inventory. Reads no archive.
  func hasCandidates(in inventory: ArchiveInventory) -> Bool {
    !plan(for: inventory) { _ in nil }.removals.isEmpty
  }

  private func plan(
    for inventory: ArchiveInventory, obstacle: ([ArchiveDescriptor]) throws -> String?
  ) rethrows -> PrunePlan {
    try PrunePlan(
      inventory.graph, policy, now: now, fresh: fresh,
      isMeant: { archive in tags.allSatisfy(archive.tags.contains) }, obstacle: obstacle)
  }

  /// Returns why nothing may be removed while these archives are the newest; nil if they are intact. Verifies those that
  /// were not verified since this operation began.
  private func obstacle(
    _ archives: [ArchiveDescriptor], _ inventory: ArchiveInventory
  ) throws -> String? {
    if let newer = try newerUnreadable(than: archives, inventory) { return newer }
    for archive in archives {
      guard let file = ArchiveFile(at: FilePath(archive.path)) else {
        return "the newest archive needs \(archive.path), which is missing"
      }
      if observer.hasVerified(file) { continue }
      let reading = observer.ledger.observer(observer)
      do {
        if let fault = try ArchiveVerification.fault(of: archive, password, counter) {
          reading.record(.foundDamaged(reason: fault), of: [(file, archive.archiveID)])
          return "the newest archive needs \(archive.path), which is damaged (\(fault))"
        }
      } catch BackupError.noSuchBackup {
        return "the newest archive needs \(archive.path), which is missing"
      }
      reading.record(.verified, of: [(file, archive.archiveID)])
    }
    return nil
  }

  /// Reports a file that cannot be read and is newer than the newest archive: it may be a newer archive.
  private func newerUnreadable(
    than archives: [ArchiveDescriptor], _ inventory: ArchiveInventory
  ) throws -> String? {
    let directory = try Directory.open(folder)
    let newest = archives.map(\.date).max() ?? 0
    for file in inventory.unreadable {
      guard let name = FilePath(file.path).lastComponent else { continue }
      let status = try directory.status(of: FilePath(name.string))
      if let status, status.modified > newest {
        return "\(file.path) cannot be read (\(file.reason)), and may be a newer archive"
      }
    }
    return nil
  }

  private func remove(_ archives: [ArchiveDescriptor], _ summary: inout Summary) throws {
    guard !archives.isEmpty else { return }
    counter.enter(.committing)
    let directory = try Directory.open(folder)
    for archive in archives {
      try counter.checkCancellation()
      let name = FilePath(archive.name)
      do {
        // another file may have the name since
        guard let status = try directory.status(of: name) else { continue }
        let now = try ArchiveDescriptor(path: directory.path(of: name), password: password)
        if now.isLocked, !archive.isLocked {
          summary.failures.append(
            Finding(archive.path, "it is encrypted with another password, and was not removed"))
          break
        }
        guard status.kind == .file, now == archive else {
          summary.failures.append(
            Finding(archive.path, "it has changed since it was listed, and was not removed"))
          // an increment that stays needs its base
          break
        }
        _ = try directory.remove(name)
        summary.removed.append(archive)
      } catch {
        summary.failures.append(Finding(archive.path, "\(error)"))
        break
      }
    }
    try directory.sync()
  }
}
