import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import SystemPackage

struct Drill: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a restore test of the archives of jobs.",
    discussion: """
      A restore test: restores the newest archive at each destination into a temporary library, compares the photos \
      with the live library byte for byte, and reads each image's header. Each run takes another sample. The live \
      library is not changed. The state folder gets a dated report.

      The exit code is 4 if an archive could not be restored, 3 for problems outside of the archives (a missing \
      destination, or damage in the library).

      Example:
        smilepile drill family --all
      """)

  @Flag(help: "Restore all photos.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Restore this many photos at each destination; default: drill: of the job, or 100.", valueName: "n"))
  var sample: Int?

  @Option(
    help: ArgumentHelp(
      "Folder for the temporary library; default: TMPDIR, or /var/tmp.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var scratch: String?

  @OptionGroup var choice: JobChoice
  @OptionGroup var output: OutputOptions

  private struct ResultLine: Encodable {
    let messageType = "drill"
    var job: String
    var destination: String
    var archive: String?
    var proven: Bool
    var photos: Int
    var images: Int
    var notInLibrary: Int
    var errors: [String]
    var damagedInLibrary: [String]
  }

  private struct Summary: Encodable {
    let messageType = "summary"
    var jobs: Int
    var proven: Int
    var reports: [String]
    var warnings: [String]
  }

  func validate() throws {
    if all, sample != nil { throw ValidationError("choose --all or --sample") }
    if let sample, sample < 1 { throw ValidationError("--sample takes a number, 1 or more") }
  }

  func run() async throws {
    let reporter = Reporter(output)
    let chosen = try choice.read()
    let context = JobContext.ofThisProcess(reporter)
    var options = RestoreTestOptions()
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    options.scratch = (scratch ?? temporary).map { FilePath($0) } ?? options.scratch
    var worst = ExitStatus.done
    var reports: [String] = []
    var warnings: [String] = []
    var proven = 0
    for job in chosen {
      options.sample = all ? nil : sample ?? job.drillSample
      do {
        let report = try await reporter.follow(.restoreTest(job, context, options: options))
        show(report, job, reporter)
        warnings += report.warnings + report.results.flatMap(\.notes)
        if let path = report.path { reports.append(path.string) }
        if report.isProven { proven += 1 }
        worst = max(worst, ExitStatus(rawValue: report.exitCode) ?? .failed)
      } catch {
        let reason =
          error is CancellationError
          ? "stopped; the temporary library was removed" : JobMessage.text(of: error)
        reporter.error(Finding(job.name, reason), during: "drill")
        worst = max(worst, ExitStatus(for: error))
      }
      if Signals.received != nil { break }
    }
    reporter.json(Summary(jobs: chosen.count, proven: proven, reports: reports, warnings: warnings))
    if worst != .done { throw worst }
  }

  private func show(_ report: RestoreTestReport, _ job: Job, _ reporter: Reporter) {
    for warning in report.warnings { reporter.warn(warning) }
    for result in report.results {
      let comparison = result.comparison
      for failure in result.failures + comparison.damagedInLibrary {
        reporter.error(failure, during: "drill")
      }
      for note in result.notes { reporter.warn(note) }
      let photos = Count(comparison.proven, "photo")
      reporter.result(
        result.isRestored
          ? "\(job.name): \(result.destination.string.escaped) passed: \(photos) restored, identical to the library"
          : "\(job.name): \(result.destination.string.escaped) failed: "
            + "\(result.failures.count) could not be restored")
      reporter.json(
        ResultLine(
          job: job.name, destination: result.destination.string, archive: result.trial?.archive,
          proven: result.isProven, photos: comparison.proven, images: comparison.images,
          notInLibrary: comparison.gone,
          errors: result.failures.map(\.message), damagedInLibrary: comparison.damagedInLibrary.map(\.message)
        ))
    }
  }
}
