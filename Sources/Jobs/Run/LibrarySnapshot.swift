import Backup
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Second phase: the photos in the library at the start of a run, as an export would select them.
struct LibrarySnapshot {
  /// The library, opened once for all phases.
  let library: Library
  /// The library's ID; nil if it has none.
  let libraryID: String?
  /// The plan of an export.
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
