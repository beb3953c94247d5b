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
    abstract: "Say how much a library holds, and when it was last backed up.",
    discussion: """
      Example:
        smilepile stats -l ~/Family
      """)

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  private enum Obstacle: String, Encodable {
    case doubted, away, changed

    var text: String {
      switch self {
      case .doubted: "found damaged, or not restored by a drill"
      case .away: "not there: gone, or its disk is not mounted"
      case .changed: "changed since, or gone in part"
      }
    }
  }

  private struct Copy: Encodable {
    var job: String
    var path: String
    var archive: String
    var made_at: Int64
    var verified_at: Int64?
    var same_device: Bool
    var is_there: Bool
    var is_selection: Bool
    /// Photos of its library that it has not, or not as they should be.
    var lacking: Int
    /// It needs a file that a copy before it needs, and goes with that.
    var is_shared: Bool

    /// Why it is not there.
    var obstacle: Obstacle?

    /// It can bring the whole library back by itself.
    var counts: Bool { is_there && !is_selection && lacking == 0 && !is_shared }
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var photos: Int
    var categories: Int
    var bytes: Int
    var last_backup: Int64?
    var last_archive: String?
    var copies: [Copy]
    var last_proven_restore: Int64?

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: CodingKeys.self)
      try object.encode(message_type, forKey: .message_type)
      try object.encode(photos, forKey: .photos)
      try object.encode(categories, forKey: .categories)
      try object.encode(bytes, forKey: .bytes)
      // null and not left out: "never" is an answer
      try object.encode(last_backup, forKey: .last_backup)
      try object.encode(last_archive, forKey: .last_archive)
      try object.encode(copies, forKey: .copies)
      try object.encode(last_proven_restore, forKey: .last_proven_restore)
    }

    private enum CodingKeys: CodingKey {
      case message_type, photos, categories, bytes, last_backup, last_archive, copies, last_proven_restore
    }
  }

  func run() async throws {
    let library = try Library(path: library.path())
    let totals = try library.totals()
    let export = try library.lastExport()
    let reporter = Reporter(output)
    reporter.result("photos       \(totals.photos)")
    reporter.result("categories   \(totals.categories)")
    reporter.result("bytes        \(totals.bytes) (\(ByteCount(totals.bytes)))")
    if let export {
      let date = Date(milliseconds: export.at).formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
      reporter.result("last backup  \(date), \(export.archive.escaped)")
    } else {
      reporter.result("last backup  never")
    }
    let (jobs, former) = try Self.jobs(of: library)
    for job in former {
      reporter.warn(
        "job “\(job.job)” last backed up another library that lay here; its copies are not counted")
    }
    let copies = Self.copies(of: jobs)
    // what restores a selection restores no library
    let whole = jobs.filter { $0.copies.isEmpty || $0.copies.contains { $0.isSelection != true } }
    let proven = whole.compactMap(\.lastProvenAt).max()
    if jobs.isEmpty {
      reporter.result("copies       \(Ledger.ofThisUser.problem == nil ? "none by a job" : "not known")")
    } else {
      show(copies, proven, jobs.compactMap(\.lastDrill), reporter)
    }
    reporter.json(
      Summary(
        photos: totals.photos, categories: totals.categories, bytes: totals.bytes,
        last_backup: export?.at, last_archive: export?.archive, copies: copies, last_proven_restore: proven))
    // what the ledger does not say is not taken for nothing
    let problem = Ledger.ofThisUser.problem
    try Ledger.ofThisUser.reportProblem(reporter)
    if problem != nil { throw ExitStatus.incomplete }
  }

  /// Returns the jobs that back up this library, wherever it was then, and those that backed up another one in its folder.
  private static func jobs(of library: Library) throws -> (own: [JobStatus], former: [JobStatus]) {
    let known = StateFolder.ofThisUser.statuses()
    let number = try library.libraryID()
    let isHere = { (job: JobStatus) in job.isIn(folder: library.path) }
    let isOwn = { (job: JobStatus) in job.isOf(library: library.path, number: number) }
    // before a job's first backup nothing but the folder tells
    let own = known.filter { isOwn($0) && ($0.libraryNumber != nil || isHere($0)) }
    return (own, known.filter { !isOwn($0) && isHere($0) })
  }

  private static func copies(of jobs: [JobStatus]) -> [Copy] {
    var seen: Set<FileStatus.Identity> = []
    return jobs.flatMap { job in
      job.copies.map { copy in
        let paths = copy.archives.map { FilePath($0) }
        let isThere = copy.isThere
        let isAway =
          copy.isOutOfReach == true || !copy.archives.contains(where: FileManager.default.fileExists)
        let files = paths.compactMap { try? File.open($0, .readFollowingLinks).status().identity }
        let isShared = !seen.isDisjoint(with: files)
        if isThere, copy.isSelection != true, copy.missingPhotos == nil { seen.formUnion(files) }
        return Copy(
          job: job.job, path: copy.path, archive: copy.archive, made_at: copy.madeAt,
          verified_at: isThere || isAway ? copy.verifiedAt : nil,
          same_device: copy.isOnSameDevice, is_there: isThere, is_selection: copy.isSelection == true,
          lacking: copy.missingPhotos ?? 0, is_shared: isShared,
          obstacle: isThere ? nil : copy.suspectSince != nil ? .doubted : isAway ? .away : .changed)
      }
    }
  }

  private func show(
    _ copies: [Copy], _ proven: Int64?, _ drills: [JobStatus.DrillRecord], _ reporter: Reporter
  ) {
    func day(_ milliseconds: Int64) -> String { Date(milliseconds: milliseconds).formatted(.iso8601) }
    let whole = copies.filter(\.counts)
    let safe = whole.count { !$0.same_device }
    reporter.result(
      "copies       \(whole.count), \(safe) of them on other devices than the library's")
    for copy in copies {
      let facts = [
        copy.verified_at.map { "verified \(day($0))" } ?? "not known to be verified",
        copy.same_device ? "on the library's own device, or in memory: no protection" : nil,
        copy.obstacle?.text,
        copy.is_selection ? "a selection, not the whole library" : nil,
        copy.lacking > 0
          ? "without \(Count(copy.lacking, "photo")) of the library, or with other bytes" : nil,
        copy.is_shared ? "needs a file of a copy above" : nil,
      ].compactMap { $0 }
      reporter.result("  \(day(copy.made_at))  \(copy.archive.escaped), \(facts.joined(separator: ", "))")
    }
    reporter.result(
      "restore      \(proven.map { "proven \(day($0))" } ?? "never proven; smilepile drill does that")")
    for drill in drills {
      if !drill.isProven { reporter.result("  \(day(drill.at))  FAILED: \(drill.archive.escaped)") }
      guard let damaged = drill.damaged else { continue }
      reporter.result("  \(Count(damaged, "photo")) of the library found damaged; smilepile heal may help")
    }
  }
}
