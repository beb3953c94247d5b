import ArchiveCatalog
import Backup
import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Imports the new backups in the inboxes of a job into its library.
///
/// A backup is identified by the SHA-256 of its file. The ledger records which version of a file has which content, and
/// which contents are imported into which library:
///
/// | the ledger has | meaning | what a run does |
/// |---|---|---|
/// | neither | new | reads, imports, records both in one transaction, moves |
/// | the content, imported | moved, copied or uploaded again | reads, records the version, moves |
/// | version and content, imported | known | moves, without reading; after an interruption between import and move |
/// | version and content, damaged | reported again | nothing |
///
/// An import of a backup that was imported before adds nothing, so a run that is killed before it records an import does no
/// harm.
struct InboxRun: RunPart {
  let input: RunInput
  /// True to report only. A dry run takes no lock and writes nothing.
  var isDryRun = false

  /// The state of one run.
  struct Pass {
    /// The ID of the library; its path if it has none.
    let libraryID: String
    /// The backups that were imported into the library, by content.
    var imported: [[UInt8]: ImportedBackup]
    var report = InboxReport()

    mutating func note(_ name: FilePath, in folder: borrowing InboxFolder, _ state: InboxFile.State) {
      report.files.append(InboxFile(folder.inbox, name, state))
    }
  }

  /// Imports the new backups once. Blocks.
  ///
  /// - Throws: errors that concern the library or this process, not an inbox or a file: `InboxFault.busy`, `LibraryError`,
  ///   `FileLock.Busy`, environment failures, `CancellationError`. What was imported before stays imported.
  func run() throws -> InboxReport {
    guard !isDryRun else { return try readAll() }
    let lock = try lockInboxes()
    let report = Result { try readAll() }
    lock.release()
    return try report.get()
  }

  private func readAll() throws -> InboxReport {
    let id = try Library(path: library).libraryID() ?? ArchiveFile.location(of: library)
    var pass = Pass(libraryID: id, imported: environment.ledger.importedBackups(library: id))
    for (inbox, share) in zip(job.inboxes, counter.parts(job.inboxes.count)) {
      try counter.checkCancellation()
      counter.begin(share)
      do {
        let folder = try inbox.open(outside: library, job.destinations.map(\.path))
        try read(folder, &pass)
      } catch let error as InboxFault {
        pass.report.faults.append(inbox.naming("\(error)"))
      } catch let error as OwnershipError {
        pass.report.faults.append(inbox.naming(JobMessage.text(of: error)))
      } catch let error as FileError where error.cause != .environment {
        pass.report.faults.append(inbox.naming("\(error)"))
      }
    }
    return pass.report
  }

  private func lockInboxes() throws -> FileLock {
    do {
      return try environment.state.lockInboxes(
        waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
    } catch let busy as FileLock.Busy {
      throw InboxFault.busy(busy)
    }
  }

  // MARK: Files

  private func read(_ folder: borrowing InboxFolder, _ pass: inout Pass) throws {
    let files = try folder.files()
    let contents = environment.ledger.inboxContents(inFolder: folder.location)
    for ((name, status), share) in zip(files, counter.parts(files.count)) {
      try counter.checkCancellation()
      let version = folder.version(name, status)
      let known = contents[version.location].flatMap { known in
        known.file.isSameVersion(as: version) ? pass.imported[known.content] : nil
      }
      if let known {
        try finish(name, version, known, in: folder, &pass)
        continue
      }
      counter.begin(share)
      do {
        try readNew(name, in: folder, &pass)
      } catch let error as FileError where error.isMissing {
        // another program has moved the file meanwhile
      }
    }
    let present = Set(files.map { folder.version($0.name, $0.status).location })
    if !isDryRun {
      environment.ledger.forgetInboxFiles(contents.keys.filter { !present.contains($0) }.sorted())
    }
  }

  /// Handles a file whose content is not known.
  private func readNew(
    _ name: FilePath, in folder: borrowing InboxFolder, _ pass: inout Pass
  ) throws {
    if UnfinishedFile.isTemporary(name) { return pass.note(name, in: folder, .unfinished(.temporaryName)) }
    guard
      try BackupFiles.hasBackupExtension(name) || BackupFiles.mayBeBackup(name, in: folder.directory)
    else { return pass.note(name, in: folder, .ignored) }
    let file: File
    do throws(FileError) {
      file = try folder.directory.open(name, .read)
    } catch {
      if error.isMissing || error.cause == .environment { throw error }
      return pass.note(name, in: folder, .unreadable(reason: "\(error)"))
    }
    let status = try file.status()
    if let settling = UnfinishedFile.settlingEnd(of: status, now: now) {
      pass.report.nextSettling = min(pass.report.nextSettling ?? settling, settling)
      return pass.note(name, in: folder, .unfinished(.modified))
    }
    if file.isOpenForWriting() == true { return pass.note(name, in: folder, .unfinished(.openForWriting)) }
    let backup: OpenedBackup
    do {
      backup = try open(name, folder, as: status)
    } catch {
      if error.cause.isInconclusive || (error as? FileError)?.isMissing == true { throw error }
      return pass.note(name, in: folder, state(of: folder.directory.path(of: name), status, after: error))
    }
    let content = try SHA256Digest(of: file) { _ in try counter.checkCancellation() }.bytes
    guard try file.status().version == status.version else {
      return pass.note(name, in: folder, .unfinished(.modified))
    }
    let version = folder.version(name, status)
    if let known = pass.imported[content] {
      if !isDryRun { environment.ledger.record(content, of: version) }
      return try finish(name, version, known, in: folder, &pass)
    }
    try add(backup, content, name, file, version, in: folder, &pass)
  }

  /// Opens the file again, since a backup keeps its own open file.
  private func open(
    _ name: FilePath, _ folder: borrowing InboxFolder, as status: FileStatus
  ) throws -> OpenedBackup {
    func attempt(_ password: Secret?) throws -> OpenedBackup {
      let file = try folder.directory.open(name, .read)
      let now = try file.status()
      guard now.identity == status.identity, now.version == status.version else {
        throw ArchiveError.changed(file.path)
      }
      return try OpenedBackup(file, password: password)
    }
    do {
      return try attempt(nil)
    } catch  where error.cause.isOfPassword && job.password != nil {
      return try attempt(job.password.map(environment.password))
    }
  }

  private func state(of path: FilePath, _ status: FileStatus, after error: any Error) -> InboxFile.State {
    let isBroken = BackupFiles.isBroken(path, status.size, error)
    let hasNoEnd =
      switch error {
      case ArchiveError.truncated, ArchiveError.emptyFile: true
      default: status.size == 0 || isBroken
      }
    if hasNoEnd, UnfinishedFile.mayContinue(status, now: now) { return .unfinished(.noEnd) }
    if case ArchiveError.changed = error { return .unfinished(.modified) }
    if !isBroken, BackupFiles.isThirdParty(path, error) { return .ignored }
    return .unreadable(reason: JobMessage.text(of: error))
  }

  // MARK: After the import

  /// Handles a file whose content was imported before.
  private func finish(
    _ name: FilePath, _ version: ArchiveFile, _ known: ImportedBackup, in folder: borrowing InboxFolder,
    _ pass: inout Pass
  ) throws {
    if let problem = known.problem { return pass.note(name, in: folder, .damaged(reason: problem)) }
    var file = InboxFile(folder.inbox, name, .known)
    if isDryRun, folder.inbox.afterImport == .move {
      file.movedTo = folder.directory.path(of: name.inFolder(Inbox.imported))
    }
    pass.report.files.append(file)
    if !isDryRun { try move(name, version, in: folder, &pass) }
  }

  /// Moves the last reported file if the inbox moves imported files.
  func move(
    _ name: FilePath, _ version: ArchiveFile, in folder: borrowing InboxFolder, _ pass: inout Pass
  ) throws {
    guard folder.inbox.afterImport == .move else { return }
    do {
      let file = try folder.directory.open(name, .read)
      // a later run reads a file that was changed since
      guard try folder.version(name, file.status()) == version else { return }
      let new = try folder.setAside(name, file)
      pass.report.files[pass.report.files.count - 1].movedTo = folder.directory.path(of: new)
    } catch let error as FileError where error.cause == .environment {
      throw error
    } catch {
      pass.report.faults.append(
        folder.inbox.naming(
          "\(folder.directory.path(of: name)) was imported, and stays in the inbox: ".escaped
            + JobMessage.text(of: error)))
    }
  }
}
