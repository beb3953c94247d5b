import FileSystem
import Foundation
import SystemPackage

/// The folder in which jobs keep what they have to remember: their locks and status files.
public struct StateFolder: Sendable {
  /// Where it lies.
  public let path: FilePath

  /// A folder that is there.
  public init(path: FilePath) { self.path = path }

  /// `$STATE_DIRECTORY` as systemd gives it, else `$XDG_STATE_HOME/smilepile`, else `~/.local/state/smilepile`.
  /// systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  public static func place(environment: [String: String]) -> FilePath {
    ServiceFolders(environment).state
  }

  /// The folder at its place, made with mode 0700 if it is not there.
  ///
  /// - Throws: `FileError`.
  public init(environment: [String: String]) throws {
    path = Self.place(environment: environment)
    do {
      try FileManager.default.createDirectory(
        atPath: path.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw FileError("make the folder", path, Errno(rawValue: Self.errno(of: error)))
    }
  }

  private static func errno(of error: any Error) -> CInt {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return underlying.map { CInt($0.code) } ?? EIO
  }

  /// Takes a job's lock, so that it runs once at a time, or that of its drills.
  ///
  /// - Throws: `JobError.running`, `FileError`, or what `whileWaiting` throws.
  func lock(
    _ job: String, isDrill: Bool = false, waiting: Duration, whileWaiting: () throws -> Void
  ) throws -> FileLock {
    let folder = try Directory.open(path)
    do {
      let name = FilePath(isDrill ? "\(job).drill.lock" : "\(job).lock")
      return try FileLock(name, in: folder, waiting: waiting, whileWaiting: whileWaiting)
    } catch let busy as FileLock.Busy {
      throw JobError.running(job, isDrill: isDrill, owner: busy.owner)
    }
  }

  /// Where the status of a job lies.
  public func statusPath(of job: String) -> FilePath { path.appending("\(job).json") }

  /// What is known of a job; nothing where its file is not there or cannot be understood.
  public func status(of job: String) -> JobStatus {
    let data = try? Data(contentsOf: URL(fileURLWithPath: statusPath(of: job).string))
    let status = data.flatMap { try? JobStatus(json: $0) }
    // somebody may have put another job's there
    guard let status, status.job == job else { return JobStatus(job: job) }
    return status
  }

  /// What is known of all jobs, by name.
  public func statuses() -> [JobStatus] {
    guard let names = try? Directory.open(path).names() else { return [] }
    return names.filter { $0.extension == "json" && !$0.string.hasPrefix(".") }
      .map { status(of: $0.stem ?? "") }.filter { $0.run != nil || $0.lastDrill != nil }
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
    var status = status(of: job.name)
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
