import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Reading an archive back, for whoever has a thread and a counter of its own.
public enum ArchiveVerification {
  /// Reads a backup to its last byte: every CRC, every MD5. Blocks; writes nothing.
  ///
  /// - Throws: as the summary of `Work.verify`; `CancellationError`.
  public static func check(
    _ path: FilePath, password: Secret? = nil, counter: ProgressCounter
  ) throws -> CheckSummary {
    let source = try BackupSource(path: path, limits: .own, password: password)
    try source.requirePassword(toRead: .allEntries)
    return try ArchiveCheck(source: source, counter: counter).run()
  }

  /// What is wrong with an archive, nil if it reads back whole. Blocks; writes nothing.
  ///
  /// - Throws: what says nothing of the archive, see `isObstacle`: `CancellationError`, `BackupError.noSuchBackup` where it
  ///   went since it was listed, and what this process lacks.
  public static func fault(
    of archive: ArchiveRecord, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> String? {
    counter.enter(.verifying)
    do {
      return try check(FilePath(archive.path), password: password, counter: counter).damaged.first?.message
    } catch  where isObstacle(error) {
      throw error
    } catch {
      return "\(error)"
    }
  }

  /// Whether an error says nothing of the archive that was to be read: somebody stopped it, somebody took the archive
  /// away, or this process, or the machine, has no more memory, threads or open files.
  package static func isObstacle(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError, is MemoryShortage, is ThreadError, BackupError.noSuchBackup: true
    case let error as FileError: error.isShortage
    case let error as ArchiveError: error.isShortage
    default: false
    }
  }
}
