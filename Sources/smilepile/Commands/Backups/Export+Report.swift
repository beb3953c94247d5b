import Backup
import FileSystem

/// The report of `export`.
extension Export {
  func report(_ summary: ExportSummary) throws {
    reporter.photos(summary.photoReports)
    for warning in summary.warnings { reporter.warn(warning) }
    let verb = dryRun ? "would export" : "exported"
    let isSplit = summary.parts > 1
    reporter.note(
      "\(verb) \(Count(summary.photos, "photo")) in \(Count(summary.categories, "category", "categories")), "
        + ByteCount(summary.bytes).description
        + (isSplit ? ", in \(summary.parts) archives" : "")
        + (dryRun ? "" : "; the archive\(isSplit ? "s have" : " has") \(ByteCount(summary.archiveBytes))")
        + (format == .json ? "; a JSON backup has no photo files" : "")
    )
    if let increment = summary.increment {
      reporter.note(
        "\(Count(increment.photosStoredInBase, "photo is", "photos are")) stored in the base \(increment.basePath) "
          + "(chain depth \(increment.chainDepth))"
      )
    }
    if let reason = summary.reasonForFullArchive { reporter.note("full archive: \(reason)") }
    for base in summary.isDryRun ? summary.rejectedBases : [] { reporter.note("not a base: \(base.message)") }
    if summary.archive != nil { encryption.announce(reporter) }
    if !summary.phoneRefusals.isEmpty {
      let refusals = summary.phoneRefusals.joined(separator: "; ")
      if split == nil {
        reporter.note("phones refuse this archive: \(refusals)")
      } else {
        reporter.warn("phones refuse one of these archives: \(refusals)")
      }
    }
    if !summary.categoriesAndroidCannotFind.isEmpty {
      let names = summary.categoriesAndroidCannotFind.map { "“\($0.escaped)”" }.joined(separator: ", ")
      reporter.note(
        "the Android app cannot find the category \(names) by name when it merges this archive, and may put its "
          + "photos into another category; use Replace in the app")
    }
    for archive in summary.archives { reporter.importantResult(archive.string) }
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "archive": summary.archive?.string, "archives": summary.archives.map(\.string),
        "parts": summary.parts,
        "increment": summary.increment.map {
          [
            "base": $0.baseID, "archive": $0.basePath.string, "depth": $0.chainDepth,
            "stored_in_base": $0.photosStoredInBase,
          ] as JSONFields
        },
        "reason_for_full_archive": summary.reasonForFullArchive, "photos": summary.photos,
        "categories": summary.categories, "bytes": summary.bytes, "archive_bytes": summary.archiveBytes,
        "missing": summary.missing.map(\.message), "damaged": summary.corruptInLibrary.map(\.message),
        "phone_compatible": summary.phoneRefusals.isEmpty, "phone_refusals": summary.phoneRefusals,
        "categories_android_cannot_find": summary.categoriesAndroidCannotFind,
        "encrypted": encryption.encrypt, "warnings": summary.warnings, "dry_run": summary.isDryRun,
      ])
  }
}
