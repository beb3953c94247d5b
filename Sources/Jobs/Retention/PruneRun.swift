import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// Removes from a folder the archives that a policy does not keep.
public struct PruneRun {
  /// The folder.
  public var folder: FilePath
  /// What stays.
  public var policy: RetentionPolicy
  /// Opens those that are encrypted; without it they stay.
  public var password: Secret?
  /// Which archives it is about: those with all these tags.
  public var tags: [String] = []
  /// Says what would be removed, and removes nothing.
  public var isDryRun = false
  /// What is known of the folder.
  public var cache: CatalogCache?
  /// Archives that have just been read back whole, by path.
  public var verified: Set<String> = []
  /// Archives that have just been made, by path: whatever their date, they stay.
  public var fresh: Set<String> = []
  /// How long to wait for an export into the folder.
  public var lockWait: Duration = .seconds(60)
  /// The clock.
  public var now = Date()
  /// Hears a cancellation, and counts.
  public var counter: ProgressCounter

  /// Prepares a run.
  public init(folder: FilePath, policy: RetentionPolicy, counter: ProgressCounter) {
    self.folder = folder
    self.policy = policy
    self.counter = counter
  }

  /// What a run did.
  public struct Summary: Sendable {
    /// What was decided of each archive, and why.
    public var plan: PrunePlan
    /// What was removed.
    public var removed: [ArchiveRecord] = []
    /// What should have been and could not be, each with the reason.
    public var failures: [Finding] = []
    /// Files that may be backups and cannot be read; they stay.
    public var unreadable: [Catalog.Unreadable] = []
    /// How many archives no password opens; they stay.
    public var locked = 0
    /// How many archives retention is not about, the locked ones among them; they stay.
    public var passedOver = 0
    /// What was found wrong with archives that were read back, by path.
    public var damaged: [String: String] = [:]
  }

  /// Blocks. An archive that was changed since it was looked at stays.
  ///
  /// - Throws: `FileError` if the folder cannot be read, `FileLock.Busy`, `CancellationError`, or what this process lacks,
  ///   as memory. What was removed until then is gone.
  public func run() throws -> Summary {
    counter.enter(.planning)
    // an export that is being written may rest on what would go
    let lock =
      try isDryRun
      ? nil : FolderLock(folder, exclusive: true, waiting: lockWait, whileWaiting: counter.waitForWriter)
    defer { withExtendedLifetime(lock) {} }
    let catalog = try Catalog(
      folder: folder, password: password, cache: cache, whileReading: counter.checkCancellation)
    var damaged: [String: String] = [:]
    let plan = try PrunePlan(
      catalog, policy, now: now, fresh: fresh, isMeant: { archive in tags.allSatisfy(archive.tags.contains) },
      obstacle: { try obstacle($0, catalog, &damaged) })
    var summary = Summary(
      plan: plan, unreadable: catalog.unreadable, locked: catalog.archives.count(where: \.isLocked),
      damaged: damaged)
    summary.passedOver =
      catalog.archives.count - plan.decisions.reduce(0) { $0 + $1.archives.count }
    if isDryRun {
      summary.removed = plan.removals
      return summary
    }
    try remove(plan.removals, &summary)
    return summary
  }

  /// Why nothing may go while these archives are the newest: reads those back that nobody has read lately.
  private func obstacle(
    _ archives: [ArchiveRecord], _ catalog: Catalog, _ damaged: inout [String: String]
  ) throws -> String? {
    if let newer = try newerUnreadable(than: archives, catalog) { return newer }
    for archive in archives where !verified.contains(archive.path) {
      do {
        if let fault = try ArchiveVerification.fault(of: archive, password, counter) {
          // so that nothing new rests on it
          cache?.doubt([FilePath(archive.path)], password: password)
          damaged[archive.path] = fault
          return "the newest archive needs \(archive.path), which is damaged (\(fault))"
        }
      } catch BackupError.noSuchBackup {
        return "the newest archive needs \(archive.path), which is gone"
      }
    }
    cache?.noteVerified(archives.map(\.path), at: now.milliseconds)
    return nil
  }

  /// A file that is newer than the newest archive and cannot be read may be what the newest was to be.
  private func newerUnreadable(than archives: [ArchiveRecord], _ catalog: Catalog) throws -> String? {
    let directory = try Directory.open(folder)
    let newest = archives.map(\.date).max() ?? 0
    for file in catalog.unreadable {
      guard let name = FilePath(file.path).lastComponent else { continue }
      let status = try directory.status(of: FilePath(name.string))
      if let status, status.modified > newest {
        return "\(file.path) cannot be read (\(file.reason)), and may be a newer archive"
      }
    }
    return nil
  }

  private func remove(_ archives: [ArchiveRecord], _ summary: inout Summary) throws {
    guard !archives.isEmpty else { return }
    counter.enter(.committing)
    let directory = try Directory.open(folder)
    for archive in archives {
      try counter.checkCancellation()
      let name = FilePath(archive.name)
      do {
        // what lies there now may be another file than the one that was looked at
        guard let status = try directory.status(of: name) else { continue }
        let now = try ArchiveRecord(path: directory.path(of: name), password: password)
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
