import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

extension Work where Summary == CheckSummary {
  /// Starts reading backups to their last byte: every CRC, every MD5. Nothing is written.
  ///
  /// The summary throws `BackupError`, `ArchiveError` or `FileError` for a file that is no backup or whose
  /// directory is damaged, or that is encrypted without the right password; of several files, such a one stands in the
  /// summary. Damaged photos stand in it always.
  ///
  /// - Parameter readers: how many photos are read at a time; nil for what suits the disk.
  public static func verify(
    _ backups: [FilePath], limits: Limits = Limits(), password: Secret? = nil, readers: Int? = nil
  ) -> Self {
    Work { counter in
      var sum = CheckSummary()
      var sources: [BackupSource] = []
      for path in backups {
        do {
          let source = try BackupSource(path: path, limits: limits, password: password)
          try source.requirePassword(toRead: .allEntries)
          sources.append(source)
        } catch  where backups.count > 1 {
          // the others are looked at all the same
          sum.unreadable.append(.init(path: path, error: error))
        }
      }
      counter.setTotals(
        items: sources.reduce(0) { $0 + $1.photoFiles },
        bytes: sources.reduce(0) { $0.saturated(plus: $1.photoBytes) })
      counter.enter(.verifying)
      for source in sources {
        let base = source.increment
        let isBaseChecked = sources.contains {
          $0.metadataDigest?.description == base?.baseDigest && $0.metadata.smilepile?.uuid == base?.base
        }
        let check = ArchiveCheck(
          source: source, counter: counter, readers: readers, isBaseChecked: isBaseChecked)
        var summary = try check.run()
        if !summary.damaged.isEmpty {
          summary.notWhole = [source.path]
        } else if let record = try? ArchiveRecord(source) {
          summary.whole = [record]
        }
        if backups.count > 1 {
          summary.damaged = summary.damaged.map { $0.from(source.path) }
          summary.strangers = summary.strangers.map { "\(source.path): \($0)" }
          summary.warnings = summary.warnings.map { "\(source.path): \($0)" }
        }
        sum += summary
      }
      return sum
    }
  }

  /// Starts reading every photo of a library against its row, and looking for files that no row knows. Nothing
  /// is written.
  ///
  /// The summary throws `LibraryError`, `FileLock.Busy` or `FileError`.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for a writer that is deleting photo files.
  ///   - readers: how many photos are read at a time; nil for what suits the disk.
  public static func verify(
    library path: FilePath, lockWait: Duration = Library.readersWait, readers: Int? = nil
  ) -> Self {
    Work { counter in
      try LibraryCheck(library: Library(path: path), counter: counter, readers: readers).run(
        lockWait: lockWait)
    }
  }
}
