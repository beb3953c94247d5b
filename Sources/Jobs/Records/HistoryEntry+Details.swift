import ArchiveCatalog
import SystemPackage

extension HistoryEntry {
  /// Reads the details. Blocks.
  package var details: HistoryDetails {
    var details: HistoryDetails = JobStatus.decoded(run.record) ?? HistoryDetails()
    if let backup = run.backup {
      details.archives = backup.run.archives
      details.message = backup.run.message
      details.keep(backup.findings)
    }
    if let test = run.restoreTest {
      (details.archives, details.report) = ([test.test.archive], test.test.report)
      details.findings = test.findings
    }
    return details
  }
}

extension Ledger {
  /// Returns the operations that started at this time or later, newest first. Blocks.
  ///
  /// - Parameters:
  ///   - date: nil for all.
  ///   - library: only operations of the library with this folder and ID; nil for all. If an ID is unknown, the folder
  ///     decides.
  package func history(
    since date: Timestamp? = nil, library: (path: FilePath, id: String?)?
  ) -> [HistoryEntry] {
    let entries = history(since: date)
    guard let library else { return entries }
    let wanted = JobStatus.LibraryIdentity(path: library.path, id: library.id)
    var known: [JobStatus.LibraryIdentity: Bool] = [:]
    return entries.filter { entry in
      guard let path = entry.run.libraryPath else { return false }
      let identity = JobStatus.LibraryIdentity(path: path, id: entry.run.libraryID)
      if let isSame = known[identity] { return isSame }
      known[identity] = identity.isSame(as: wanted)
      return known[identity] == true
    }
  }
}
