import Backup
import FileSystem
import SystemPackage

/// What `export` says of what it did.
extension Export {
  private struct Summary: Encodable {
    var message_type = "summary"
    var archive: String?
    var archives: [String]
    var parts: Int
    var increment: Increment?
    var full_because: String?
    var photos: Int
    var categories: Int
    var bytes: Int
    var archive_bytes: Int
    var missing: [String]
    var damaged: [String]
    var phone_compatible: Bool
    var phone_refusals: [String]
    var categories_android_cannot_find: [String]
    var encrypted: Bool
    var warnings: [String]
    var dry_run: Bool
  }

  private struct Increment: Encodable {
    var base: String
    var archive: String
    var length: Int
    var held: Int
  }

  func report(_ summary: ExportSummary, _ reporter: Reporter) {
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.missing + summary.damaged { reporter.error(photo, during: "export") }
    let verb = dryRun ? "would export" : "exported"
    let isSplit = summary.parts > 1
    reporter.note(
      "\(verb) \(Count(summary.photos, "photo")) in \(Count(summary.categories, "category", "categories")), "
        + ByteCount(summary.bytes).description
        + (isSplit ? ", in \(summary.parts) archives" : "")
        + (dryRun ? "" : "; the archive\(isSplit ? "s have" : " has") \(ByteCount(summary.archiveBytes))")
        + (format == .json ? "; a JSON backup holds no photo files" : "")
    )
    if let increment = summary.increment {
      reporter.note(
        "\(increment.held) of them are held by \(increment.archive), on which it rests "
          + "(increment \(increment.length) of its chain)")
    }
    if let reason = summary.fullBecause { reporter.note("it is a full archive: \(reason)") }
    for base in summary.isDryRun ? summary.rejectedBases : [] { reporter.note("not a base: \(base.message)") }
    if summary.archive != nil { encryption.announce(reporter) }
    if !summary.phoneRefusals.isEmpty {
      let refusals = summary.phoneRefusals.joined(separator: "; ")
      if split == nil {
        reporter.note("a phone will refuse this archive: \(refusals)")
      } else {
        reporter.warn("a phone will refuse a part of it: \(refusals)")
      }
    }
    if !summary.categoriesAndroidCannotFind.isEmpty {
      let names = summary.categoriesAndroidCannotFind.map { "“\($0.escaped)”" }.joined(separator: ", ")
      reporter.note(
        "Android cannot find \(names) by name when it merges this archive, and may file the photos under another "
          + "category; Replace in the app keeps them apart")
    }
    for archive in summary.archives { reporter.lasting(archive.string) }
    reporter.json(
      Summary(
        archive: summary.archive?.string, archives: summary.archives.map(\.string), parts: summary.parts,
        increment: summary.increment.map {
          Increment(base: $0.base, archive: $0.archive.string, length: $0.length, held: $0.held)
        },
        full_because: summary.fullBecause, photos: summary.photos, categories: summary.categories,
        bytes: summary.bytes, archive_bytes: summary.archiveBytes, missing: summary.missing.map(\.message),
        damaged: summary.damaged.map(\.message), phone_compatible: summary.phoneRefusals.isEmpty,
        phone_refusals: summary.phoneRefusals,
        categories_android_cannot_find: summary.categoriesAndroidCannotFind, encrypted: encryption.encrypt,
        warnings: summary.warnings,
        dry_run: summary.isDryRun))
  }
}
