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
  /// The jobs that back up the library.
  package let jobs: [JobStatus]
  /// The jobs that last backed up another library in the same folder.
  package let formerJobs: [JobStatus]
  /// The copies of the jobs.
  package let copies: [CountedCopy]
  /// When a restore test of a copy of the whole library passed last, in milliseconds since 1970.
  package let testedAt: Int64?
  /// Why the ledger cannot be read, so that the copies are unknown; nil if it can.
  package let ledgerProblem: String?

  /// The copies that can restore the entire library as it was when they were made.
  package var completeCopies: [CountedCopy] { copies.filter(\.isComplete) }
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
    jobs = known.filter { isOwn($0) && ($0.libraryID != nil || isHere($0)) }
    formerJobs = known.filter { !isOwn($0) && isHere($0) }
    copies = try CountedCopy.all(of: jobs) { copy in
      try library.photosAdded(sinceExport: copy.sequence, archive: copy.archive)
    }
    // a selection does not restore the library
    let whole = jobs.filter { $0.copies.isEmpty || $0.copies.contains { $0.isSelection != true } }
    let tests = copies.filter { $0.copy.isSelection != true }.compactMap { $0.test?.lastPassedAt }
    testedAt = (whole.compactMap(\.lastPassedTestAt) + tests).max()
    ledgerProblem = state.ledger.problem.map { "\($0)" }
  }
}
