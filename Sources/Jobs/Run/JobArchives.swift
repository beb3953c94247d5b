import ArchiveCatalog
import Backup
import Foundation
import PhotoLibrary

extension ArchiveInventory {
  /// The archives of a job that its password opens, oldest first.
  ///
  /// - Parameter library: the library's number, since jobs of two computers may share a name and a folder; nil if it has
  ///   none.
  func archives(of job: Job, in library: String?) -> [ArchiveDescriptor] {
    archives.filter { archive in
      archive.tags.contains(job.name) && !archive.isLocked
        && (library == nil || archive.libraryID == nil || archive.libraryID == library)
    }
  }
}
