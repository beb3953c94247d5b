import ArgumentParser
import Backup
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

extension Repair {
  /// Repairs an archive.
  func repairArchive() async throws {
    let archive = FilePath(archives[0])
    let sources = from.map { FilePath($0) }
    let libraries = sources.filter(\.isFolder)
    if libraries.count > 1 { throw ValidationError("--from accepts only one library") }
    var options = RewriteOptions()
    options.destination = output.map { FilePath($0) }
    options.library = libraries.first
    options.lockWait = lockWait.map { .seconds($0) } ?? Library.readersWait
    options.others = sources.filter { !$0.isFolder }
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(for: options.others, limits.limits, reporter, salvaging: true)
    let summary = try await reporter.follow(.repair(archive, options: options), during: "repair")

    for fault in summary.faults { reporter.warn(fault.message) }
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.restored { reporter.note(photo.message.escaped) }
    if let written = summary.archive {
      reporter.note(
        "recovered \(Count(summary.photos, "photo")), \(ByteCount(summary.bytes)), "
          + "\(summary.restored.count) of them from other copies; \(Count(summary.unrecoverable.count, "item")) could not be recovered"
      )
      reporter.importantResult(written.string.escaped)
    } else if summary.isIntact {
      reporter.note("\(archive.string.escaped) is intact: nothing to repair")
    } else {
      reporter.note("nothing can be recovered from \(archive.string.escaped)")
    }
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "archive": Null(summary.archive?.string), "intact": summary.isIntact, "photos": summary.photos,
        "bytes": summary.bytes, "archive_bytes": summary.archiveBytes,
        "faults": summary.faults.map(\.message), "restored": summary.restored.map(\.message),
        "missing": summary.unrecoverable.map(\.message), "contradicted": summary.contradicted.map(\.message),
        "unusable": summary.unusable.map(\.message), "warnings": summary.warnings,
      ])
  }
}
