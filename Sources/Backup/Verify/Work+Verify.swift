import ArchiveCatalog
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

extension CheckSummary: RecordedSummary {
  /// The part that is recorded of a check of a library.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: entriesChecked), findings: damaged, isIncomplete: !damaged.isEmpty,
      photos: PhotoFindings(ofEveryPhoto: damaged))
  }
}

extension Work where Summary == CheckSummary {
  /// Starts verifying every CRC and MD5 of backups. Writes nothing.
  ///
  /// The summary throws `BackupError`, `ArchiveError` or `FileError` for a file that is not a backup, has a damaged
  /// directory, or is encrypted without the right password. If there are several files, the summary reports such a
  /// file instead. The summary always reports damaged photos.
  ///
  /// - Parameters:
  ///   - readers: the number of photos to read concurrently; nil for the best number for the disk.
  ///   - ledger: records which archives are intact and which are corrupt.
  public static func verify(
    _ backups: [FilePath], limits: Limits = Limits(), password: Secret? = nil, readers: Int? = nil,
    ledger: Ledger? = nil
  ) -> Self {
    Work { counter in
      let observer = (ledger ?? Ledger()).observer(named: "verify")
      let opener = BackupOpener(
        counter: counter, limits: limits, password: password, reads: .allEntries)
      var sum = CheckSummary()
      /// Runs a step. If it fails and there are several backups, reports the failure and returns nil, since the other
      /// backups are verified anyway.
      func attempt<Result>(_ path: FilePath, _ step: () throws -> Result) throws -> Result? {
        do {
          return try observer.recordingDamage(of: path, step)
        } catch {
          guard backups.count > 1, !(error is CancellationError) else { throw error }
          let unreadable = CheckSummary.Unreadable(path: path, error: error)
          counter.report(unreadable.finding)
          sum.unreadable.append(unreadable)
          return nil
        }
      }
      let opened: [(source: OpenedBackup, file: ArchiveFile?)] = try backups.compactMap { path in
        let file = ArchiveFile(at: path)
        return try attempt(path) { (try opener.open(path), file) }
      }
      let sources = opened.map(\.source)
      counter.setTotals(
        items: sources.reduce(0) { $0 + $1.photoFiles },
        bytes: sources.reduce(0) { $0.saturated(plus: $1.photoBytes) })
      counter.enter(.verifying)
      for (source, file) in opened {
        let base = source.increment
        let isBaseChecked = sources.contains {
          $0.metadataDigest?.description == base?.baseDigest && $0.metadata.smilepile?.uuid == base?.baseID
        }
        var check = ArchiveCheck(
          source: source, counter: counter, readers: readers, isBaseChecked: isBaseChecked)
        let isOneOfSeveral = backups.count > 1
        check.whenDamaged = { counter.report(isOneOfSeveral ? $0.from(source.path) : $0) }
        guard var summary = try attempt(source.path, check.run) else { continue }
        if let file, source.format == .zip {
          let event = summary.damaged.first.map { Observation.Event.foundDamaged(reason: $0.message) }
          observer.record(event ?? .verified, of: [(file, source.metadata.smilepile?.uuid)])
        }
        if isOneOfSeveral {
          summary.damaged = summary.damaged.map { $0.from(source.path) }
          summary.untracked = summary.untracked.map { "\(source.path): \($0)" }
          summary.warnings = summary.warnings.map { "\(source.path): \($0)" }
        }
        sum += summary
      }
      return sum
    }
  }

  /// Starts comparing every photo of a library with its row, and searching for untracked files. Writes nothing.
  ///
  /// The summary throws `LibraryError`, `FileLock.Busy` or `FileError`.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for a writer that is deleting photo files.
  ///   - readers: the number of photos to read concurrently; nil for the best number for the disk.
  ///   - ledger: records the check and the corrupt and missing photos.
  public static func verify(
    library path: FilePath, lockWait: Duration = Library.readersWait, readers: Int? = nil,
    ledger: Ledger? = nil
  ) -> Self {
    Work(RecordedOperation(.verify, ofLibrary: path), by: ledger) { counter in
      try LibraryCheck(library: Library(path: path), counter: counter, readers: readers).run(
        lockWait: lockWait)
    }
  }
}
