import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// The folder in which jobs keep their locks and their ledger, and publish their status files.
package struct StateFolder: Sendable {
  /// Where it is.
  package let path: FilePath
  /// What this machine has observed. The database is opened with the first use.
  package let ledger: Ledger

  /// A folder, which is made with the first lock or the ledger if it is missing.
  package init(path: FilePath) {
    self.path = path
    ledger = Ledger(folder: path)
  }

  /// The folder at `$STATE_DIRECTORY` as systemd gives it, else `$XDG_STATE_HOME/smilepile`, else
  /// `~/.local/state/smilepile`. systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  package init(environment: [String: String]) { self.init(path: ServiceFolders(environment).state) }

  /// Takes a job's lock, so that it runs once at a time, or that of its restore tests. Makes the folder if it is missing.
  ///
  /// - Throws: `JobError.running`, `FileError`, or what `whileWaiting` throws.
  func lock(
    _ job: String, isRestoreTest: Bool = false, waiting: Duration, whileWaiting: () throws -> Void
  ) throws -> FileLock {
    try Directory.makeAll(path)
    let folder = try Directory.open(path)
    do {
      let name = FilePath(isRestoreTest ? "\(job).drill.lock" : "\(job).lock")
      return try FileLock(name, in: folder, waiting: waiting, whileWaiting: whileWaiting)
    } catch let busy as FileLock.Busy {
      throw JobError.running(job, isRestoreTest: isRestoreTest, busy)
    }
  }

  // MARK: Status

  /// The status file of a job, which is written after each change and never read.
  package func statusPath(of job: String) -> FilePath { path.appending("\(job).json") }

  /// Derives the status of a job from the ledger. Blocks.
  package func status(of job: String) -> JobStatus { JobStatus(job: job, ledger: ledger) }

  /// Derives the status of every job that has run on this machine, by name. Blocks.
  package func statuses() -> [JobStatus] {
    ledger.jobs().map(status).filter { $0.run != nil || $0.lastRestoreTest != nil }
  }

  /// Writes the status of a job into its status file, and into those that its job file names. A backup and a restore test
  /// of one job may be under way at once, and take turns. Blocks.
  ///
  /// - Returns: why files could not be written.
  func publishStatus(of job: Job) -> [any Error] {
    // without the lock, as on a folder that cannot be read, what can be written is
    let lock = try? FolderLock(path, exclusive: true, waiting: .seconds(30))
    defer { withExtendedLifetime(lock) {} }
    let status = status(of: job.name)
    var errors: [any Error] = []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { errors.append(error) }
    }
    attempt { try AtomicFile.replace(FilePath("\(job.name).json"), in: path, with: try status.json()) }
    if let file = job.statusFile {
      attempt { try WatchedFile.status.replace(file, with: status.json(), outside: path) }
    }
    if let file = job.prometheusFile {
      attempt {
        let text = PrometheusText(status).text
        try WatchedFile.metrics.replace(file, with: [UInt8](text.utf8), outside: path)
      }
    }
    return errors
  }
}
