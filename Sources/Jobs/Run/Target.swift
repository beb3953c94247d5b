import ArchiveCatalog
import Backup
import SystemPackage

/// The state of a destination during a run: its archives and the results of the run so far.
struct Target {
  let destination: JobDestination
  /// The archives in the folder, with the changes of this run; nil before they are listed.
  var inventory: ArchiveInventory?
  /// The archives with the current state of the library.
  var current: [ArchiveDescriptor] = []
  /// True if this run has written archives here.
  var isNew = false
  /// The paths of the archives that retention removed.
  var removed: [String] = []
  /// The newest copy of the library here.
  var copy: JobStatus.Copy?
  /// Why later phases skip this destination.
  private(set) var failure: Issue?

  init(_ destination: JobDestination) { self.destination = destination }

  /// The folder.
  var folder: FilePath { destination.path }

  /// The record of this destination.
  var record: JobStatus.DestinationRecord {
    var record = JobStatus.DestinationRecord(path: folder.string)
    record.archives = current.map(\.path)
    record.isNew = isNew
    record.removed = removed
    record.failure = failure?.message
    return record
  }

  /// Returns the same destination after a failure. Later phases skip it, and its archives do not count as the
  /// current state of the library.
  func failed(_ error: any Error) -> Target {
    var target = self
    target.failure = .incomplete(.destination(folder.string), JobMessage.text(of: error))
    target.current = []
    return target
  }
}
