import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Operations

struct InboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "Import the backups of phones that arrived in the inboxes of jobs.",
    discussion: """
      Imports each new backup in the folders of “inbox” in the job file, as `import` does, and then moves, keeps or \
      deletes it. A backup is recognized by its content, and imported once. Reports and skips files that are still being written. \
      Backups that cannot be read stay, and are reported by each run; the exit code is then 3.

      `backup` does the same before it exports. `schedule install` runs this command when files arrive.

      Example:
        smilepile inbox family --dry-run
      """)

  @Flag(
    name: [.customShort("n"), .long],
    help: "List the files and what would happen to them, and write nothing.")
  var dryRun = false

  @Flag(help: "Wait for files that were modified within the last minute, and import them too.")
  var wait = false

  @OptionGroup var choice: JobChoice
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if dryRun, wait { throw ValidationError("--dry-run does not wait; remove --wait") }
  }

  func run() async throws {
    let jobs = try chosenJobs()
    let environment = JobEnvironment.ofThisProcess(reporter)
    var reports: [InboxReport] = []
    var errors: [String] = []
    let worst = try await reporter.each(jobs) { job in
      let report = try await reporter.follow(.inbox(job, environment, isDryRun: dryRun, waits: wait))
      show(report, job)
      reports.append(report)
      errors += report.errors
      return report.errors.isEmpty ? .done : .incomplete
    } failed: { job, error in
      let message =
        error is CancellationError ? "stopped; imported backups stay imported" : JobMessage.text(of: error)
      reporter.error(Finding(.job(job.name), message), during: "inbox")
      errors.append(message)
    }
    try reporter.finish(
      worst,
      [
        "jobs": jobs.count, "backups_imported": reports.saturatedSum(\.backupsImported),
        "photos_imported": reports.saturatedSum(\.photosImported),
        "backups_unreadable": reports.saturatedSum(\.backupsUnreadable),
        "files_unfinished": reports.saturatedSum(\.filesUnfinished),
        "files_moved": reports.saturatedSum(\.filesMoved), "errors": errors,
        "warnings": reports.flatMap(\.warnings), "dry_run": dryRun,
      ])
  }

  /// Returns the jobs with inboxes.
  ///
  /// - Throws: the errors of `JobChoice.read`; `ValidationError` if a given job, or every job, has no inbox.
  private func chosenJobs() throws -> [Job] {
    let chosen = try choice.read()
    if let job = chosen.first(where: \.usesOtherLibrary) {
      throw ValidationError("the inbox of job “\(job.name)” is that of its own library; remove -l")
    }
    let jobs = chosen.filter { !$0.inboxes.isEmpty }
    let isMissing = choice.jobs.isEmpty ? jobs.isEmpty : jobs.count < chosen.count
    guard !isMissing else {
      let name = chosen.first { $0.inboxes.isEmpty }?.name ?? ""
      throw ValidationError(
        choice.jobs.isEmpty
          ? "no job has an inbox; add “inbox:” to a job in the job file"
          : "job “\(name)” has no inbox; add “inbox:” to it in the job file")
    }
    return jobs
  }

  private func show(_ report: InboxReport, _ job: Job) {
    for warning in report.warnings { reporter.warn("\(job.name): \(warning)") }
    for error in report.errors { reporter.error(Finding(.job(job.name), error), during: "inbox") }
    for file in report.files {
      if let line = text(of: file) { reporter.result("\(job.name): \(line)".escaped) }
      reporter.json(
        "inbox_file",
        [
          "job": job.name, "inbox": file.inbox.path.string, "phone": file.inbox.phone,
          "path": file.path.string, "state": file.state.identifier, "reason": file.state.reason,
          "photos_imported": file.state.photos?.imported, "photos_skipped": file.state.photos?.skipped,
          "moved_to": file.movedTo?.string,
        ])
    }
    guard report.backupsImported > 0 || !reporter.quiet else { return }
    let verb = dryRun ? "would import" : "imported"
    reporter.importantResult(
      report.backupsImported == 0
        ? "\(job.name): nothing to import"
        : "\(job.name): \(verb) \(Count(report.backupsImported, "backup")) with "
          + "\(Count(report.photosImported, "new photo"))")
  }

  /// Returns the line for a file. Returns nil if the file needs none, or if an error reports it. A dry run also lists
  /// known and ignored files.
  private func text(of file: InboxFile) -> String? {
    let text: String
    switch file.state {
    case .imported(let photos, let skipped):
      text =
        "\(dryRun ? "would import" : "imported") \(file.label): \(Count(photos, "new photo")), \(skipped) already exist"
    case .known where dryRun: text = "\(file.label) was imported before"
    case .known where file.movedTo != nil: text = "moved \(file.label): it was imported before"
    case .unfinished(let cause) where dryRun || cause != .temporaryName:
      text = "skipped \(file.label): \(cause.reason)"
    case .ignored where dryRun: text = "ignored \(file.label): it is not a backup"
    case .known, .unfinished, .ignored, .unreadable, .damaged: return nil
    }
    guard dryRun, let target = file.movedTo else { return text }
    return "\(text); would move it to \(target.removingLastComponent())"
  }
}

extension InboxFile.State {
  /// The name in JSON.
  fileprivate var identifier: String {
    switch self {
    case .unfinished: "unfinished"
    case .ignored: "ignored"
    case .unreadable: "unreadable"
    case .damaged: "damaged"
    case .imported: "imported"
    case .known: "known"
    }
  }

  /// Why the file was not imported, or not completely.
  fileprivate var reason: String? {
    switch self {
    case .unfinished(let cause): cause.reason
    case .unreadable(let reason), .damaged(let reason): reason
    case .ignored: "it is not a backup"
    case .imported, .known: nil
    }
  }

  /// The photos that the import added, and those that the library had; nil for a file that was not imported now.
  fileprivate var photos: (imported: Int, skipped: Int)? {
    if case .imported(let photos, let skipped) = self { (photos, skipped) } else { nil }
  }
}
