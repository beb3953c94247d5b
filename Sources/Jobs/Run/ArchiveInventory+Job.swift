import ArchiveCatalog
import Backup
import Foundation
import PhotoLibrary

extension ArchiveInventory {
  /// Returns the archives of a job that can be decrypted, oldest first.
  ///
  /// - Parameter library: the library's ID, since jobs of two computers may share a name and a folder; nil if
  ///   the library has no ID.
  func archives(of job: Job, in library: String?) -> [ArchiveDescriptor] {
    archives.filter { archive in
      archive.tags.contains(job.name) && !archive.isLocked
        && (library == nil || archive.libraryID == nil || archive.libraryID == library)
    }
  }
}
