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
    abstract: "Show the size of a library, its last backup and its copies.",
    discussion: """
      Counts copies that jobs made: archives that are intact, complete, reachable and unchanged.

      Example:
        smilepile stats -l ~/Family
      """)

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: CommonOptions

  private enum Problem: String, Encodable {
    case suspect, unreachable, changed

    var text: String {
      switch self {
      case .suspect: "suspect: found corrupt, or a restore test failed"
      case .unreachable: "unreachable: missing, or its disk is not mounted"
      case .changed: "changed after the backup, or partly missing"
      }
    }
  }

  private struct Copy: Encodable {
    var job: String
    var path: String
    var archive: String
    var madeAt: Int64
    var verifiedAt: Int64?
    var sameDevice: Bool
    var isRestorable: Bool
    var isSelection: Bool
    /// The number of the library's photos that are missing from the copy or corrupt in it.
    var missingPhotos: Int
    /// True if the copy depends on a file that an earlier copy depends on.
    var isShared: Bool

    /// Why `isRestorable` is false.
    var problem: Problem?

    /// True if the copy can restore the entire library.
    var counts: Bool { isRestorable && !isSelection && missingPhotos == 0 && !isShared }

    var row: [String] {
      let facts = [
        verifiedAt.map { "verified \(Stats.time($0))" } ?? "unverified",
        sameDevice
          ? "on the same device as the library, or in memory: no protection if the device fails" : nil,
        problem?.text,
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

  func run() async throws {
    let library = try Library(path: library.path())
    let totals = try library.totals()
    let export = try library.lastExport()
    let added = try export.flatMap(library.photosAdded)
    let reporter = Reporter(output)
    let (jobs, former) = try Self.jobs(of: library)
    for job in former {
      reporter.warn(
        "job “\(job.job)” last backed up another library at this path; copies of that library are not counted"
      )
    }
    let copies = Self.copies(of: jobs)
    // a selection does not restore the library
    let whole = jobs.filter { $0.copies.isEmpty || $0.copies.contains { $0.isSelection != true } }
    let tested = whole.compactMap(\.lastPassedTestAt).max()
    var fields = [
      ["photos", "\(totals.photos)"],
      ["categories", "\(totals.categories)"],
      ["bytes", "\(totals.bytes) (\(ByteCount(totals.bytes)))"],
      ["last backup", export.map { Self.text(of: $0, added: added) } ?? "never"],
    ]
    if let export { fields.append(["archive", export.archive.escaped]) }
    if jobs.isEmpty {
      fields.append(["copies", Ledger.ofThisUser.problem == nil ? "none made by a job" : "unknown"])
    } else {
      let complete = copies.filter(\.counts)
      let safe = complete.count { !$0.sameDevice }
      fields += [
        ["copies", "\(complete.count), of which \(Count(safe, "copy is", "copies are")) on another device"],
        [
          "restore",
          tested.map { "test passed \(Self.time($0))" } ?? "no test has passed; run smilepile drill",
        ],
      ]
    }
    reporter.result(TextTable(.left, .left, rows: fields))
    reporter.result(TextTable(.left, .left, .left, indentation: 2, rows: copies.map(\.row)))
    for drill in jobs.compactMap(\.lastRestoreTest) {
      if !drill.hasPassed {
        reporter.result("restore test of \(drill.archive.escaped) failed at \(Self.time(drill.at))")
      }
      guard let damaged = drill.damaged else { continue }
      reporter.result(
        "the restore test found \(Count(damaged, "photo")) of the library damaged; run smilepile repair -l")
    }
    reporter.json(
      Summary(
        photos: totals.photos, categories: totals.categories, bytes: totals.bytes,
        lastBackup: export?.at, lastBackupPhotos: export?.photos, lastBackupCategories: export?.categories,
        photosAddedSince: added, lastArchive: export?.archive, copies: copies,
        lastSuccessfulRestoreTest: tested))
    // without the ledger the copies are unknown
    if Ledger.ofThisUser.problem != nil { throw ExitStatus.incomplete }
  }

  /// Returns the jobs that back up this library, and those that backed up another library in its folder.
  private static func jobs(of library: Library) throws -> (own: [JobStatus], former: [JobStatus]) {
    let known = StateFolder.ofThisUser.statuses()
    let id = try library.libraryID()
    let isHere = { (job: JobStatus) in job.isIn(folder: library.path) }
    let isOwn = { (job: JobStatus) in job.isOf(library: library.path, id: id) }
    // before a job's first backup only the folder identifies the library
    let own = known.filter { isOwn($0) && ($0.libraryID != nil || isHere($0)) }
    return (own, known.filter { !isOwn($0) && isHere($0) })
  }

  private static func copies(of jobs: [JobStatus]) -> [Copy] {
    var seen: Set<FileStatus.Identity> = []
    return jobs.flatMap { job in
      job.copies.map { copy in
        let paths = copy.archives.map { FilePath($0) }
        let isRestorable = copy.looksRestorable
        let isAway = !copy.archives.contains(where: FileManager.default.fileExists)
        let files = paths.compactMap { try? File.open($0, .readFollowingLinks).status().identity }
        let isShared = !seen.isDisjoint(with: files)
        if isRestorable, copy.isSelection != true, copy.missingPhotos == nil { seen.formUnion(files) }
        return Copy(
          job: job.job, path: copy.path, archive: copy.archive, madeAt: copy.madeAt,
          verifiedAt: isRestorable || isAway ? copy.verifiedAt : nil,
          sameDevice: copy.isOnSameDevice, isRestorable: isRestorable, isSelection: copy.isSelection == true,
          missingPhotos: copy.missingPhotos ?? 0, isShared: isShared,
          problem: isRestorable ? nil : copy.suspectSince != nil ? .suspect : isAway ? .unreachable : .changed
        )
      }
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
