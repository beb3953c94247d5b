import ArchiveCatalog
import FileSystem
import PhotoLibrary
import SystemPackage

extension JobEnvironment {
  /// Writes the status of a job into its status file, and into the status, metrics and page files of the job file.
  /// A backup and a restore test of one job may run at the same time, so writers take turns. Blocks.
  ///
  /// - Returns: the problem of the ledger, and why files could not be written.
  func writeStatusFiles(of job: Job) -> [String] {
    // without the lock, for example in an unreadable folder, still writes the files that can be written
    let lock = try? FolderLock(state.path, exclusive: true, waiting: .seconds(30))
    defer { withExtendedLifetime(lock) {} }
    let status = state.status(of: job.name)
    var problems = ledger.problem.map { ["\($0)"] } ?? []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { problems.append("the status of job \(job.name) cannot be written: \(error)") }
    }
    attempt {
      _ = try state.openFolder()
      try AtomicFile.replace(FilePath("\(job.name).json"), in: state.path, with: try status.json())
    }
    if let file = job.statusFile {
      attempt { try WatchedFile.status.replace(file, with: status.json(), outside: state.path) }
    }
    if let file = job.reportFile, let library = job.library {
      attempt {
        try page(of: library, backedUpBy: status).write(to: file, outside: state, message: message)
      }
    }
    if let file = job.prometheusFile {
      attempt {
        let text = PrometheusText(status).text
        try WatchedFile.metrics.replace(file, with: [UInt8](text.utf8), outside: state.path)
      }
    }
    return problems
  }

  /// Returns the page of a library, or one that says that the library cannot be opened: an earlier page would be wrong.
  private func page(of library: FilePath, backedUpBy job: JobStatus) -> StatusPage {
    do {
      return try StatusPage(of: Library(path: library), state, now: now())
    } catch {
      return StatusPage(ofUnreadable: library, "\(error)", backedUpBy: job, state, now: now())
    }
  }
}
