import ArchiveCatalog
import Backup
import FileSystem
import Jobs
import Operations
import SystemPackage

/// `smilepile repair ARCHIVE`.
struct ArchiveRepair {
  let archive: FilePath
  let destination: FilePath?
  /// A library that may have photos that are missing from the damaged archive. `archives` may have them too.
  let library: FilePath?
  let archives: [FilePath]
  let lockWait: Duration
  let password: PasswordOptions
  let limits: Limits

  func run(_ reporter: Reporter) async throws {
    var options = RepairOptions()
    options.destination = destination
    options.library = library
    options.lockWait = lockWait
    options.others = archives
    options.ledger = .ofThisUser
    options.limits = limits
    options.password = try password.read(for: archives, limits, reporter, salvaging: true)
    let summary = try await Ledger.ofThisUser.recording(RecordedOperation(.repair, archives: [archive])) {
      try await reporter.follow(.repair(archive, options: options), during: "repair")
    }

    for fault in summary.faults { reporter.warn(fault.message) }
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.restored { reporter.note(photo.message.escaped) }
    if let written = summary.archive {
      reporter.note(
        "recovered \(Count(summary.photos, "photo")), \(ByteCount(summary.bytes)), "
          + "\(summary.restored.count) of them from other copies; \(Count(summary.lost.count, "item")) could not be recovered"
      )
      reporter.importantResult(written.string.escaped)
    } else if summary.isWhole {
      reporter.note("\(archive.string.escaped) is intact: nothing to repair")
    } else {
      reporter.note("nothing can be recovered from \(archive.string.escaped)")
    }
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "archive": Null(summary.archive?.string), "intact": summary.isWhole, "photos": summary.photos,
        "bytes": summary.bytes, "archive_bytes": summary.archiveBytes,
        "faults": summary.faults.map(\.message), "restored": summary.restored.map(\.message),
        "missing": summary.lost.map(\.message), "contradicted": summary.contradicted.map(\.message),
        "unusable": summary.unusable.map(\.message), "warnings": summary.warnings,
      ])
  }
}
