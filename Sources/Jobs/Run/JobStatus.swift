import FileSystem
import Foundation
import SystemPackage

/// What is known of a job: its last run, the last one that was complete, and where its copies lie. The status file
/// holds it as JSON, keys in snake case, times in milliseconds since 1970.
public struct JobStatus: Sendable, Equatable, Codable {
  /// The job's name.
  public var job: String
  /// The library's folder.
  public var library = ""
  /// The last run; one that is under way has no end.
  public var run: RunRecord?
  /// The last run that was complete, one that found nothing new among them.
  public var lastSuccess: RunRecord?
  /// Runs since then that were not.
  public var failures = 0
  /// Where whole copies lie.
  public var copies: [Copy] = []
  /// When a restore was last proven.
  public var lastDrill: DrillRecord?

  /// Nothing is known yet.
  public init(job: String) { self.job = job }

  /// How a run ended.
  public enum Outcome: String, Sendable, Codable {
    /// It is under way, or was killed.
    case running
    /// Everything is in place.
    case done
    /// Nothing has changed since the last archive, which is in place.
    case unchanged
    /// Something that was asked for is absent, and named.
    case incomplete
    /// Nothing was written.
    case failed
    /// It was asked to stop.
    case interrupted

    /// The library is backed up as it is.
    public var isSuccess: Bool { self == .done || self == .unchanged }
  }

  /// One run.
  public struct RunRecord: Sendable, Equatable, Codable {
    /// How it ended.
    public var outcome = Outcome.running
    /// When it began.
    public var startedAt: Int64
    /// When it ended.
    public var finishedAt: Int64?
    /// The exit code that this run alone would have.
    public var exitCode: Int32?
    /// Why it failed, or what is absent: one line.
    public var message: String?
    /// The archives that hold the library's state, at the first destination.
    public var archives: [String] = []
    /// Photos of the library that was selected.
    public var photos = 0
    /// Their bytes.
    public var bytes = 0
    /// Bytes of the archives that were written.
    public var archiveBytes = 0
    /// What is not in the archive as it should be, each by name.
    public var missing: [String] = []
    /// What else is worth knowing.
    public var warnings: [String] = []
    /// What was done at each destination.
    public var destinations: [DestinationRecord] = []

    /// A run that begins.
    public init(startedAt: Int64) { self.startedAt = startedAt }
  }

  /// What a run did at a destination.
  public struct DestinationRecord: Sendable, Equatable, Codable {
    /// The folder.
    public var path: String
    /// The archives with the library's state that lie there now; empty if it failed.
    public var archives: [String] = []
    /// They were written by this run.
    public var isNew = false
    /// Archives that the retention took away.
    public var removed: [String] = []
    /// Why it failed.
    public var failure: String?

    /// A folder at which nothing was done yet.
    public init(path: String) { self.path = path }
  }

  /// A whole copy of the library in a state that it had.
  public struct Copy: Sendable, Equatable, Codable {
    /// The folder.
    public var path: String
    /// The newest archive in it.
    public var archive: String
    /// When that was made.
    public var madeAt: Int64
    /// When it was last read back whole.
    public var verifiedAt: Int64?
    /// It lies on the library's own device, and goes with it.
    public var isOnSameDevice: Bool
  }

  /// A restore that was tried.
  public struct DrillRecord: Sendable, Equatable, Codable {
    /// When.
    public var at: Int64
    /// Everything came back as it is in the library.
    public var isProven: Bool
    /// The archive that was restored from.
    public var archive: String
    /// Photos that were compared.
    public var photos: Int
    /// Where the report lies.
    public var report: String?

    /// Makes a record of these parts.
    public init(at: Int64, isProven: Bool, archive: String, photos: Int, report: String?) {
      self.at = at
      self.isProven = isProven
      self.archive = archive
      self.photos = photos
      self.report = report
    }
  }
}

// MARK: Files

extension JobStatus {
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }()

  /// The JSON of the status file.
  public func json() throws -> [UInt8] { [UInt8](try Self.encoder.encode(self)) + [UInt8(ascii: "\n")] }

  /// Reads a status file's JSON.
  public init(json: Data) throws { self = try Self.decoder.decode(Self.self, from: json) }
}

/// The folder in which jobs keep what they have to remember: their locks and status files.
public struct StateFolder: Sendable {
  /// Where it lies.
  public let path: FilePath

  /// A folder that is there.
  public init(path: FilePath) { self.path = path }

  /// `$STATE_DIRECTORY` as systemd gives it, else `$XDG_STATE_HOME/smilepile`, else `~/.local/state/smilepile`; made with
  /// mode 0700 if it is not there. systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  public init(environment: [String: String]) throws {
    let place: FilePath
    if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      place = FilePath(String(folder))
    } else if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
      place = FilePath(home).appending("smilepile")
    } else {
      place = FilePath(environment["HOME"] ?? "/root").appending(".local/state/smilepile")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: place.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw FileError("make the folder", place, Errno(rawValue: Self.errno(of: error)))
    }
    path = place
  }

  private static func errno(of error: any Error) -> CInt {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return underlying.map { CInt($0.code) } ?? EIO
  }

  /// Takes a job's lock, so that it runs once at a time.
  ///
  /// - Throws: `FileLock.Busy`, `FileError`, or what `whileWaiting` throws.
  func lock(_ job: String, waiting: Duration, whileWaiting: () throws -> Void) throws -> FileLock {
    let folder = try Directory.open(path)
    return try FileLock(FilePath("\(job).lock"), in: folder, waiting: waiting, whileWaiting: whileWaiting)
  }

  /// Where the status of a job lies.
  public func statusPath(of job: String) -> FilePath { path.appending("\(job).json") }

  /// What is known of a job; nothing where its file is not there or cannot be understood.
  public func status(of job: String) -> JobStatus {
    let data = try? Data(contentsOf: URL(fileURLWithPath: statusPath(of: job).string))
    return data.flatMap { try? JobStatus(json: $0) } ?? JobStatus(job: job)
  }

  /// Replaces a job's status file. Blocks.
  func save(_ status: JobStatus) throws {
    try ReplacedFile.write(try status.json(), as: FilePath("\(status.job).json"), in: path)
  }
}
