import Backup
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Second phase: what the library holds at the start of a run, as an export would select it.
struct LibrarySnapshot {
  /// The library, opened once for all phases that look at it.
  let library: Library
  /// The library's ID; nil if it has none.
  let libraryID: String?
  /// What an export would hold.
  let plan: ExportSummary

  /// Opens a library and plans an export. Blocks; reads only.
  ///
  /// - Throws: `LibraryError`, `FileError`, `FileLock.Busy`, `CancellationError`.
  init(_ path: FilePath, of job: Job, password: Secret?, _ counter: ProgressCounter) throws {
    let library = try Library(path: path)
    self.library = library
    libraryID = try library.libraryID()
    plan = try library.withPhotoReadLock(
      lockWait: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock
    ) { try job.plan(of: library, holding: library.contents(), password: password) }
  }
}
