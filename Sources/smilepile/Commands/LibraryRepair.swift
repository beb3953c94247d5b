import ArchiveCatalog
import Backup
import FileSystem
import Jobs
import Operations
import SystemPackage

/// `smilepile repair -l LIBRARY`.
struct LibraryRepair {
  let library: FilePath
  let archives: [FilePath]
  let origin: LibraryRepairOptions.Origin
  let isDryRun: Bool
  let lockWait: Duration
  let password: PasswordOptions
  let limits: Limits

  func run(_ reporter: Reporter) async throws {
    var options = LibraryRepairOptions()
    (options.isDryRun, options.origin) = (isDryRun, origin)
    options.lockWait = lockWait
    options.ledger = .ofThisUser
    options.limits = limits
    options.password = try password.read(for: archives, limits, reporter, salvaging: true)
    let recorded = RecordedOperation(.repair, library: library, archives: archives, isDryRun: isDryRun)
    let summary = try await Ledger.ofThisUser.recording(recorded) {
      try await reporter.follow(
        .repairLibrary(library, from: archives, options: options), during: "repair"
      )
    }

    let warnings = summary.unread.map(CommandMessage.text) + summary.warnings
    for warning in warnings { reporter.warn(warning) }
    for photo in summary.repaired { reporter.note(photo.message.escaped) }
    if let kept = summary.kept { reporter.note("the corrupt files are in \(kept.string.escaped)") }
    reporter.importantResult(
      "checked \(Count(summary.photosChecked, "photo")): "
        + (summary.repaired.isEmpty && summary.damaged.isEmpty
          ? "all intact"
          : "\(isDryRun ? "would repair" : "repaired") \(summary.repaired.count); "
            + "\(summary.damaged.count) still damaged"))
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "photos_checked": summary.photosChecked, "repaired": summary.repaired.map(\.message),
        "damaged": summary.damaged.map(\.message), "unusable": summary.unusable.map(\.message),
        "bytes": summary.bytes, "kept": summary.kept?.string, "warnings": warnings,
        "dry_run": summary.isDryRun,
      ])
  }
}
