import ArchiveCatalog
import FileSystem
import SystemPackage

/// The folder in which jobs keep their locks and their ledger, and publish their status files.
package struct StateFolder: Sendable {
  /// The path of the folder.
  package let path: FilePath
  /// The observations of this machine. The first use opens the database.
  package let ledger: Ledger

  /// Makes a value. The first lock or the first use of the ledger creates a missing folder.
  package init(path: FilePath) {
    self.path = path
    ledger = Ledger(folder: path)
  }

  /// Uses the folder at `$STATE_DIRECTORY` of systemd, else `$XDG_STATE_HOME/smilepile`, else
  /// `~/.local/state/smilepile`. systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  package init(environment: [String: String]) { self.init(path: ServiceFolders(environment).state) }

  /// Takes the lock of a job or of its restore tests, so that only one run at a time is active. Creates a
  /// missing folder.
  ///
  /// - Throws: `JobError.running`, `FileError`, `OwnershipError` if other users can change the folder, or what
  ///   `whileWaiting` throws.
  func lock(
    _ job: String, isRestoreTest: Bool = false, waiting: Duration, whileWaiting: () throws -> Void
  ) throws -> FileLock {
    try Directory.makeAll(path)
    let folder = try openFolder()
    do {
      let name = FilePath(isRestoreTest ? "\(job).drill.lock" : "\(job).lock")
      return try FileLock(name, in: folder, waiting: waiting, whileWaiting: whileWaiting)
    } catch let busy as FileLock.Busy {
      throw JobError.running(job, isRestoreTest: isRestoreTest, busy)
    }
  }

  /// Takes the lock of all inboxes of this user, since several jobs may share an inbox. Creates a missing folder.
  ///
  /// - Throws: `FileLock.Busy`, `FileError`, `OwnershipError` if other users can change the folder, or what `whileWaiting`
  ///   throws.
  func lockInboxes(waiting: Duration, whileWaiting: () throws -> Void) throws -> FileLock {
    try Directory.makeAll(path)
    // no job has a dot in its name
    return try FileLock("all.inbox.lock", in: openFolder(), waiting: waiting, whileWaiting: whileWaiting)
  }

  func openFolder() throws -> Directory {
    let folder = try Directory.open(path)
    try Ownership.require(folder)
    return folder
  }

  /// Returns why jobs cannot use the folder: other users can change it. Returns nil if it is missing. Blocks; reads only.
  package func problem() -> String? {
    do {
      _ = try openFolder()
      return nil
    } catch let error as FileError where error.isMissing {
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: Status

  /// Returns the path of a job's status file, which is written after each change and never read.
  func statusPath(of job: String) -> FilePath { path.appending("\(job).json") }

  /// Derives the status of a job from the ledger. Blocks.
  package func status(of job: String) -> JobStatus { JobStatus(job: job, ledger: ledger) }

  /// Derives the status of every job that has run on this machine, sorted by name. Blocks.
  package func statuses() -> [JobStatus] {
    ledger.jobs().map(status).filter { $0.run != nil || $0.lastRestoreTest != nil }
  }
}
