import Backup
import Operations
import Secrets
import Synchronization
import SystemPackage

/// Reads archives back of which nobody knows that they are whole: never read, or changed since. Those of a job that reads
/// nothing back are read where a drill or a copy has failed.
final class ReadBack: Sendable {
  private let verifies: Bool
  private let password: Secret?
  private let context: JobContext
  private let counter: ProgressCounter
  private let faults = Mutex<[String: String]>([:])

  init(_ job: Job, _ password: Secret?, _ context: JobContext, _ counter: ProgressCounter) {
    verifies = job.verifies
    self.password = password
    self.context = context
    self.counter = counter
  }

  /// Whether all of these are whole. Blocks.
  ///
  /// - Throws: what says nothing of them: `CancellationError`, a shortage of memory or open files.
  func areWhole(_ archives: [ArchiveRecord]) throws -> Bool {
    // all are read, so that everything that is damaged is named
    try archives.reduce(true) { areWhole, archive in try isWhole(archive) && areWhole }
  }

  private func isWhole(_ archive: ArchiveRecord) throws -> Bool {
    // it may be large, and many may rest on it
    if isDamaged(archive) { return false }
    guard verifies || context.cache?.isDoubted(archive) == true else { return true }
    // with another password than today's it is of no use, and no worse for that
    if archive.isLocked { return false }
    if context.cache?.verifiedAt(archive) != nil { return true }
    do {
      if let fault = try ArchiveVerification.fault(of: archive, password, counter) {
        faults.withLock { $0[archive.path] = fault }
        // so that another which can do the same is preferred to it
        context.cache?.doubt([FilePath(archive.path)])
        return false
      }
    } catch BackupError.noSuchBackup {
      // it went since it was listed, and is no worse for that
      return false
    }
    context.cache?.noteVerified([archive.path], at: context.now().milliseconds)
    return true
  }

  /// Notes what somebody else has found.
  func noteDamaged(_ path: String, _ fault: String) { faults.withLock { $0[path] = fault } }

  /// Whether an archive was found damaged: nothing may rest on it, and it stands for nothing.
  func isDamaged(_ archive: ArchiveRecord) -> Bool { faults.withLock { $0[archive.path] != nil } }

  /// The archives that were found damaged, by path.
  var damaged: Set<String> { faults.withLock { Set($0.keys) } }

  /// What was found.
  var warnings: [String] {
    faults.withLock { $0 }.sorted { $0.key < $1.key }.map { path, fault in
      "\(path) is damaged (\(fault)), and does not count; smilepile repair may help"
    }
  }
}
