import ArgumentParser
import FileSystem
import Jobs
import Operations
import PhotoLibrary

struct ResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Empty a library, so that imports fill it anew.",
    discussion: """
      Removes all photos and categories, and forgets what was moved, removed and imported. Refuses if no verified \
      archive contains all photos. The library gets a new ID, so that no job prunes its former archives. `smilepile \
      undo` takes the reset back, until the next import or removal. Asks for the number of photos; without a \
      terminal, use --yes --photos NUMBER. Exits with 11 if a job of the library runs.

      Example:
        smilepile reset -l ~/Family --dry-run
      """)

  @Flag(help: "Reset only the settings to their defaults, also those that protect the child.")
  var settings = false

  @Flag(name: .customLong("pin"), help: "Remove only the PIN of the library, which undo does not bring back.")
  var resetsPIN = false

  @Flag(help: "Reset photos, categories, settings and the PIN.")
  var all = false

  @Flag(help: "Stop commands and jobs of this user that use the library, and wait up to 60 seconds for them.")
  var stop = false

  @Flag(help: "Delete the files of the photos at once; nothing can then be undone.")
  var forGood = false

  @Flag(help: "Remove the photos even if no verified archive contains all of them.")
  var force = false

  @Flag(name: [.customShort("n"), .long], help: "Report what would be reset, and write nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("The number of photos in the library, with which --yes confirms.", valueName: "number")
  )
  var photos: Int?

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var library: LibraryOption
  @OptionGroup var file: JobFileOption
  @OptionGroup var password: PasswordOptions
  @OptionGroup var lock: LockOption
  @OptionGroup var reporter: Reporter

  private var scope: ResetScope {
    if all { return .everything }
    let parts: ResetScope = [settings ? .settings : [], resetsPIN ? .pin : []]
    return parts.isEmpty ? .contents : parts
  }

  func validate() throws {
    let options = [("--for-good", forGood), ("--force", force), ("--photos", photos != nil)]
    for (option, isGiven) in options where isGiven && !scope.contains(.contents) {
      throw ValidationError(
        "\(option) concerns photos, which --settings and --pin keep; use --all, or omit it")
    }
    if photos != nil, !confirmation.yes {
      throw ValidationError("--photos confirms only together with --yes")
    }
    if confirmation.yes, photos == nil, scope.contains(.contents), !dryRun {
      throw ValidationError("--yes needs --photos NUMBER, the number of photos in the library")
    }
  }

  func run() async throws {
    let path = try library.path()
    // before a process is stopped
    if let photos, !dryRun { try confirmation.check(photos, of: Library(path: path)) }
    var reset = LibraryReset(of: path, scope, jobs: try file.jobs(ofLibrary: path))
    reset.isForced = force
    reset.stopsProcesses = stop
    if scope.contains(.contents), !force { reset.password = try password.read(reporter) }
    var options = ResetOptions()
    options.isDryRun = dryRun
    options.isForGood = forGood
    options.lockWait = lock.duration
    options.authorization = try confirmation.authorization(reporter, for: path, photos: photos)
    let environment = JobEnvironment.ofThisProcess(reporter)
    let report = try await reporter.follow(.reset(reset, options: options, environment), during: "reset")
    try show(report)
  }

  private func show(_ report: LibraryReset.Report) throws {
    let summary = report.summary
    for warning in report.warnings { reporter.warn(warning) }
    for photo in summary.missing { reporter.warn(photo.message) }
    for process in report.stopped { reporter.note("stopped \(process)".escaped) }
    for line in Self.lines(summary) { reporter.importantResult(line) }
    if summary.hasNewID, !dryRun {
      reporter.note("the next run of a job reports a new library, and keeps the archives of the old one")
    }
    try reporter.finish(
      isIncomplete: !report.findings.isEmpty,
      [
        "photos_removed": summary.photos, "categories_removed": summary.categories, "bytes": summary.bytes,
        "changes": (summary.settings ?? []).map {
          ["key": $0.key, "old_value": $0.oldValue, "new_value": $0.newValue] as JSONFields
        },
        "protections_lowered": summary.lowered.map(\.identifier), "archive": Null(report.archive),
        "stopped": report.stopped, "missing": summary.missing.map(\.message),
        "left": summary.left.map(\.message), "warnings": report.warnings, "for_good": summary.isForGood,
        "dry_run": summary.isDryRun,
      ])
  }

  private static func lines(_ summary: ResetSummary) -> [String] {
    func verb(_ past: String, _ infinitive: String) -> String {
      summary.isDryRun ? "would \(infinitive)" : past
    }
    var lines: [String] = []
    if summary.hasNewID {
      let categories = Count(summary.categories, "category", "categories")
      let ending = summary.isForGood ? " for good" : summary.isDryRun ? "" : "; run smilepile undo to restore"
      lines.append(
        "\(verb("removed", "remove")) \(Count(summary.photos, "photo")) (\(ByteCount(summary.bytes))) and "
          + "\(categories)\(ending)")
    }
    if let settings = summary.settings {
      lines += settings.map { setting in
        "\(verb("set", "set")) \(setting.key) to \(setting.newValue) (was \(setting.oldValue))"
      }
      if settings.isEmpty { lines.append("\(verb("forgot", "forget")) what backups stated about settings") }
    }
    if summary.lowered.contains(.pin) { lines.append("\(verb("removed", "remove")) the PIN") }
    return lines
  }
}
