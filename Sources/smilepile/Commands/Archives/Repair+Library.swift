import Backup
import FileSystem
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

extension Repair {
  /// Repairs a library.
  func repair(_ library: FilePath) async throws {
    let ofJobs = archives.isEmpty ? try Self.archives(ofJobsOf: library) : nil
    for folder in ofJobs?.unreachable ?? [] { reporter.warn(folder.message) }
    let paths = ofJobs?.paths ?? archives.map { FilePath($0) }
    var options = LibraryRepairOptions()
    options.isDryRun = dryRun
    options.origin = ofJobs.map { .jobs(isComplete: $0.unreachable.isEmpty && !$0.paths.isEmpty) } ?? .given
    options.lockWait = .seconds(lockWait ?? 0)
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(for: paths, limits.limits, reporter, salvaging: true)
    let summary = try await reporter.follow(
      .repairLibrary(library, from: paths, options: options), during: "repair")

    var warnings = summary.unread.map(CommandMessage.text) + summary.warnings
    if paths.isEmpty, !summary.damaged.isEmpty {
      let folder = ofJobs?.unreachable.first?.item
      warnings.append(
        (folder.map { "connect the disk of \($0), or give archives that have the photos" }
          ?? "no job has a copy of the library \(library); give archives that have the photos").escaped)
    }
    for warning in warnings { reporter.warn(warning) }
    for photo in summary.repaired { reporter.note(photo.message.escaped) }
    if let kept = summary.kept { reporter.note("the corrupt files are in \(kept.string.escaped)") }
    reporter.importantResult(
      "checked \(Count(summary.photosChecked, "photo")): "
        + (summary.repaired.isEmpty && summary.damaged.isEmpty
          ? "all intact"
          : "\(dryRun ? "would repair" : "repaired") \(summary.repaired.count); "
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

  /// Returns the archives that the jobs of a library made.
  private static func archives(ofJobsOf path: FilePath) throws -> LibraryProtection.Archives {
    let library = try Library(path: path)
    return try LibraryProtection(of: library, .ofThisUser)
      .archives(ofLibrary: library.libraryID(), .ofThisUser)
  }
}
