import ArchiveCatalog
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// What protects a library: its copies, its last backup, and its restore tests.
package struct LibraryProtection: Sendable {
  /// The folder of the library.
  package let path: FilePath
  /// The number of photos, of categories, and of the bytes of photo files.
  package let totals: (photos: Int, categories: Int, bytes: Int)
  /// The last archive of the whole library; nil before the first export.
  package let lastExport: ExportRecord?
  /// The number of photos that were added after the last archive; nil if it is unknown.
  package let photosAdded: Int?
  /// The jobs that back up the library, without those that were renamed.
  package let jobs: [JobStatus]
  /// The jobs that last backed up another library in the same folder.
  package let formerJobs: [JobStatus]
  /// The copies of the jobs.
  package let copies: [LibraryCopy]
  /// When a restore test of a copy of the whole library passed last.
  package let testedAt: Timestamp?
  /// The photos that are known to be corrupt or missing.
  package var damage = PhotoDamage()
  /// Why the library cannot be opened, so that its photos are unknown; nil if it can.
  var libraryProblem: String?
  /// Why the ledger cannot be read, so that the copies are unknown; nil if it can.
  package let ledgerProblem: String?

  /// The copies that can restore the entire library as it was when they were made.
  package var completeCopies: [LibraryCopy] { copies.filter(\.isComplete) }
}

extension LibraryProtection {
  /// Describes the protection of a library. Blocks; reads no archive and writes nothing.
  package init(of library: Library, _ state: StateFolder) throws {
    path = library.path
    totals = try library.totals()
    lastExport = try library.lastExport()
    photosAdded = try lastExport.flatMap(library.photosAdded)
    let known = state.statuses()
    let id = try library.libraryID()
    let isHere = { (job: JobStatus) in job.isIn(folder: library.path) }
    let isOwn = { (job: JobStatus) in job.isOf(library: library.path, id: id) }
    // before a job's first backup only the folder identifies the library
    let own = known.filter { isOwn($0) && ($0.libraryID != nil || isHere($0)) }
    jobs = own.filter { job in !own.contains { $0.replaces(job) } }.map { $0.withEnd(in: state.ledger) }
    formerJobs = known.filter { !isOwn($0) && isHere($0) }
    copies = try LibraryCopy.all(of: jobs, in: library.path) { copy in
      try library.photosAdded(sinceExport: copy.sequence, archive: copy.archive)
    }
    // a selection does not restore the library
    let complete = jobs.filter { $0.copies.isEmpty || $0.copies.contains { !$0.isSelection } }
    let tests = copies.filter { !$0.copy.isSelection }.compactMap { $0.test?.lastPassedAt }
    testedAt = (complete.compactMap(\.lastPassedTestAt) + tests).max()
    if let id { damage = state.ledger.photoDamage(ofLibrary: id) }
    if !damage.isEmpty { damage.keepOnly(Set(try library.contents().photos.map(\.id))) }
    ledgerProblem = state.ledger.problem.map { "\($0)" }
  }
}

extension LibraryProtection {
  /// Describes what is known of a library that cannot be opened: the copies of a job. Blocks; reads no archive.
  ///
  /// - Parameter problem: why it cannot be opened.
  init(ofUnreadable path: FilePath, _ problem: String, backedUpBy job: JobStatus, _ state: StateFolder) {
    let job = job.withEnd(in: state.ledger)
    self.init(
      path: path, totals: (0, 0, 0), lastExport: nil, photosAdded: nil, jobs: [job], formerJobs: [],
      copies: LibraryCopy.all(of: [job], in: path) { _ in nil }, testedAt: job.lastPassedTestAt,
      libraryProblem: problem, ledgerProblem: state.ledger.problem.map { "\($0)" })
  }
}

extension JobStatus {
  /// Returns the status with the last run as interrupted if its process was killed.
  fileprivate func withEnd(in ledger: Ledger) -> JobStatus {
    guard run?.outcome == .running, let last = ledger.runs(of: job).first(where: { $0.kind == .backup }),
      !ledger.isRunning(last)
    else { return self }
    var status = self
    status.run?.outcome = .interrupted
    return status
  }

  /// Returns true if this job has taken the place of another: it made as complete copies later in each folder of that job,
  /// as after a job was renamed.
  fileprivate func replaces(_ other: JobStatus) -> Bool {
    job != other.job && !other.copies.isEmpty
      && other.copies.allSatisfy { old in
        copies.contains {
          $0.path == old.path && $0.isSelection == old.isSelection && $0.order >= old.order
        }
      } && (run?.startedAt ?? 0) > (other.run?.startedAt ?? 0)
  }
}
