import ArchiveCatalog
import Backup
import SystemPackage

/// A destination during a run: its archives, and what the run did there so far.
struct Target {
  let destination: JobDestination
  /// The archives in the folder, as the run listed them and has changed them since; nil before they are listed.
  var inventory: ArchiveInventory?
  /// The archives that hold the library as it is now.
  var current: [ArchiveDescriptor] = []
  /// This run has written archives here.
  var isNew = false
  /// The paths of the archives that retention removed.
  var removed: [String] = []
  /// The newest copy of the library here.
  var copy: JobStatus.Copy?
  /// Why this destination is not used any more.
  private(set) var failure: Issue?

  init(_ destination: JobDestination) { self.destination = destination }

  /// The folder.
  var folder: FilePath { destination.path }

  /// What the run's record holds of this destination.
  var record: JobStatus.DestinationRecord {
    var record = JobStatus.DestinationRecord(path: folder.string)
    record.archives = current.map(\.path)
    record.isNew = isNew
    record.removed = removed
    record.failure = failure?.message
    return record
  }

  /// Returns the same destination after a failure: no later phase uses it, and nothing there counts as the library's
  /// current state.
  func failed(_ error: any Error) -> Target {
    var target = self
    target.failure = .incomplete(.destination(folder.string), JobMessage.text(of: error))
    target.current = []
    return target
  }
}
