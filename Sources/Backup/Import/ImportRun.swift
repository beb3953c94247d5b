import ArchiveCatalog
import Operations
import PhotoLibrary
import SystemPackage

extension ImportSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(
        photos: photosImported, categories: categoriesImported, skipped: photosSkipped,
        removed: removal.photos),
      findings: findings + missingWithoutDamage, isIncomplete: isIncomplete)
  }
}

extension Work where Summary == ImportSummary {
  /// Starts importing backups into a library, one after the other, each completely or not at all: photos are extracted
  /// into a staging folder, verified and made durable, and one transaction makes them visible.
  ///
  /// A folder stands for all backups in it, oldest first. A backup in a folder that cannot be opened is reported in the
  /// summary; a given backup that cannot be opened stops the import.
  ///
  /// All backups are opened and checked before the first one is imported. Photos that are corrupt or missing are left
  /// out and reported in the summary. A cancelled or failed import leaves the library as it was after the last complete
  /// backup, and throws `ImportStopped` if there is one. If the process is killed, the next import uses the
  /// photos that were extracted completely.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `AuthorizationError`, `FileLock.Busy` or
  /// `FileError`.
  public static func `import`(
    _ backups: [FilePath], into library: FilePath, options: ImportOptions = ImportOptions()
  ) -> Self {
    let operation = RecordedOperation(
      .import, ofLibrary: library, archives: backups, isDryRun: options.isDryRun)
    return Work(operation, by: options.ledger) { counter in
      var run = ImportRun(library: library, options: options, counter: counter)
      run.observer = options.ledger?.observer(named: "import")
      return try run.runAndRecord(backups)
    }
  }
}

/// One run of `import`: opens everything, then imports backup by backup.
public struct ImportRun {
  let library: FilePath
  let options: ImportOptions
  let counter: ProgressCounter
  /// Records damaged archives; nil to record nothing.
  fileprivate var observer: ArchiveObserver?

  /// Prepares a run, for callers with a thread and a counter of their own. It records no damaged archives.
  public init(library: FilePath, options: ImportOptions, counter: ProgressCounter) {
    (self.library, self.options, self.counter) = (library, options, counter)
  }

  /// Imports, and records damaged archives.
  func runAndRecord(_ paths: [FilePath]) throws -> ImportSummary {
    do {
      let summary = try run(paths)
      observer?.recordDamage(summary.damagedArchives)
      return summary
    } catch let stop as ImportStopped {
      observer?.recordDamage(stop.done.damagedArchives)
      throw stop
    }
  }

  /// Imports. Blocks until it is done; throws what the summary of `Work.import` throws. Records neither the
  /// import nor damage in the ledger of the options; the caller does.
  public func run(_ paths: [FilePath]) throws -> ImportSummary {
    if options.strategy == .replace, !options.isDryRun { return try replace(paths) }
    return try importEach { try open(paths) }
  }

  /// Imports one backup that the caller has opened, as `run` imports a given file. Blocks. Merges; does not replace.
  package func run(_ backup: OpenedBackup) throws -> ImportSummary {
    try importEach {
      try backup.requirePassword(toRead: .photos)
      return (try complete([backup], opener), [])
    }
  }

  private func importEach(
    opening openSources: () throws -> (sources: [OpenedBackup], unopened: [Finding])
  ) throws -> ImportSummary {
    // a dry run opens nothing for writing, so it can look at a library that another process is changing
    let writer =
      options.isDryRun
      ? nil
      : try LibraryWriter(
        path: library, lockWait: options.lockWait, syncs: options.syncs, leftovers: .keep,
        whileWaiting: counter.reportWaitingForLock)
    counter.enter(.planning)
    let reader = try writer?.library ?? Library(path: library)

    let (sources, unopened) = try openSources()
    var contents = try reader.contents()
    var sum = ImportSummary()
    sum.isDryRun = options.isDryRun
    sum.errors = unopened
    counter.report(unopened)
    let isOneOfSeveral = sources.count > 1
    for (index, source) in sources.enumerated() {
      do {
        var step = try BackupImport(source, into: contents, of: reader, options: options, counter: counter)
        step.report = { [counter] in counter.report(isOneOfSeveral ? $0.from(source.path) : $0) }
        if let writer {
          sum += named(try step.run(writer), source, among: sources)
          if index + 1 < sources.count { contents = try reader.contents() }
        } else {
          let (summary, after) = try step.dryRun(reader)
          sum += named(summary, source, among: sources)
          contents = after
        }
      } catch  where index > 0 && !options.isDryRun {
        throw ImportStopped(at: source.path, after: sources[..<index].map(\.path), sum, error)
      }
    }
    writer?.leftovers.removeAll()
    return sum
  }

  /// Replaces the library by one backup. The user must approve if that removes anything.
  private func replace(_ paths: [FilePath]) throws -> ImportSummary {
    var opened: [OpenedBackup]?
    let (writer, steps) = try LibraryWriter.approved(
      library, by: options.authorization, lockWait: options.lockWait, syncs: options.syncs, leftovers: .keep,
      whileWaiting: counter.reportWaitingForLock
    ) { writer in
      counter.enter(.planning)
      // this closure runs again if the library has changed during the confirmation
      let sources = try opened ?? open(paths).sources
      opened = sources
      let contents = try writer.library.contents()
      let steps = try sources.map {
        var step = try BackupImport(
          $0, into: contents, of: writer.library, options: options, counter: counter)
        step.report = { [counter] in counter.report($0) }
        return step
      }
      let removal = steps.reduce(into: Removal()) { $0 += $1.removal() }
      let backups = sources.map(\.path.string).joined(separator: ", ")
      let question = "replace everything in \(library) with \(backups) (\(removal.clause))"
      return (steps, [DestructiveOperation(question, removes: removal)])
    }
    let summary = try steps.reduce(into: ImportSummary()) { $0 += try $1.run(writer) }
    writer.leftovers.removeAll()
    return summary
  }

  private var opener: BackupOpener {
    BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger,
      observer: observer, reads: .photos, photoIDs: options.photoIDs, salvages: options.salvages,
      photoExports: options.salvages ? .searched : .refused)
  }

  /// Opens all backups, those of a folder oldest first. The backups of a chain become one.
  ///
  /// - Returns: the backups, and the backups of folders that cannot be opened.
  private func open(_ paths: [FilePath]) throws -> (sources: [OpenedBackup], unopened: [Finding]) {
    let opener = opener
    let (opened, unusable) = try opener.open(paths)
    if let first = unusable.first, opened.isEmpty || options.strategy == .replace { throw first.error }
    if opened.isEmpty, let folder = paths.first { throw BackupError.noBackups(folder) }
    let unopened = unusable.map { Finding(of: $0.path, $0.error, as: "not imported: ") }
    return (try complete(opened, opener), unopened)
  }

  /// Adds the chains, and the files of photos in the given folder.
  private func complete(_ opened: [OpenedBackup], _ opener: BackupOpener) throws -> [OpenedBackup] {
    var sources = try opener.withChains(opened)
    if options.strategy == .replace, sources.count > 1 {
      throw BackupError.severalToReplace(sources[1].path, after: sources[0].path)
    }
    if let folder = options.photosFrom {
      var files = try FolderFiles(folder, counter)
      sources = try sources.map { try $0.completed(from: &files) }
    }
    counter.setTotals(
      items: sources.reduce(0) { $0 + $1.photos.count },
      bytes: sources.reduce(0) { $0.saturated(plus: $1.photoBytes) })
    return sources
  }

  /// Begins each message with its backup's path if there are several backups.
  private func named(
    _ summary: ImportSummary, _ source: OpenedBackup, among sources: [OpenedBackup]
  ) -> ImportSummary {
    guard sources.count > 1 else { return summary }
    var summary = summary
    summary.warnings = summary.warnings.map { "\(source.path): \($0)" }
    summary.errors = summary.errors.map { $0.from(source.path) }
    return summary
  }
}
