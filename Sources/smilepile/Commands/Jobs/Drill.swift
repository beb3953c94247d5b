import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import SystemPackage

struct Drill: JobCommand {
  static let configuration = CommandConfiguration(
    abstract: "Test that the archives of jobs can be restored.",
    discussion: """
      Restores the newest archive of each destination into a temporary library, compares the photos with the live \
      library byte for byte, and reads the header of each image. Each run restores another sample. The live library is \
      not changed. A report with the date is written to the state folder.

      The exit code is 4 if an archive could not be restored, a destination is missing, or the library is damaged; 3 if \
      a hook failed or the result could not be recorded.

      Example:
        smilepile drill family --all
      """)

  @Flag(help: "Restore all photos.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Restore this many photos at each destination; default: “sample” in the job file, or 100.",
      valueName: "n"))
  var sample: Int?

  @Option(
    help: ArgumentHelp(
      "Folder for the temporary library; default: TMPDIR, or /var/tmp.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var scratch: String?

  @OptionGroup var choice: JobChoice
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if all, sample != nil { throw ValidationError("choose --all or --sample") }
    if let sample, sample < 1 { throw ValidationError("--sample needs a number of at least 1") }
  }

  func run() async throws {
    let chosen = try choice.read()
    let environment = JobEnvironment.ofThisProcess(reporter)
    var options = RestoreTestOptions()
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    options.scratch = (scratch ?? temporary).map { FilePath($0) } ?? options.scratch
    var reports: [String] = []
    var warnings: [String] = []
    var passed = 0
    let worst = try await reporter.each(chosen) { job in
      options.sample = all ? nil : sample ?? job.restoreTestSample
      let report = try await reporter.follow(.restoreTest(job, environment, options: options))
      let test = report.test ?? RestoreTestReport()
      for warning in report.warnings { reporter.warn(warning) }
      for error in report.errors { reporter.error(Finding(.job(job.name), error), during: "drill") }
      for result in test.results { show(result, job) }
      warnings += report.warnings + test.results.flatMap(\.notes)
      if let path = test.path { reports.append(path.string) }
      if test.hasPassed { passed += 1 }
      return report.run.exitCode.flatMap(ExitStatus.init) ?? .failed
    } failed: { job, error in
      let reason = error.cause == .cancelled ? JobReport.notBegun : JobMessage.text(of: error)
      reporter.error(Finding(.job(job.name), reason), during: "drill")
    }
    try reporter.finish(
      worst,
      [
        "jobs": chosen.count, "passed": passed, "reports": reports, "warnings": warnings,
      ])
  }

  private func show(_ result: RestoreTestResult, _ job: Job) {
    let comparison = result.comparison
    for failure in result.failures + comparison.damagedInLibrary {
      reporter.error(failure, during: "drill")
    }
    for note in result.notes { reporter.warn(note) }
    let photos = Count(comparison.identical, "photo")
    reporter.result(
      result.isRestored
        ? "\(job.name): \(result.destination.string.escaped) passed: \(photos) restored and identical to the library"
        : "\(job.name): \(result.destination.string.escaped) failed: "
          + "\(Count(result.failures.count, "error"))")
    reporter.json(
      "drill",
      [
        "job": job.name, "destination": result.destination.string, "archive": result.restore?.archive,
        "passed": result.hasPassed, "photos": comparison.identical, "images": comparison.images,
        "not_in_library": comparison.notInLibrary, "errors": result.failures.map(\.message),
        "damaged_in_library": comparison.damagedInLibrary.map(\.message),
      ])
  }
}
