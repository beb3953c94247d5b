import FileSystem
import Foundation
import SystemPackage

/// The folder in which jobs keep what they have to remember: their locks and status files.
public struct StateFolder: Sendable {
  /// Where it lies.
  public let path: FilePath

  /// A folder, which is made with the first lock if it is not there.
  public init(path: FilePath) { self.path = path }

  /// The folder at `$STATE_DIRECTORY` as systemd gives it, else `$XDG_STATE_HOME/smilepile`, else
  /// `~/.local/state/smilepile`. systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  public init(environment: [String: String]) { path = ServiceFolders(environment).state }

  /// Makes a folder and those above it, with mode 0700.
  private static func make(_ path: FilePath) throws(FileError) {
    do {
      _ = try Directory.open(path)
    } catch {
      guard error.isAbsence, let name = path.lastComponent else { throw error }
      try make(path.folder)
      // another may have made it meanwhile
      _ = try Directory.open(path.folder).makeDirectory(FilePath(name.string))
    }
  }

  /// Takes a job's lock, so that it runs once at a time, or that of its drills. Makes the folder if it is not there.
  ///
  /// - Throws: `JobError.running`, `FileError`, or what `whileWaiting` throws.
  func lock(
    _ job: String, isDrill: Bool = false, waiting: Duration, whileWaiting: () throws -> Void
  ) throws -> FileLock {
    try Self.make(path)
    let folder = try Directory.open(path)
    do {
      let name = FilePath(isDrill ? "\(job).drill.lock" : "\(job).lock")
      return try FileLock(name, in: folder, waiting: waiting, whileWaiting: whileWaiting)
    } catch let busy as FileLock.Busy {
      throw JobError.running(job, isDrill: isDrill, busy)
    }
  }

  /// Where the status of a job lies.
  public func statusPath(of job: String) -> FilePath { path.appending("\(job).json") }

  /// What is known of a job; nothing where its file is not there or cannot be understood. Blocks.
  public func status(of job: String) -> JobStatus { (try? read(job)) ?? JobStatus(job: job) }

  /// What is known of a job; where its file is not there or cannot be understood, what others were told last. Blocks.
  func status(of job: Job) -> JobStatus {
    (try? read(job.name)) ?? told(of: job) ?? JobStatus(job: job.name)
  }

  private func told(of job: Job) -> JobStatus? {
    guard let file = job.statusFile, let data = try? Data(contentsOf: URL(fileURLWithPath: file.string)),
      let told = try? JobStatus(json: data), told.job == job.name
    else { return nil }
    return told
  }

  /// Why what is known of a job cannot be read; nil if it can, or nothing is known.
  public func fault(of job: String) -> String? {
    do {
      _ = try read(job)
      return nil
    } catch let error as FileError {
      return "\(error)"
    } catch {
      return "\(statusPath(of: job)) is no status that can be understood".escaped
    }
  }

  /// What is known of all jobs, by name, and why something of that cannot be told.
  public func statuses() -> (known: [JobStatus], faults: [String]) {
    let names: [FilePath]
    do {
      names = try Directory.open(path).names()
    } catch {
      return ([], error.isAbsence && !Self.isSomethingThere(path) ? [] : ["\(error)"])
    }
    let jobs = names.filter { $0.extension == "json" && !$0.string.hasPrefix(".") }.compactMap(\.stem)
    let known = jobs.map(status).filter { $0.run != nil || $0.lastDrill != nil }
    return (known, jobs.compactMap(fault))
  }

  /// Whether a path has a name that stands for something, be it a link that leads nowhere, as to a disk that is away.
  private static func isSomethingThere(_ path: FilePath) -> Bool {
    guard let name = path.lastComponent else { return false }
    do {
      return try Directory.open(path.folder).status(of: FilePath(name.string)) != nil
    } catch {
      return isSomethingThere(path.folder)
    }
  }

  /// - Returns: nil where nothing is known, and where somebody has put another job's status.
  private func read(_ job: String) throws -> JobStatus? {
    let file: File
    do {
      file = try File.open(statusPath(of: job), .readFollowingLinks)
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
    let status = try JobStatus(json: Data(file.read(file.status().size, at: 0)))
    return status.job == job ? status : nil
  }

  /// Changes what is known of a job, in its status file and in those that its job file names for others. A backup and a
  /// drill of one job may be under way at once: each changes what is its own, and they take turns. Blocks.
  ///
  /// - Parameter change: gets what the file says by then.
  /// - Returns: why files could not be written.
  func update(_ job: Job, _ change: (inout JobStatus) -> Void) -> [any Error] {
    // without the lock, as on a folder that cannot be read, what can be written is
    let lock = try? FolderLock(path, exclusive: true, waiting: .seconds(30))
    defer { withExtendedLifetime(lock) {} }
    var status = status(of: job)
    change(&status)
    var errors: [any Error] = []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { errors.append(error) }
    }
    attempt { try ReplacedFile.write(try status.json(), as: FilePath("\(job.name).json"), in: path) }
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
