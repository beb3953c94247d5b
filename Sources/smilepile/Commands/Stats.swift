import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
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
  @OptionGroup var output: CommonOptions

  private struct Copy: Encodable {
    var job: String
    var path: String
    var archive: String
    var madeAt: Int64
    var verifiedAt: Int64?
    var sameDevice: Bool
    /// True if the copy is lost when the machine is switched off.
    var inMemory: Bool
    var isRestorable: Bool
    var isSelection: Bool
    /// The number of the library's photos that are missing from the copy or corrupt in it.
    var missingPhotos: Int
    /// True if the copy depends on a file that an earlier copy depends on.
    var isShared: Bool

    /// Why `isRestorable` is false.
    var problem: CountedCopy.Problem?
    /// When a restore test at the destination last passed.
    var testedAt: Int64?

    init(_ copy: CountedCopy) {
      (job, path, archive) = (copy.job, copy.copy.path, copy.copy.archive)
      (madeAt, verifiedAt) = (copy.copy.madeAt, copy.verifiedAt)
      (sameDevice, inMemory) = (copy.copy.isOnSameDevice, copy.copy.isInMemory == true)
      testedAt = copy.test?.lastPassedAt
      (isRestorable, problem) = (copy.problem == nil, copy.problem)
      isSelection = copy.copy.isSelection == true
      missingPhotos = copy.copy.missingPhotos ?? 0
      isShared = copy.isShared
    }

    var row: [String] {
      let facts = [
        verifiedAt.map { "verified \(Stats.time($0))" } ?? "unverified",
        inMemory ? "in memory: lost when the machine is switched off" : nil,
        sameDevice ? "on the same device as the library: no protection if the device fails" : nil,
        problem.map(\.words),
        isSelection ? "only a selection of the library" : nil,
        missingPhotos > 0
          ? "\(Count(missingPhotos, "photo of the library is", "photos of the library are")) missing or corrupt"
          : nil,
        isShared ? "shares a file with a copy above, and is not counted" : nil,
      ].compactMap { $0 }
      return [Stats.time(madeAt), archive.escaped, facts.joined(separator: ", ")]
    }
  }

  private struct Summary: Encodable {
    let messageType = "summary"
    /// One sentence that tells whether the photos are safe.
    var sentence: String
    var level: ProtectionVerdict.Level
    var photos: Int
    var categories: Int
    var bytes: Int
    @Null var lastBackup: Int64?
    var lastBackupPhotos: Int?
    var lastBackupCategories: Int?
    var photosAddedSince: Int?
    @Null var lastArchive: String?
    var copies: [Copy]
    @Null var lastSuccessfulRestoreTest: Int64?
  }

  /// The photos of a group, as a line of JSON.
  private struct GroupLine: Encodable {
    let messageType = "group"
    var key: String
    var photos: Int
    var bytes: Int
    @Null var oldest: Int64?
    @Null var newest: Int64?
  }

  private struct GroupSummary: Encodable {
    let messageType = "summary"
    var groups: Int
    var photos: Int
    var bytes: Int
  }

  func run() async throws {
    let library = try Library(path: library.path())
    if let by { return show(try library.contents().groups(by: by), Reporter(output)) }
    let protection = try LibraryProtection(of: library, .ofThisUser)
    let verdict = ProtectionVerdict(of: protection)
    let reporter = Reporter(output)
    for job in protection.formerJobs {
      reporter.warn(
        "job “\(job.job)” last backed up another library at this path; copies of that library are not counted"
      )
    }
    let copies = protection.copies.map { Copy($0) }
    reporter.result(verdict.sentence.escaped)
    reporter.result(TextTable(.left, .left, rows: Self.fields(protection)))
    reporter.result(TextTable(.left, .left, .left, indentation: 2, rows: copies.map(\.row)))
    for job in protection.jobs {
      for line in Self.failedTests(of: job) { reporter.result(line.escaped) }
    }
    if let damage = protection.damageAction { reporter.result(CommandMessage.text(of: damage).escaped) }
    let export = protection.lastExport
    reporter.json(
      Summary(
        sentence: verdict.sentence, level: verdict.level, photos: protection.totals.photos,
        categories: protection.totals.categories, bytes: protection.totals.bytes, lastBackup: export?.at,
        lastBackupPhotos: export?.photos, lastBackupCategories: export?.categories,
        photosAddedSince: protection.photosAdded, lastArchive: export?.archive, copies: copies,
        lastSuccessfulRestoreTest: protection.testedAt))
    // without the ledger the copies are unknown
    if protection.ledgerProblem != nil { throw ExitStatus.incomplete }
  }

  private func show(_ groups: [PhotoGroup], _ reporter: Reporter) {
    reporter.result(
      TextTable(
        .left, .right, .right, .left,
        rows: groups.map { group in
          let dates = [group.oldest, group.newest].compactMap(\.self).map(LocalDay().text)
          return [
            group.key.escaped, "\(Count(group.photos, "photo"))", "\(ByteCount(group.bytes))",
            dates.isEmpty
              ? "-" : (dates.first == dates.last ? Array(dates.prefix(1)) : dates).joined(separator: " to "),
          ]
        }))
    for group in groups {
      reporter.json(
        GroupLine(
          key: group.key, photos: group.photos, bytes: group.bytes, oldest: group.oldest,
          newest: group.newest))
    }
    reporter.json(
      GroupSummary(
        groups: groups.count, photos: groups.saturatedSum(\.photos), bytes: groups.saturatedSum(\.bytes)))
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
        protection.testedAt.map { "test passed \(time($0))" } ?? "no test has passed; run smilepile drill",
      ],
    ]
  }

  /// Returns a line for each destination at which the last restore test did not pass.
  private static func failedTests(of job: JobStatus) -> [String] {
    let failed = job.restoreTests.filter { $0.outcome != .passed }
    if failed.isEmpty, let test = job.lastRestoreTest, !test.hasPassed {
      return ["restore test of \(test.archive) failed at \(time(test.at))"]
    }
    return failed.map { test in
      "restore test of \(test.archive ?? test.path) failed at \(time(test.at))"
        + (test.failure.map { ": \($0)" } ?? "")
    }
  }

  /// Returns the time and the counts of a backup, without reading its archive.
  private static func text(of export: ExportRecord, added: Int?) -> String {
    let categories = export.categories.map { " in \(Count($0, "category", "categories"))" } ?? ""
    let since = added.map { "; \(Count($0, "photo")) added since" } ?? ""
    return "\(time(export.at)), \(Count(export.photos, "photo"))\(categories)\(since)"
  }

  private static func time(_ milliseconds: Int64) -> String {
    Date(milliseconds: milliseconds).formatted(.iso8601)
  }
}

extension PhotoGrouping: ExpressibleByArgument {}
