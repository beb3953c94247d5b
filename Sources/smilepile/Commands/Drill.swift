import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import SystemPackage

struct Drill: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove that the archives of jobs restore.",
    discussion: """
      Restores from the newest archive at each destination into a scratch library, compares what came back with the \
      live one byte for byte, and reads each image's header. A sample is taken that is another one each time; --all \
      takes everything. A dated report is written into the state folder. The library is only read.

      What does not come back is named, the job's hook on-failure is run, and the exit code is 4; the next drill of \
      that copy tries every photo, unless a backup has read it back by then, as does one of a copy that no backup has \
      noted, and one after photos of the library were found damaged. The code is 4, too, for a photo that came \
      back whole and has rotten in the library, for one that the library lists and neither of them holds, and for a \
      destination that is not there or not mounted. Where the library is in use (11), only archives are there that the password does not \
      open (12), or there is no room, there is no drill, and no copy is doubted. The job's hooks before and finally are \
      run as for a backup; where there is one before, which may mount the disk, a drill and a backup of the job wait for \
      each other as long as its lock-wait says, and none of its hooks can start a drill of it.

      Example:
        smilepile drill family --all
      """)

  @Flag(help: "Restore every photo.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Restore so many photos at each destination; default: what the job says, or 100.", valueName: "n"))
  var sample: Int?

  @Option(
    help: ArgumentHelp("The folder for the scratch library; TMPDIR, or /var/tmp.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var scratch: String?

  @OptionGroup var choice: JobChoice
  @OptionGroup var output: OutputOptions

  private struct ResultLine: Encodable {
    var message_type = "drill"
    var job: String
    var destination: String
    var archive: String?
    var proven: Bool
    var photos: Int
    var images: Int
    var gone: Int
    var errors: [String]
    var damaged_in_library: [String]
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var jobs: Int
    var proven: Int
    var reports: [String]
    var warnings: [String]
  }

  func validate() throws {
    if all, sample != nil { throw ValidationError("--all and --sample do not go together") }
    if let sample, sample < 1 { throw ValidationError("--sample takes a number, 1 or more") }
  }

  func run() async throws {
    let reporter = Reporter(output)
    let chosen = try choice.read()
    let context = JobContext.ofThisProcess(reporter)
    var options = DrillOptions()
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    options.scratch = (scratch ?? temporary).map { FilePath($0) } ?? options.scratch
    var worst = ExitStatus.done
    var reports: [String] = []
    var warnings: [String] = []
    var proven = 0
    for job in chosen {
      options.sample = all ? nil : sample ?? job.drillSample
      do {
        let report = try await reporter.follow(.drill(job, context, options: options))
        show(report, job, reporter)
        warnings += report.warnings + report.results.flatMap(\.notes)
        if let path = report.path { reports.append(path.string) }
        if report.isProven { proven += 1 }
        worst = max(worst, ExitStatus(rawValue: report.exitCode) ?? .failed)
      } catch {
        let reason =
          error is CancellationError ? "stopped; what was restored is removed" : JobMessage.text(of: error)
        reporter.error(Finding(job.name, reason), during: "drill")
        worst = max(worst, ExitStatus(for: error))
      }
      if Signals.received != nil { break }
    }
    reporter.json(Summary(jobs: chosen.count, proven: proven, reports: reports, warnings: warnings))
    if worst != .done { throw worst }
  }

  private func show(_ report: DrillReport, _ job: Job, _ reporter: Reporter) {
    for warning in report.warnings { reporter.warn(warning) }
    for result in report.results {
      for failure in result.failures + result.damagedInLibrary { reporter.error(failure, during: "drill") }
      for note in result.notes { reporter.warn(note) }
      let photos = Count(result.proven, "photo")
      reporter.result(
        result.isRestored
          ? "\(job.name): \(result.destination.string.escaped) restores: \(photos) came back byte for byte"
          : "\(job.name): \(result.destination.string.escaped) does not restore: "
            + "\(result.failures.count) of what was tried failed")
      reporter.json(
        ResultLine(
          job: job.name, destination: result.destination.string, archive: result.archive,
          proven: result.isProven, photos: result.proven, images: result.images, gone: result.gone,
          errors: result.failures.map(\.message), damaged_in_library: result.damagedInLibrary.map(\.message)))
    }
  }
}
