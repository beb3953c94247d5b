import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import GRDB
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// A library, a job with two destinations, and a clock that a test sets.
struct Night {
  let scratch = ScratchFolder()
  let library: SampleLibrary
  var job: Job
  var context: JobEnvironment

  /// - Parameters:
  ///   - lines: further keys of the job, as lines of YAML.
  ///   - destinations: the names of the folders to which the job exports.
  init(_ lines: String..., destinations: [String] = ["one", "two"]) throws {
    try self.init(lines: lines, destinations: destinations)
  }

  private init(lines: [String], destinations: [String]) throws {
    library = try SampleLibrary(
      (1...6).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 9000)) },
      categories: [.sample(1, "family")])
    for name in ["one", "two", "state"] { try scratch.makeFolder(name) }
    let text = """
      jobs:
        family:
          library: \(library.path)
          destinations: [\(destinations.joined(separator: ", "))]
          status-file: status.json
          prometheus-file: family.prom

      """
    let more = lines.map { "    \($0)\n" }.joined()
    let file = try JobFile(text: text + more, path: scratch.path.appending("jobs.yaml"), home: nil)
    job = try #require(file.jobs.first)
    context = JobEnvironment(
      state: StateFolder(path: scratch.path.appending("state")), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
    self.on(day: 1)
  }

  /// Makes a night whose job has run once.
  static func afterBackup(_ lines: String..., destinations: [String] = ["one", "two"]) async throws -> Night {
    let night = try Night(lines: lines, destinations: destinations)
    _ = try await night.backup()
    return night
  }

  /// Records that an archive was found corrupt.
  func markSuspect(_ path: String) {
    let files = [ArchiveFile(at: FilePath(path))].compactMap { $0 }.map {
      (file: $0, archiveID: nil as String?)
    }
    context.ledger.observer(named: "test", now: context.now).record(
      .foundDamaged(reason: "a test says so"), of: files)
  }

  /// Records that an archive was verified.
  func markVerified(_ path: String) {
    let files = [ArchiveFile(at: FilePath(path))].compactMap { $0 }.map {
      (file: $0, archiveID: nil as String?)
    }
    context.ledger.observer(named: "test", now: context.now).record(.verified, of: files)
  }

  func health(_ path: String) -> ArchiveHealth {
    ArchiveFile(at: FilePath(path)).map(context.ledger.health) ?? .unverified
  }

  mutating func on(day: Int) {
    context.now = { Date(timeIntervalSince1970: 1_767_232_800 + Double(day) * 86400) }
  }

  func folder(_ name: String) -> FilePath { scratch.path.appending(name) }

  func archives(_ name: String) throws -> [ArchiveDescriptor] {
    try ArchiveInventory(folder: folder(name)).archives
  }

  func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder(name).string).sorted()
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  func move(_ name: String, to newName: String) throws {
    try FileManager.default.moveItem(atPath: folder(name).string, toPath: folder(newName).string)
  }

  /// Changes one byte of a file; an offset behind its end extends the file. The default offset is inside the first photo
  /// of an archive.
  ///
  /// - Parameter keepsDate: restores the modification date, so that only reading reveals the change (bit rot).
  func damage(_ path: String, at offset: Int = 3000, keepsDate: Bool = false) throws {
    var times = stat()
    try #require(stat(path, &times) == 0)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    let byte = try file.read(upToCount: 1)?.first ?? 0
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: [~byte])
    try file.close()
    guard keepsDate else { return }
    try #require(utimensat(AT_FDCWD, path, [times.st_atim, times.st_mtim], 0) == 0)
    try forgetChange(of: path, since: times)
  }

  /// Makes the ledger take the status change time of a file for that of an earlier status, since a disk that decays does not
  /// change that time.
  private func forgetChange(of path: String, since before: stat) throws {
    let database = scratch.path.appending("state/ledger.sqlite").string
    guard FileManager.default.fileExists(atPath: database), let file = ArchiveFile(at: FilePath(path)) else {
      return
    }
    let now = file.changedAt.rawValue
    let old = Int64(before.st_ctim.tv_sec) * 1000 + Int64(before.st_ctim.tv_nsec) / 1_000_000
    try DatabaseQueue(path: database).write { database in
      for table in ["observation", "descriptor"] {
        try database.execute(
          sql: "UPDATE \(table) SET changedAt = ? WHERE location = ? AND changedAt = ?",
          arguments: [now, file.location, old])
      }
      for (table, column) in [("copy", "record"), ("run", "record")] {
        try database.execute(
          sql: """
            UPDATE \(table) SET \(column) =
              CAST(replace(CAST(\(column) AS TEXT), '"changedAt":\(old)', '"changedAt":\(now)') AS BLOB)
            """)
      }
    }
  }

  /// Adds a photo of `id` bytes, so that the content fingerprint of the library changes.
  func changeLibrary(id: Int64) throws {
    try library.change(adding: [
      .init(id: id, fileName: "\(id).jpg", bytes: [UInt8](repeating: 9, count: Int(id)))
    ])
  }

  /// Exports the library as a set of three parts into a folder, with the options of the job.
  func exportSet(to name: String) async throws -> [FilePath] {
    var limits = PhoneLimits()
    limits.uncompressedBytes = 25_000
    var options = job.exportOptions
    options.phoneLimits = limits
    options.date = context.now()
    let paths = try await Work.export(library.path, to: folder(name), options: options).summary.archives
    try #require(paths.count == 3)
    return paths
  }

  func backup() async throws -> JobStatus.RunRecord { try await Work.backup(job, context).summary.run }

  /// Runs the job on another day.
  mutating func backup(day: Int) async throws -> JobStatus.RunRecord {
    on(day: day)
    return try await backup()
  }

  /// Runs the job, and cancels the run at the first system call of a kind below a folder.
  func backupCancelled(at call: SystemCall, below folder: FilePath) async throws -> JobStatus.RunRecord {
    let run = try await Self.cancelled(at: call, below: folder) { Work.backup(job, context) }.run
    #expect(run.outcome == .interrupted)
    return run
  }

  /// Starts work, and cancels it at the first system call of a kind below a folder. Returns the summary.
  static func cancelled<Summary: Sendable>(
    at call: SystemCall, below folder: FilePath, _ start: () -> Work<Summary>
  ) async throws -> Summary {
    let work = Mutex<Work<Summary>?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    let fault = ArmedFault(
      .then {
        isStarted.wait()
        work.withLock { $0?.cancel() }
      }, of: [call], below: folder)
    defer {
      fault.disarm()
      #expect(fault.place != nil)
    }
    let started = start()
    work.withLock { $0 = started }
    isStarted.signal()
    return try await started.summary
  }

  /// Runs a restore test of the job.
  func drill(sample: Int? = nil) async throws -> JobReport { try await drill(job, sample: sample) }

  /// Runs a restore test of another job, in a scratch folder or a given one.
  func drill(_ job: Job, sample: Int? = 100, in folder: FilePath? = nil) async throws -> JobReport {
    var options = RestoreTestOptions()
    options.sample = sample
    options.scratch = try folder ?? scratch.makeFolder("scratch")
    return try await Work.restoreTest(job, context, options: options).summary
  }

  /// Makes a named pipe that synchronizes a hook with a test: opening one end blocks until the other is opened.
  func pipe(_ name: String) throws -> String {
    let path = folder(name).string
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// Waits until a hook has written to a pipe.
  func hear(_ pipe: String) async {
    await onNewThread { _ = try? FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd() }
  }

  /// Writes a line to a pipe, so that the hook that reads from the pipe continues.
  func answer(_ pipe: String) async {
    await onNewThread {
      try? FileHandle(forWritingTo: URL(fileURLWithPath: pipe)).write(contentsOf: Data("\n".utf8))
    }
  }

  /// Runs a body on a new thread. Blocking a thread of the shared pool would keep other tests from running.
  private func onNewThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  /// Returns the status of the job, whose runs the status file must show.
  func statusFile() throws -> JobStatus {
    let status = context.state.status(of: "family")
    let written = try StatusFile(folder("status.json"))
    #expect(written.run == status.run)
    #expect(written.lastSuccess == status.lastSuccess)
    return status
  }

  func prometheus() throws -> String {
    try String(contentsOfFile: folder("family.prom").string, encoding: .utf8)
  }
}

/// A status file, as another program reads it.
struct StatusFile: Decodable {
  struct Copy: Decodable {
    let path: String
  }

  let run: JobStatus.RunRecord?
  let lastSuccess: JobStatus.RunRecord?
  let copies: [Copy]

  init(_ path: FilePath) throws {
    self = try JSONDecoder.ofStatusFiles.decode(
      Self.self, from: Data(contentsOf: URL(fileURLWithPath: path.string)))
  }
}

extension JobReport {
  /// The results of a restore test at each destination; empty if it has none.
  var results: [RestoreTestResult] { test?.results ?? [] }
  var hasPassed: Bool { test?.hasPassed == true }
  var exitCode: Int32? { run.exitCode }
}

extension RetentionPolicy {
  /// Keeps a number of the newest archives.
  init(last: Int) {
    self.init()
    self.last = last
  }
}

extension LedgerRun {
  /// Makes the row of a backup.
  init(_ run: JobStatus.RunRecord, of job: String, library: FilePath) {
    self.init(
      .backup, job: job, libraryPath: library, startedAt: run.startedAt,
      outcome: run.outcome, record: JobStatus.encoded(BackupDetails(run: run)))
  }
}
