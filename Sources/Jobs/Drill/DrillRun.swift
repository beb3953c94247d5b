import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// How a restore is tried.
public struct DrillOptions: Sendable {
  /// So many photos of each archive, other ones each time; nil for all.
  public var sample: Int? = 100
  /// The folder in which the scratch library is made; it needs room for the sample.
  public var scratch: FilePath = "/var/tmp"

  /// The defaults.
  public init() {}
}

/// What a drill found at one destination.
public struct DrillResult: Sendable {
  /// The folder.
  public var destination: FilePath
  /// The archive that was restored from; nil if there was none to restore from.
  public var archive: String?
  /// Photos that came back as they are in the library, byte for byte.
  public var proven = 0
  /// Photos that came back whole, and that the library no longer has.
  public var gone = 0
  /// Photos whose images this program knows by their headers.
  public var images = 0
  /// What did not come back as it should.
  public var failures: [Finding] = []
  /// What is worth knowing and no failure.
  public var notes: [String] = []

  /// Everything that was tried came back.
  public var isProven: Bool { failures.isEmpty && archive != nil }
}

/// What a drill came to.
public struct DrillReport: Sendable {
  /// By destination, as in the job file.
  public var results: [DrillResult] = []
  /// Where the report lies; nil if it could not be written.
  public var path: FilePath?
  /// Every destination restores.
  public var isProven: Bool { !results.isEmpty && results.allSatisfy(\.isProven) }
}

extension Work where Summary == DrillReport {
  /// Starts a drill: restores from the newest archive at each destination of a job into a scratch library, compares
  /// what came back with the live one byte for byte, reads each image's header, and writes a dated report into the
  /// state folder. The live library is only read; the scratch library is removed.
  ///
  /// The summary throws `JobError.running` if a drill of the job is under way, `LibraryError` or `FileError`.
  public static func drill(_ job: Job, _ context: JobContext, options: DrillOptions = DrillOptions()) -> Self
  {
    Work { counter in try DrillRun(job, context, options, counter).run() }
  }
}

/// One drill of a job.
struct DrillRun {
  private let job: Job
  private let path: FilePath
  private let context: JobContext
  private let options: DrillOptions
  private let counter: ProgressCounter

  init(_ job: Job, _ context: JobContext, _ options: DrillOptions, _ counter: ProgressCounter)
    throws(JobError)
  {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    path = library
    self.context = context
    self.options = options
    self.counter = counter
  }

  func run() throws -> DrillReport {
    let lock = try context.state.lock(
      job.name, isDrill: true, waiting: .zero, whileWaiting: counter.checkCancellation)
    let live = try Library(path: path)
    let password = try job.password.map(context.password)
    let last = context.state.status(of: job.name).lastDrill
    var report = DrillReport()
    for destination in job.destinations {
      try counter.checkCancellation()
      var result = DrillResult(destination: destination.path)
      do {
        try destination.check()
        try drill(destination.path, live, password, round: last?.round ?? 0, &result)
      } catch let error as CancellationError {
        throw error
      } catch {
        result.failures.append(Finding(destination.path.string, message: "\(error)"))
      }
      report.results.append(result)
    }
    report.path = write(report)
    try note(report, round: (last?.round ?? 0) + 1)
    lock.release()
    return report
  }

  private func drill(
    _ folder: FilePath, _ live: Library, _ password: Secret?, round: Int, _ result: inout DrillResult
  ) throws {
    let catalog = try Catalog(
      folder: folder, password: password, cache: context.cache, whileReading: counter.checkCancellation)
    let own = catalog.archives.filter { $0.tags.contains(job.name) && !$0.isLocked }
    guard let newest = own.last else {
      result.failures.append(Finding(folder.string, message: "\(folder) has no archive of job “\(job.name)”"))
      return
    }
    result.archive = newest.path
    let parts = newest.part.map { part in own.filter { $0.part?.set == part.set } } ?? [newest]
    let scratch = try ScratchLibrary(in: options.scratch, of: job.name)
    var restored: [Finding] = []
    for part in parts {
      var options = ImportOptions()
      options.password = password
      options.syncs = false
      options.photoIDs = try sample(of: part, password, share: parts.count, round: round)
      let summary = try ImportRun(library: scratch.path, options: options, counter: counter).run([
        FilePath(part.path)
      ])
      restored += summary.errors
      result.notes += summary.warnings
    }
    result.failures += restored
    try DrillComparison(
      scratch: Library(path: scratch.path), live: live, isCurrent: try isCurrent(newest, folder),
      counter: counter
    ).run(&result)
  }

  /// Which photos are restored this time: the next ones after those of the round before, all of them in turn.
  private func sample(
    of archive: ArchiveRecord, _ password: Secret?, share: Int, round: Int
  ) throws -> Set<Int64>? {
    guard let wanted = options.sample.map({ max(1, $0 / share) }) else { return nil }
    let source = try BackupSource(path: FilePath(archive.path), password: password)
    let ids = source.photos.map(\.record.id).sorted()
    guard ids.count > wanted else { return nil }
    let start = round * wanted % ids.count
    return Set((start..<start + wanted).map { ids[$0 % ids.count] })
  }

  /// Whether the library is still as it was when an archive was made of it.
  private func isCurrent(_ archive: ArchiveRecord, _ folder: FilePath) throws -> Bool {
    guard let state = archive.state else { return false }
    var options = job.exportOptions
    options.isDryRun = true
    options.password = try job.password.map(context.password)
    return try ExportRun(libraryPath: path, destination: folder, options: options, counter: counter).run()
      .state
      == state
  }

  // MARK: The report

  private func write(_ report: DrillReport) -> FilePath? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyyMMdd_HHmmss"
    let name = FilePath("\(job.name)_\(format.string(from: context.now())).txt")
    let folder = context.state.path.appending("drills")
    do {
      _ = try Directory.open(context.state.path).makeDirectory("drills")
      try ReplacedFile.write([UInt8](text(report).utf8), as: name, in: folder)
      return folder.appending(name.components)
    } catch {
      return nil
    }
  }

  private func text(_ report: DrillReport) -> String {
    var lines = [
      "Drill of job \(job.name), \(context.now().formatted(.iso8601))", "library \(path)", "",
    ]
    for result in report.results {
      lines.append("\(result.destination): \(result.isProven ? "restores" : "DOES NOT RESTORE")")
      if let archive = result.archive { lines.append("  from \(archive)") }
      lines.append("  \(result.proven) photos came back byte for byte, \(result.images) of them known images")
      if result.gone > 0 { lines.append("  \(result.gone) came back that the library no longer has") }
      lines += result.failures.map { "  error: \($0.message)" }
      lines += result.notes.map { "  note: \($0)" }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  private func note(_ report: DrillReport, round: Int) throws {
    // a backup that is just ending writes the same file; both are short
    var status = context.state.status(of: job.name)
    status.library = path.string
    status.lastDrill = JobStatus.DrillRecord(
      at: context.now().milliseconds, isProven: report.isProven,
      archive: report.results.compactMap(\.archive).first ?? "",
      photos: report.results.reduce(0) { $0 + $1.proven }, round: round, report: report.path?.string)
    try context.state.save(status)
  }
}
