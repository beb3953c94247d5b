import ArchiveCatalog
import Backup
import FileSystem
import Operations
import SystemPackage

/// Last phase, for inboxes with `after-import: delete`: deletes imported backups whose photos are all in a verified archive
/// of this job.
///
/// The archive has the current content of the library, so that it was made from the library after the import. Every archive
/// that its restore needs was verified, and is unchanged since. A backup without such an archive stays, and the next run
/// tries again.
struct InboxDeletion {
  let context: PhaseContext

  private var ledger: Ledger { context.observer.ledger }

  /// What the deletion did.
  struct Outcome {
    /// The deleted files.
    var deleted: [FilePath] = []
    /// Why files could not be deleted.
    var issues: [Issue] = []
  }

  /// Deletes files. Blocks.
  ///
  /// - Throws: `CancellationError`, and other environment failures. What was deleted before stays deleted.
  func run(_ destinations: [DestinationState]) throws -> Outcome {
    guard let library = context.libraryID, context.job.inboxes.contains(where: { $0.afterImport == .delete })
    else { return Outcome() }
    let lock: FileLock
    do {
      lock = try context.environment.state.lockInboxes(waiting: .zero, whileWaiting: {})
    } catch is FileLock.Busy {
      // another run imports or deletes now; the next run deletes the rest
      return Outcome()
    }
    let outcome = Result { try deleteAll(destinations, importedInto: library) }
    lock.release()
    return try outcome.get()
  }

  private func deleteAll(_ destinations: [DestinationState], importedInto library: String) throws -> Outcome {
    var result = Outcome()
    let imported = ledger.importedBackups(library: library)
    // opened when the first file needs them
    var archived: [ArchivedPhotos]?
    for inbox in context.job.inboxes where inbox.afterImport == .delete {
      try attempt(inbox, &result) { result in
        let folder = try inbox.open(outside: context.library, context.job.destinations.map(\.path))
        let contents = ledger.inboxContents(inFolder: folder.location)
        for (name, status) in try folder.files() {
          try context.counter.checkCancellation()
          let version = folder.version(name, status)
          guard let known = contents[version.location], known.file.isSameVersion(as: version),
            let backup = imported[known.content], backup.problem == nil
          else { continue }
          let found = try archived ?? destinations.compactMap(photos)
          archived = found
          try attempt(inbox, &result) { result in
            guard try delete(name, version, in: folder, ifAnyContains: found) else { return }
            result.deleted.append(folder.directory.path(of: name))
          }
        }
      }
    }
    return result
  }

  /// Performs a part of the deletion, whose failure does not keep the others from being performed.
  private func attempt(
    _ inbox: Inbox, _ result: inout Outcome, _ body: (inout Outcome) throws -> Void
  ) throws {
    do {
      try body(&result)
    } catch {
      if error.cause.isInconclusive { throw error }
      result.issues.append(.incomplete(.inbox, inbox.naming(JobMessage.text(of: error))))
    }
  }

  /// Returns the photos of the archives with the library's current content at a destination; nil if there are none, or if
  /// one that a restore needs is not intact and verified.
  private func photos(_ destination: DestinationState) throws -> ArchivedPhotos? {
    guard destination.reasonToSkip == nil, !destination.upToDateArchives.isEmpty,
      let inventory = destination.inventory?.updated(ledger)
    else { return nil }
    do {
      return try ArchivedPhotos(
        ofVerified: destination.upToDateArchives, in: inventory, ledger, context.password)
    } catch {
      if error.cause.isInconclusive { throw error }
      return nil
    }
  }

  private func delete(
    _ name: FilePath, _ version: ArchiveFile, in folder: borrowing InboxFolder,
    ifAnyContains archived: [ArchivedPhotos]
  ) throws -> Bool {
    guard !archived.isEmpty else { return false }
    func open() throws -> File { try folder.directory.open(name, .read) }
    let file = try open()
    guard try folder.version(name, file.status()) == version else { return false }
    let backup = try OpenedBackup(open(), password: context.password)
    guard try archived.contains(where: { try $0.containEveryPhoto(of: backup, context.counter) }),
      // also after the entries were read
      try folder.version(name, file.status()) == version
    else { return false }
    try folder.delete(name, file)
    return true
  }
}
