import ArchiveCatalog
import Backup
import FileSystem
import Operations
import SystemPackage

extension LibraryProtection {
  /// The archives that the jobs of a library have made.
  package struct Archives: Sendable {
    /// The paths: those of the newest copies that look restorable, then the newest first, then files that cannot be read as
    /// archives but may have photos.
    package var paths: [FilePath] = []
    /// The folders that cannot be listed, or whose disk may not be mounted, with the reasons.
    package var unreachable: [Finding] = []
  }

  /// Lists all archives in the folders of the jobs' copies and last runs, since an incomplete one can have a photo that no
  /// other has. Blocks; writes descriptors of archives into the ledger.
  ///
  /// - Parameter id: the ID of the library. Archives of other libraries, and those of other users, are left out.
  package func archives(ofLibrary id: String?, _ ledger: Ledger) -> Archives {
    let usable = copies.filter { $0.problem == nil }.sorted { $0.copy.madeAt > $1.copy.madeAt }
    var archives: [ArchiveDescriptor] = []
    var unreadable: [FilePath] = []
    var unreachable: [String: Finding] = [:]
    for copy in copies where copy.problem == .unreachable {
      let path = copy.copy.path
      unreachable[path] = Finding(.folder(path), message: "archives of \(path) are missing")
    }
    let folders = jobs.flatMap { job in
      job.copies.map(\.path) + [job.run, job.lastSuccess].flatMap { $0?.destinations.map(\.path) ?? [] }
    }
    for folder in Set(folders).sorted() {
      do {
        let inventory = try ArchiveInventory(folder: FilePath(folder), ledger: ledger)
        archives += inventory.ownArchives.filter { $0.isLocked || $0.mayBe(ofLibrary: id) }
        unreadable += inventory.unreadable.filter { !$0.hasOtherOwner }.map { FilePath($0.path) }
      } catch {
        unreachable[folder] = Finding(.folder(folder), message: "\(error)")
      }
    }
    archives.sort { $0.date > $1.date }
    var seen: Set<FilePath> = []
    return Archives(
      paths: (usable.flatMap(\.copy.archives).map { FilePath($0) } + archives.map { FilePath($0.path) }
        + unreadable)
        .filter { seen.insert($0.absolute).inserted },
      unreachable: unreachable.sorted { $0.key < $1.key }.map(\.value))
  }
}
