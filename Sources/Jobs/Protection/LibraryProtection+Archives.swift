import ArchiveCatalog
import Backup
import FileSystem
import Operations
import SystemPackage

extension LibraryProtection {
  /// The archives that the jobs of a library have made.
  package struct Archives: Sendable {
    /// The paths, those of the newest copies that look restorable first, then the newest first.
    package var paths: [FilePath] = []
    /// The folders that cannot be listed, with the reasons.
    package var unreachable: [Finding] = []
  }

  /// Lists the archives in the folders of the jobs' copies and last runs. Also archives that count as no copy can have a
  /// photo that no other has. Blocks; writes descriptors of archives into the ledger.
  ///
  /// - Parameter id: the ID of the library. Archives of other libraries, and those of other users, are left out.
  package func archives(ofLibrary id: String?, _ ledger: Ledger) -> Archives {
    let usable = copies.filter { $0.problem == nil }.sorted { $0.copy.madeAt > $1.copy.madeAt }
    var found = Archives(paths: usable.flatMap(\.copy.archives).map { FilePath($0) })
    let folders = jobs.flatMap { job in
      job.copies.map(\.path) + [job.run, job.lastSuccess].flatMap { $0?.destinations.map(\.path) ?? [] }
    }
    for folder in Set(folders).sorted() {
      do {
        found.paths += try ArchiveInventory(folder: FilePath(folder), ledger: ledger).ownArchives.reversed()
          .filter { $0.isLocked || $0.libraryID == nil || $0.libraryID == id }.map { FilePath($0.path) }
      } catch {
        found.unreachable.append(Finding(folder, message: "\(error)"))
      }
    }
    var seen: Set<FilePath> = []
    found.paths.removeAll { !seen.insert($0.absolute).inserted }
    return found
  }
}
