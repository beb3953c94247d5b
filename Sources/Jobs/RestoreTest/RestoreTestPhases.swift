import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// The phases of a restore test, between its hooks: tests the destinations one after the other, and writes the report.
struct RestoreTestPhases: RunPart, RunPhases {
  let input: RunInput
  let options: RestoreTestOptions

  /// Runs the phases. Blocks.
  ///
  /// - Throws: the error that stopped the test before any failed restore; `CancellationError`.
  func run(_ results: inout PhaseResults, after previous: JobStatus) throws {
    let live = try Library(path: library)
    results.libraryID = try live.libraryID()
    if results.isOfJob, !previous.isOf(library: library, id: results.libraryID) {
      results.isOfJob = false
      results.report([
        .incomplete(
          .library,
          "the last backup of the job was of another library than \(library), so this test does not count for the job; "
            + "run a backup")
      ])
    }
    let status = results.isOfJob ? previous : nil
    var report = RestoreTestReport()
    var interruption: (any Error)?
    do {
      try testDestinations(live, results.libraryID, status, &report)
    } catch  where report.hasFailedRestore {
      let isStopped = error.cause == .cancelled
      let reason = isStopped ? "the test was interrupted" : JobMessage.text(of: error)
      results.report([.warning(.run, "not every destination was tested: \(reason)")])
      interruption = isStopped ? error : nil
    }
    do {
      report.path = try write(report, results.issues.map(\.message))
    } catch {
      results.report([.incomplete(.run, "the report cannot be written: \(error)")])
    }
    let details = details(of: report, after: status?.lastRestoreTest)
    report.details = details
    (results.test, results.selected.photos) = (report, details.test.photos)
    if let status {
      results.destinations = zip(job.destinations, report.results).map { destination, result in
        var state = DestinationState(destination)
        state.copy = copy(after: result, at: destination, status)
        return state
      }
    }
    if let interruption { throw interruption }
  }

  /// Tests the destinations.
  ///
  /// - Parameters:
  ///   - status: the status of the job; nil for another library than the one that was last backed up.
  ///   - report: receives the results.
  /// - Throws: the error that stopped the test and says nothing about archives.
  private func testDestinations(
    _ live: Library, _ libraryID: String?, _ status: JobStatus?, _ report: inout RestoreTestReport
  ) throws {
    let password = try job.password.map(environment.password)
    for (destination, share) in zip(job.destinations, counter.parts(job.destinations.count)) {
      counter.begin(share)
      let copy = status?.copies.first { $0.path == destination.path.string }
      try DestinationTest(
        input: input, destination: destination, live: live, password: password, copy: copy,
        last: status?.lastRestoreTest, options: options
      ).run { result in
        observe(result, copy: copy)
        if let libraryID {
          observer.record(PhotoFindings(damaged: result.comparison.damagedInLibrary), ofLibrary: libraryID)
        }
        report.results.append(result)
      }
    }
  }

  /// Writes the report into the folder `drills` of the state folder, and returns its path.
  private func write(_ report: RestoreTestReport, _ warnings: [String]) throws -> FilePath {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyyMMdd_HHmmss"
    let stem = "\(job.name)_\(format.string(from: now))"
    let folder = environment.state.path.appending("drills")
    _ = try Directory.open(environment.state.path).makeDirectory("drills")
    // two reports in the same second have different names
    let reports = try Directory.open(folder)
    let names = (1...100).lazy.map { FilePath($0 == 1 ? "\(stem).txt" : "\(stem)_\($0).txt") }
    let name = try names.first { try reports.status(of: $0) == nil } ?? FilePath("\(stem).txt")
    let text = report.text(of: job, library: library, at: now, warnings: warnings)
    try AtomicFile.replace(name, in: folder, with: [UInt8](text.utf8))
    return name.inFolder(folder)
  }

  /// Records what the test observed of the archives of a destination.
  private func observe(_ result: RestoreTestResult, copy: JobStatus.Copy?) {
    let known = copy?.files ?? []
    if case .unreachable = result.outcome {
      return observer.record(.unreachable, of: known.map { ($0, nil) })
    }
    let members = result.restore?.members ?? []
    let files = zip(result.restore?.files ?? [], members).map { (file: $0, archiveID: $1.archiveID) }
    guard let failure = result.failures.first else {
      return observer.record(.restored(result.restore?.coverage ?? .sample), of: files)
    }
    observer.record(.foundDamaged(reason: failure.message), of: files)
    // a copy that the test did not read keeps its health
    let tried = Set(members.map(\.path) + [result.missingCopy?.item].compactMap { $0 })
    guard let copy, tried.isEmpty || copy.archives.contains(where: tried.contains) else { return }
    let others = known.filter { file in !files.contains { $0.file == file } }
    observer.record(.foundDamaged(reason: failure.message), of: others.map { ($0, nil) })
  }

  /// Returns the details for the ledger.
  ///
  /// - Parameter last: the record of the last test; nil if there was none.
  private func details(
    of report: RestoreTestReport, after last: JobStatus.RestoreTestRecord?
  ) -> RestoreTestDetails {
    // the first destination that failed, else the first without proof, else the first
    let result =
      report.results.first { !$0.isRestored } ?? report.results.first { !$0.hasPassed }
      ?? report.results.first
    var damaged = Set(report.damagedInLibrary.map(\.subject)).count
    // photos that were not compared may still be damaged
    let isCompared = report.results.contains { $0.isRestored && $0.comparison.isComplete }
    if !isCompared { damaged = max(damaged, last?.damaged ?? 0) }
    let test = JobStatus.RestoreTestRecord(
      at: Timestamp(now), hasPassed: report.hasPassed,
      archive: result?.missingCopy?.item ?? result?.restore?.archive ?? result?.destination.string ?? "",
      photos: report.results.reduce(0) { $0 + $1.comparison.identical },
      damaged: damaged == 0 ? nil : damaged, round: (last?.round ?? 0) + 1, report: report.path?.string)
    return RestoreTestDetails(
      test: test, isRestoredSomewhere: report.results.contains(where: \.isRestored),
      findings: Array((report.damagedInLibrary + report.failures).prefix(HistoryDetails.mostFindings)),
      destinations: report.results.map { JobStatus.DestinationTestRecord($0, at: test.at) })
  }

  /// Returns the copy at a reached destination: the restored copy if it is better than the known one, else
  /// the known one.
  private func copy(
    after result: RestoreTestResult, at destination: JobDestination, _ status: JobStatus
  ) -> CopyRecord? {
    if case .unreachable = result.outcome { return nil }
    let known = status.copies.first { $0.path == result.destination.string }
    guard result.isRestored, let members = result.restore?.members,
      !members.contains(where: \.isPartiallyRecovered),
      let found = CopyRecord(members, at: destination, of: job, library)
    else { return known?.found }
    guard let known, known.archive != found.archive || known.madeAt != found.madeAt,
      !known.health.isSuspect, known.areFilesUnchanged
    else { return found }
    let isBetter = found.order >= known.order && (found.missingPhotos == 0 || known.missingPhotos > 0)
    return isBetter ? found : known.found
  }
}
