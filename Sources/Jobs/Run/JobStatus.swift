import FileSystem
import Foundation
import SystemPackage

/// What is known of a job: its last run, the last one that was complete, and where its copies lie. The status file
/// holds it as JSON, keys in snake case, times in milliseconds since 1970.
public struct JobStatus: Sendable, Equatable, Codable {
  /// The job's name.
  public var job: String
  /// The folder of the library that was last backed up, before that of the one that is to be.
  public var library = ""
  /// That library's number; nil where that is not known.
  public var libraryNumber: String?
  /// The last run; one that is under way has no end.
  public var run: RunRecord?
  /// The last run that was complete, one that found nothing new among them.
  public var lastSuccess: RunRecord?
  /// Runs since then that were not, those that could not begin among them.
  public var failures = 0
  /// Where whole copies lie.
  public var copies: [Copy] = []
  /// The last restore that was tried.
  public var lastDrill: DrillRecord?
  /// When a restore was last proven.
  public var lastProvenAt: Int64?

  /// Nothing is known yet.
  public init(job: String) { self.job = job }

  /// A library was backed up, and something is known of that.
  private var isOfSomething: Bool { libraryNumber != nil || lastSuccess != nil || !copies.isEmpty }

  /// Whether what is known is of this library: that of its number, wherever it lies, or, where one of the two has none,
  /// that in its folder, by whatever name. Where nothing was backed up it is of any. Blocks.
  public func isOf(library path: FilePath, number: String?) -> Bool {
    if let libraryNumber, let number { return libraryNumber == number }
    return !isOfSomething || isIn(folder: path)
  }

  /// Notes which library is to be backed up, as long as none was.
  mutating func expect(library path: FilePath) {
    if !isOfSomething { library = path.string }
  }

  /// Whether the library that it is of lay in a folder. Blocks.
  public func isIn(folder: FilePath) -> Bool { FilePath(library).isSamePlace(as: folder) }

  /// Notes which library was backed up. What is known of another one, its copies and proofs, goes. Blocks.
  mutating func note(library path: FilePath, number: String?) {
    if !isOf(library: path, number: number) {
      (libraryNumber, lastSuccess, copies, lastDrill, lastProvenAt) = (nil, nil, [], nil, nil)
    }
    library = path.string
    libraryNumber = number ?? libraryNumber
  }

  /// How a run ended.
  public enum Outcome: String, Sendable, Codable, CaseIterable {
    /// It is under way, or was killed.
    case running
    /// Everything is in place.
    case done
    /// Nothing has changed since the last archive, which is in place.
    case unchanged
    /// Something that was asked for is absent, and named.
    case incomplete
    /// It did not get to its end, and the library is not backed up as it is; a set of archives may have been begun, which
    /// the message names then.
    case failed
    /// It was asked to stop; the archives that have their names by then are whole.
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
    /// The archives that hold the library's state, at the first destination that has any.
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
    /// What restoring takes besides: the other parts of its set, or what it rests on.
    public var others: [String]?
    /// When that was made.
    public var madeAt: Int64
    /// When it was last read back whole.
    public var verifiedAt: Int64?
    /// A drill could not restore it, or a run found it damaged, and it was not read back whole since.
    public var isDoubted: Bool?
    /// When that was; not known of what an earlier version has noted.
    public var doubtedAt: Int64?
    /// Its archives were not there when the last run or drill ended: they, or their folder, are gone, or the disk is not
    /// mounted.
    public var isOutOfReach: Bool?
    /// It lies on the library's own device, or in memory, and goes with it.
    public var isOnSameDevice: Bool
    /// It holds a selection, and is no copy of the whole library.
    public var isSelection: Bool?
    /// Photos of its library that it has not, or not as they should be; left out if there are none.
    public var lacking: Int?
    /// Its files as they were then; not known of what an earlier version has noted.
    public var files: [CopiedFile]?

    /// What restoring takes, by path.
    public var archives: [String] { [archive] + (others ?? []) }

    /// Whether it can be restored, as far as one can tell without reading it: its archives are there, and nobody has
    /// changed them, or found anything wrong with them. Blocks.
    public var isThere: Bool {
      guard isDoubted != true, isOutOfReach != true else { return false }
      return archives.allSatisfy { path in
        guard let now = CopiedFile(at: path) else { return false }
        return files?.first { $0.path == path }?.isAs(now) ?? true
      }
    }

    /// Notes that all its archives were read back whole, which ends a doubt that is older.
    public mutating func note(verifiedAt moment: Int64) {
      verifiedAt = max(moment, verifiedAt ?? .min)
      if let doubtedAt, doubtedAt < moment { (isDoubted, self.doubtedAt) = (nil, nil) }
    }

    /// Notes whether its archives are there. Blocks.
    mutating func noteReach() {
      isOutOfReach = archives.allSatisfy(FileManager.default.fileExists) ? nil : true
    }

    /// Notes that something was found wrong with it.
    mutating func doubt(since moment: Int64) {
      (isDoubted, doubtedAt, verifiedAt) = (true, moment, nil)
    }

    /// Notes that nothing is, and that it can be reached.
    mutating func trust() {
      (isDoubted, doubtedAt, isOutOfReach) = (nil, nil, nil)
      files = archives.compactMap { CopiedFile(at: $0) }
    }
  }

  /// An archive of a copy, by what changes with its bytes.
  public struct CopiedFile: Sendable, Equatable, Codable {
    /// Where it lies.
    public var path: String
    /// Its length.
    public var bytes: Int
    /// Its date.
    public var modifiedAt: Int64

    /// Makes a value of these parts.
    public init(path: String, bytes: Int, modifiedAt: Int64) {
      (self.path, self.bytes, self.modifiedAt) = (path, bytes, modifiedAt)
    }

    /// Whether a file is still as it was. FAT keeps local time in steps of two seconds: where the clock's zone was changed
    /// its dates are other ones, by whole quarters of an hour.
    func isAs(_ other: CopiedFile) -> Bool {
      let seconds = abs(Double(modifiedAt) - Double(other.modifiedAt)) / 1000
      let rest = abs(seconds - (seconds / 900).rounded() * 900)
      return bytes == other.bytes && seconds < 27 * 3600 && rest <= 2
    }

    /// A file as it is now; nil if it is not there, or cannot be looked at. Blocks.
    init?(at path: String) {
      guard let status = try? File.open(FilePath(path), .readFollowingLinks).status() else { return nil }
      self.init(path: path, bytes: status.size, modifiedAt: status.modified)
    }
  }

  /// A restore that was tried.
  public struct DrillRecord: Sendable, Equatable, Codable {
    /// When.
    public var at: Int64
    /// Everything came back as it is in the library.
    public var isProven: Bool
    /// The archive that was restored from, of several the one that failed, or that is gone; the folder where there is none.
    public var archive: String
    /// Photos that came back.
    public var photos: Int
    /// How many drills there have been, by which the sample rotates.
    public var round: Int
    /// Where the report lies.
    public var report: String?

    /// Makes a record of these parts.
    public init(at: Int64, isProven: Bool, archive: String, photos: Int, round: Int, report: String?) {
      self.at = at
      self.isProven = isProven
      self.archive = archive
      self.photos = photos
      self.round = round
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
