import ArchiveCatalog
import Backup
import FileSystem
import SystemPackage

/// The state of a destination during a run: its archives and the results of the run so far.
struct DestinationState {
  /// The entry of the job file.
  let configuration: JobDestination
  /// The archives in the folder, with the changes of this run; nil before they are listed.
  var inventory: ArchiveInventory?
  /// The archives with the current content of the library.
  var upToDateArchives: [ArchiveDescriptor] = []
  /// True if this run has written archives here.
  var hasNewArchives = false
  /// The paths of the archives that retention removed.
  var removed: [String] = []
  /// The newest copy of the library here.
  var copy: CopyRecord?
  /// The bytes of the file system that were free after the last phase; nil before, or if the destination failed.
  private(set) var freeBytes: Int?
  /// Why later phases skip this destination.
  private(set) var reasonToSkip: Issue?

  init(_ configuration: JobDestination) { self.configuration = configuration }

  /// The folder.
  var folder: FilePath { configuration.path }

  /// Reads the free space, unless the destination failed. Blocks.
  mutating func readFreeSpace() {
    guard reasonToSkip == nil else { return }
    freeBytes = try? Directory.open(folder).fileSystem().freeBytes
  }

  /// The record of this destination.
  var record: JobStatus.DestinationRecord {
    var record = JobStatus.DestinationRecord(path: folder.string)
    record.archives = upToDateArchives.map(\.path)
    record.isNew = hasNewArchives
    record.removed = removed
    record.failure = reasonToSkip?.message
    record.freeBytes = freeBytes
    return record
  }

  /// Returns the same destination with the reason why later phases skip it. Its archives do not count as archives with
  /// the library's current content.
  func skipped(because error: any Error) -> DestinationState {
    var destination = self
    destination.reasonToSkip = .incomplete(.destination(folder.string), JobMessage.text(of: error))
    destination.upToDateArchives = []
    return destination
  }
}
