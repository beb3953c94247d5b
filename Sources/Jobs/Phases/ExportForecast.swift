import Backup
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Second phase: the library, and what an export would have written at the start of the run. Later phases read the
/// library again.
struct ExportForecast {
  /// The library.
  let library: Library
  /// The library's ID; nil if it has none.
  let libraryID: String?
  /// The summary of a dry run.
  let summary: ExportSummary

  /// Opens a library and plans an export. Blocks; reads only.
  ///
  /// - Throws: `LibraryError`, `FileError`, `FileLock.Busy`, `CancellationError`.
  init(_ path: FilePath, of job: Job, password: Secret?, _ counter: ProgressCounter) throws {
    let library = try Library(path: path)
    self.library = library
    libraryID = try library.libraryID()
    summary = try library.withPhotoReadLock(
      lockWait: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock
    ) { try job.forecast(of: library, contents: library.contents(), password: password) }
  }
}
