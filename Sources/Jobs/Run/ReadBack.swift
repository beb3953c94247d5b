import Backup
import Foundation
import Operations
import Secrets
import Synchronization
import SystemPackage

/// Reads archives back of which nobody knows that they are whole: never read, or changed since.
public final class ReadBack: Sendable {
  private let verifies: Bool
  private let password: Secret?
  private let cache: CatalogCache?
  private let now: @Sendable () -> Date
  private let faults = Mutex<[String: String]>([:])

  /// - Parameters:
  ///   - verifies: false for reading those alone that there is reason to doubt, as after a drill that failed.
  ///   - password: for archives that are encrypted.
  ///   - cache: knows what was read before.
  ///   - now: the clock.
  public init(
    verifies: Bool, password: Secret?, cache: CatalogCache?, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.verifies = verifies
    self.password = password
    self.cache = cache
    self.now = now
  }

  /// Whether something new may rest on all of these archives. Blocks.
  ///
  /// - Parameter tag: what they have to be called; nil for whatever they are.
  /// - Throws: as `areWhole`; where one cannot be looked at, why not.
  public func mayBeRestedOn(
    _ paths: [FilePath], taggedWith tag: String? = nil, _ counter: ProgressCounter
  ) throws -> Bool {
    let archives = try paths.map { try ArchiveRecord(path: $0, password: password) }
    let areMeant = archives.allSatisfy { archive in
      !archive.isRemnant && tag.map(archive.tags.contains) ?? true
    }
    return try areMeant && areWhole(archives, counter)
  }

  /// Whether all of these are whole. Blocks.
  ///
  /// - Throws: what says nothing of them: `CancellationError`, a shortage of memory or open files.
  func areWhole(_ archives: [ArchiveRecord], _ counter: ProgressCounter) throws -> Bool {
    // all are read, so that everything that is damaged is named
    try archives.reduce(true) { areWhole, archive in try isWhole(archive, counter) && areWhole }
  }

  private func isWhole(_ archive: ArchiveRecord, _ counter: ProgressCounter) throws -> Bool {
    // it may be large, and many may rest on it
    if isDamaged(archive) { return false }
    guard verifies || cache?.isDoubted(archive) == true else { return true }
    // with another password than today's it is of no use, and no worse for that
    if archive.isLocked { return false }
    if cache?.verifiedAt(archive) != nil { return true }
    // what is changed meanwhile is another
    cache?.note(archive)
    do {
      if let fault = try ArchiveVerification.fault(of: archive, password, counter) {
        faults.withLock { $0[archive.path] = fault }
        // so that another which can do the same is preferred to it
        cache?.doubt([FilePath(archive.path)], password: password)
        return false
      }
    } catch BackupError.noSuchBackup {
      // it went since it was listed, and is no worse for that
      return false
    }
    cache?.noteVerified([archive.path], at: now().milliseconds)
    return true
  }

  /// Notes what somebody else has found.
  func noteDamaged(_ path: String, _ fault: String) { faults.withLock { $0[path] = fault } }

  /// Whether an archive was found damaged: nothing may rest on it, and it stands for nothing.
  func isDamaged(_ archive: ArchiveRecord) -> Bool { faults.withLock { $0[archive.path] != nil } }

  /// The archives that were found damaged, by path.
  var damaged: Set<String> { faults.withLock { Set($0.keys) } }

  /// What was found.
  public var warnings: [String] {
    faults.withLock { $0 }.sorted { $0.key < $1.key }.map { path, fault in
      "\(path) is damaged (\(fault)), and does not count; smilepile repair may help"
    }
  }
}
