import ArchiveCatalog
import Backup
import FileSystem
import SystemPackage

/// The disk space of a job's archives at a destination.
package struct DestinationStorage: Sendable {
  /// The archives of the job, and the free space.
  package struct Space: Sendable, Equatable {
    /// The number of archives.
    package var archives = 0
    /// The allocated bytes of the archives.
    package var bytes = 0
    /// The bytes of the file system that are free for this user.
    package var freeBytes = 0
  }

  /// The job's name.
  package let job: String
  /// The folder.
  package let path: FilePath
  /// The space; or why the folder cannot be read, for example because its disk is not mounted.
  package let space: Result<Space, any Error>

  /// Lists the archives of a job. Opens archives that the ledger does not know, and writes their descriptors
  /// into the ledger. Blocks.
  ///
  /// - Parameter libraryID: the ID of the job's library; nil to count the archives of every library.
  package init(_ destination: JobDestination, of job: Job, libraryID: String?, _ ledger: Ledger) {
    (self.job, path) = (job.name, destination.path)
    space = Result {
      try destination.checkForReading()
      return try Space(in: destination.path, of: job, libraryID: libraryID, ledger)
    }
  }
}

extension DestinationStorage.Space {
  fileprivate init(in folder: FilePath, of job: Job, libraryID: String?, _ ledger: Ledger) throws {
    let directory = try Directory.open(folder)
    freeBytes = try directory.fileSystem().freeBytes
    let inventory = try ArchiveInventory(folder: folder, ledger: ledger)
    for archive in inventory.archives where archive.tags.contains(job.name) {
      guard archive.mayBe(ofLibrary: libraryID),
        let status = try directory.status(of: FilePath(archive.name))
      else { continue }
      archives += 1
      bytes += status.allocatedBytes
    }
  }
}
