import ArchiveCatalog
import Backup
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import Synchronization
import SystemPackage

/// Looks for a verified archive that contains every photo of a library.
///
/// It looks in the destinations of the library's jobs, and in the folders of all exports of the library. In each folder
/// the newest archive of the whole library counts, if all files that its restore needs are verified and unchanged since.
/// Photos are compared by MD5 and length.
final class VerifiedArchiveSearch: Sendable {
  /// What was found.
  struct Found: Sendable {
    /// The path of the archive; nil if the search found no archive, or did not begin.
    var archive: String?
    /// Why folders could not be searched.
    var warnings: [String] = []
  }

  /// A folder to search, and its password.
  private typealias Source = (folder: FilePath, password: Secret?)

  private let library: FilePath
  private let libraryID: String?
  private let exportIDs: Set<String>
  private let sources: [Source]
  /// Why destinations of jobs cannot be read.
  private let faults: [String]
  private let ledger: Ledger
  private let counter: ProgressCounter
  private let state = Mutex(Found())

  /// Collects the folders. Blocks.
  ///
  /// - Throws: `LibraryError`, or the errors of a job's password.
  init(_ reset: LibraryReset, _ environment: JobEnvironment, _ counter: ProgressCounter) throws {
    let library = try Library(path: reset.library)
    (self.library, ledger, self.counter) = (reset.library, environment.ledger, counter)
    (libraryID, exportIDs) = (try library.libraryID(), try library.exportIDs())
    var faults: [String] = []
    var sources: [Source] = []
    for job in reset.jobs {
      let password = try job.password.map(environment.password)
      let (folders, unreadable) = job.destinations.readable()
      faults += unreadable
      sources += folders.map { ($0, password) }
    }
    self.faults = faults
    let folders = Set(try library.exportedArchives().map { FilePath($0).folder })
    sources += folders.sorted { $0.string < $1.string }.map { ($0, reset.password) }
    var seen: Set<FilePath> = []
    self.sources = sources.filter { source in
      // a folder that was removed since an export has no archive
      source.folder.realPath.map { seen.insert($0).inserted } ?? false
    }
  }

  /// What the last search found.
  var found: Found { state.withLock { $0 } }

  /// Searches for an archive. Blocks.
  ///
  /// - Throws: `ResetRefusal.notArchived` if no verified archive contains all these photos; environment failures;
  ///   `CancellationError`.
  func requireArchive(of photos: [Photo]) throws {
    var found = Found(warnings: faults)
    defer { state.withLock { $0 = found } }
    var nearest: (archive: String, missing: Int)?
    for source in sources {
      guard let (archive, archived) = try newestArchive(in: source, &found) else { continue }
      let missing = photos.count { photo in
        photo.content.map { !archived.contain($0) } ?? false
      }
      found.archive = missing == 0 ? archive : nil
      if missing == 0 { return }
      if nearest.map({ missing < $0.missing }) ?? true { nearest = (archive, missing) }
    }
    throw ResetRefusal.notArchived(
      library, photos: photos.count, missing: nearest?.missing ?? photos.count, nearest: nearest?.archive)
  }

  /// Returns the newest verified archive of the whole library in a folder, and its photos; nil if the folder has no such archive.
  private func newestArchive(
    in source: Source, _ found: inout Found
  ) throws -> (path: String, photos: ArchivedPhotos)? {
    do {
      let inventory = try ArchiveInventory(
        folder: source.folder, password: source.password, ledger: ledger,
        whileReading: counter.checkCancellation)
      for archive in inventory.ownArchives.reversed() where isOfLibrary(archive) {
        if let photos = try ArchivedPhotos(ofVerified: [archive], in: inventory, ledger, source.password) {
          return (archive.path, photos)
        }
      }
    } catch {
      if error.cause.isInconclusive { throw error }
      found.warnings.append("\(source.folder) was not searched for archives: \(error)".escaped)
    }
    return nil
  }

  private func isOfLibrary(_ archive: ArchiveDescriptor) -> Bool {
    !archive.isLocked && archive.isOfWholeLibrary
      && (libraryID != nil && archive.libraryID == libraryID
        || !exportIDs.isDisjoint(with: archive.exportIDs))
  }
}
