import ArchiveCatalog
import Backup
import Foundation
import PhotoLibrary

extension ArchiveDescriptor {
  /// Returns true if the archive has no plain entries, or if the job does not encrypt.
  func isEncrypted(asRequiredBy job: Job) -> Bool { job.password == nil || isFullyEncrypted }
}

extension ArchiveInventory {
  /// Returns the archives of a job that belong to this user and can be decrypted, oldest first. If the job encrypts,
  /// leaves out archives with plain entries: they can be made without the password.
  ///
  /// - Parameter library: the library's ID, since jobs of two computers may share a name and a folder; nil if
  ///   the library has no ID.
  func archives(of job: Job, in library: String?) -> [ArchiveDescriptor] {
    ownArchives.filter { archive in
      archive.tags.contains(job.name) && !archive.isLocked && archive.isEncrypted(asRequiredBy: job)
        && (library == nil || archive.libraryID == nil || archive.libraryID == library)
    }
  }
}
