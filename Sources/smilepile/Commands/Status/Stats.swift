import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Jobs
import Operations
import PhotoLibrary

struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show whether a library is safe: its size, its last backup and its copies.",
    discussion: """
      Counts copies that jobs made: archives that are intact, complete, reachable and unchanged. With --by, counts the \
      photos of each category, year or month instead.

      Example:
        smilepile stats -l ~/Family
        smilepile stats -l ~/Family --by year
      """)

  @Option(help: ArgumentHelp("What to count photos by.", valueName: "group"))
  var by: PhotoGrouping?

  @OptionGroup var library: LibraryOption
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let library = try Library(path: library.path())
    if let by { return show(try library.contents().groups(by: by)) }
    let protection = try LibraryProtection(of: library, .ofThisUser)
    let verdict = ProtectionVerdict(of: protection)
    for job in protection.formerJobs {
      reporter.warn(
        "job “\(job.job)” last backed up another library at this path; copies of that library are not counted"
      )
    }
    reporter.result(verdict.sentence.escaped)
    reporter.result(TextTable(.left, .left, rows: Self.fields(protection)))
    reporter.result(TextTable(.left, .left, .left, indentation: 2, rows: protection.copies.map(Self.row)))
    for job in protection.jobs {
      for line in Self.failedTests(of: job) { reporter.result(line.escaped) }
    }
    if let damage = protection.damageAction { reporter.result(CommandMessage.text(of: damage).escaped) }
    let export = protection.lastExport
    // without the ledger the copies are unknown
    try reporter.finish(
      isIncomplete: protection.ledgerProblem != nil,
      [
        "sentence": verdict.sentence, "level": verdict.level.rawValue, "photos": protection.totals.photos,
        "categories": protection.totals.categories, "bytes": protection.totals.bytes,
        "last_backup": Null(export?.at), "last_backup_photos": export?.photos,
        "last_backup_categories": export?.categories, "photos_added_since": protection.photosAdded,
        "last_archive": Null(export?.archive), "copies": protection.copies.map(Self.fields),
        "last_successful_restore_test": Null(protection.testedAt),
      ])
  }

  private func show(_ groups: [PhotoGroup]) {
    reporter.result(
      TextTable(
        .left, .right, .right, .left,
        rows: groups.map { group in
          let dates = [group.oldest, group.newest].compactMap(\.self).map(\.localDay)
          return [
            group.key.escaped, "\(Count(group.photos, "photo"))", "\(ByteCount(group.bytes))",
            dates.isEmpty
              ? "-" : (dates.first == dates.last ? Array(dates.prefix(1)) : dates).joined(separator: " to "),
          ]
        }))
    for group in groups {
      reporter.json(
        "group",
        [
          "key": group.key, "photos": group.photos, "bytes": group.bytes, "oldest": Null(group.oldest),
          "newest": Null(group.newest),
        ])
    }
    reporter.json(
      "summary",
      [
        "groups": groups.count, "photos": groups.saturatedSum(\.photos),
        "bytes": groups.saturatedSum(\.bytes),
      ])
  }

  private static func fields(_ counted: LibraryCopy) -> JSONFields {
    let copy = counted.copy
    return [
      "job": counted.job, "path": copy.path, "archive": copy.archive, "made_at": copy.madeAt,
      "verified_at": counted.verifiedAt, "same_device": copy.isOnSameDevice,
      "in_memory": copy.isInMemory, "is_restorable": counted.problem == nil,
      "is_selection": copy.isSelection, "missing_photos": copy.missingPhotos,
      "is_shared": counted.isShared, "problem": counted.problem?.rawValue,
      "tested_at": counted.test?.lastPassedAt,
    ]
  }

  private static func row(_ counted: LibraryCopy) -> [String] {
    let copy = counted.copy
    let verified = counted.verifiedAt.map { "verified \($0.iso8601)" } ?? "unverified"
    let facts = [verified, counted.device.words, counted.state]
    return [copy.madeAt.iso8601, copy.archive.escaped, facts.joined(separator: ", ")]
  }

  private static func fields(_ protection: LibraryProtection) -> [[String]] {
    let (totals, export) = (protection.totals, protection.lastExport)
    var fields = [
      ["photos", "\(totals.photos)"],
      ["categories", "\(totals.categories)"],
      ["bytes", "\(totals.bytes) (\(ByteCount(totals.bytes)))"],
      ["last backup", export.map { text(of: $0, added: protection.photosAdded) } ?? "never"],
    ]
    if let export { fields.append(["archive", export.archive.escaped]) }
    guard !protection.jobs.isEmpty else {
      return fields + [["copies", protection.ledgerProblem == nil ? "none made by a job" : "unknown"]]
    }
    let complete = protection.completeCopies
    let safe = complete.count(where: \.isProtecting)
    return fields + [
      ["copies", "\(complete.count), of which \(Count(safe, "copy is", "copies are")) on another device"],
      [
        "restore",
        protection.testedAt.map { "test passed \($0.iso8601)" } ?? "no test has passed; run smilepile drill",
      ],
    ]
  }

  /// Returns a line for each destination at which the last restore test did not pass.
  private static func failedTests(of job: JobStatus) -> [String] {
    let failed = job.restoreTests.filter { $0.outcome != .passed }
    if failed.isEmpty, let test = job.lastRestoreTest, !test.hasPassed {
      return ["restore test of \(test.archive) failed at \(test.at.iso8601)"]
    }
    return failed.map { test in
      "restore test of \(test.archive ?? test.path) failed at \(test.at.iso8601)"
        + (test.failure.map { ": \($0)" } ?? "")
    }
  }

  /// Returns the time and the counts of a backup, without reading its archive.
  private static func text(of export: ExportRecord, added: Int?) -> String {
    let categories = export.categories.map { " in \(Count($0, "category", "categories"))" } ?? ""
    let since = added.map { "; \(Count($0, "photo")) added since" } ?? ""
    return "\(export.at.iso8601), \(Count(export.photos, "photo"))\(categories)\(since)"
  }
}

extension PhotoGrouping: ExpressibleByArgument {}
