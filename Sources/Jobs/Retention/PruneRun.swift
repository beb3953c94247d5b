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
  /// What stays.
  package var policy: RetentionPolicy
  /// Opens those that are encrypted; without it they stay.
  package var password: Secret?
  /// Which archives it is about: those with all these tags.
  package var tags: [String] = []
  /// Says what would be removed, and removes nothing.
  package var isDryRun = false
  /// Knows the health of archives, and records what is verified.
  package var observer = Ledger().observer("prune")
  /// Archives that have just been made, by path: whatever their date, they stay.
  package var fresh: Set<String> = []
  /// How long to wait for an export into the folder.
  package var lockWait: Duration = .seconds(60)
  /// The clock.
  package var now = Date()
  /// Hears a cancellation, and counts.
  package var counter: ProgressCounter

  /// Prepares a run.
  package init(folder: FilePath, policy: RetentionPolicy, counter: ProgressCounter) {
    self.folder = folder
    self.policy = policy
    self.counter = counter
  }

  /// What a run did.
  package struct Summary: Sendable {
    /// What was decided of each archive, and why.
    package var plan: PrunePlan
    /// What was removed.
    package var removed: [ArchiveDescriptor] = []
    /// What should have been and could not be, each with the reason.
    package var failures: [Finding] = []
    /// Files that may be backups and cannot be read; they stay.
    package var unreadable: [ArchiveInventory.Unreadable] = []
    /// How many archives no password opens; they stay.
    package var locked = 0
    /// How many archives retention is not about, the locked ones among them; they stay.
    package var passedOver = 0
  }

  /// Blocks. An archive that was changed since it was looked at stays.
  ///
  /// - Throws: `FileError` if the folder cannot be read, `FileLock.Busy`, `CancellationError`, or what this process lacks,
  ///   as memory. What was removed until then is gone.
  package func run() throws -> Summary {
    counter.enter(.planning)
    // an export that is being written may rest on what would go
    let lock =
      try isDryRun
      ? nil
      : FolderLock(folder, exclusive: true, waiting: lockWait, whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: observer.ledger, whileReading: counter.checkCancellation)
    let plan = try PrunePlan(
      inventory.graph, policy, now: now, fresh: fresh,
      isMeant: { archive in tags.allSatisfy(archive.tags.contains) },
      obstacle: { try obstacle($0, inventory) })
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

  /// Why nothing may go while these archives are the newest: reads those back that nobody has read lately.
  private func obstacle(
    _ archives: [ArchiveDescriptor], _ inventory: ArchiveInventory
  ) throws -> String? {
    if let newer = try newerUnreadable(than: archives, inventory) { return newer }
    for archive in archives {
      guard let file = ArchiveFile(at: FilePath(archive.path)) else {
        return "the newest archive needs \(archive.path), which is gone"
      }
      if observer.hasVerified(file) { continue }
      let reading = observer.ledger.observer(observer)
      do {
        if let fault = try ArchiveVerification.fault(of: archive, password, counter) {
          reading.record(.foundDamaged(reason: fault), of: [(file, archive.archiveID)])
          return "the newest archive needs \(archive.path), which is damaged (\(fault))"
        }
      } catch BackupError.noSuchBackup {
        return "the newest archive needs \(archive.path), which is gone"
      }
      reading.record(.verified, of: [(file, archive.archiveID)])
    }
    return nil
  }

  /// A file that is newer than the newest archive and cannot be read may be what the newest was to be.
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
        // what lies there now may be another file than the one that was looked at
        guard let status = try directory.status(of: name) else { continue }
        let now = try ArchiveDescriptor(path: directory.path(of: name), password: password)
        if now.isLocked, !archive.isLocked {
          summary.failures.append(Finding(archive.path, "it is encrypted with another password, and stays"))
          break
        }
        guard status.kind == .file, now == archive else {
          summary.failures.append(Finding(archive.path, "it has changed since it was looked at, and stays"))
          // an increment that stays keeps what it rests on
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
