import ArchiveCatalog
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The options of a repair, and of flattening.
public struct RewriteOptions: Sendable {
  /// An existing folder or a free file name; nil for a free name beside the archive.
  public var destination: FilePath?
  /// A library that may have photos that are missing in a damaged archive.
  public var library: FilePath?
  /// How long to wait for a writer that is deleting the library's photo files.
  public var lockWait = Library.readersWait
  /// Archives that may have photos that are missing in a damaged archive. They may be damaged themselves.
  public var others: [FilePath] = []
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives: those of the chain, and `others`. It also encrypts the full archive that is
  /// made from an encrypted chain.
  public var password: Secret?
  /// Records the operation, that the new archive is verified, and which archives are damaged.
  public var ledger: Ledger?

  /// Makes the default options: writes beside the archive, with the intact photos of the archive and its chain.
  public init() {}
}

/// The result of a repair, or of flattening.
public struct RewriteSummary: Sendable, Equatable, FindingReport {
  /// The new archive; nil if there was nothing to repair or to flatten.
  public var archive: FilePath?
  /// The archives that were read, newest first: the old archive and its chain. An archive that was repaired from
  /// another precedes the other.
  public var chain: [FilePath] = []
  /// Photos with files in the new archive, or in the old one if nothing was written.
  public var photos = 0
  /// Bytes of these photos.
  public var bytes = 0
  /// The length of the new archive.
  public var archiveBytes = 0
  /// The damage to the structure of a damaged archive, empty if the structure is intact.
  public var faults: [Finding] = []
  /// Photos that were recovered from another source, by name.
  public var restored: [Finding] = []
  /// The photos that are missing or corrupt, and other losses, by name.
  public var unrecoverable: [Finding] = []
  /// Photos whose MD5s differ from the manifest, and which are in the new archive as they were found.
  public var contradicted: [Finding] = []
  /// Other archives that could not be used, with the reasons, if there are several.
  public var unusable: [Finding] = []
  /// The damaged archives among the others, or in the chain, with the reason of one photo each.
  public var damagedArchives: [FilePath: String] = [:]
  /// Other warnings.
  public var warnings: [String] = []

  /// True if something is missing or doubtful, or could not be used. The old archives are still needed then.
  public var isIncomplete: Bool {
    !unrecoverable.isEmpty || !contradicted.isEmpty || !unusable.isEmpty || archive == nil && !faults.isEmpty
  }
  /// True if there was nothing to repair, and nothing was written.
  public var isIntact: Bool { archive == nil && unrecoverable.isEmpty && faults.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { unusable + unrecoverable + contradicted }
}

extension RewriteSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photos, bytes: bytes), findings: findings, isIncomplete: isIncomplete,
      archives: [archive].compactMap(\.self))
  }
}

extension Work where Summary == RewriteSummary {
  /// Starts writing a new archive from a damaged one, with every photo that can be recovered. Recovers missing
  /// photos by their MD5 from a library or other archives.
  ///
  /// Never changes the damaged archive. Publishes the new archive atomically after it is durable and every byte is
  /// verified, and never replaces a file. Writes nothing if the archive is intact.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing was
  /// published then.
  public static func repair(_ archive: FilePath, options: RewriteOptions = RewriteOptions()) -> Self {
    rewrite(archive, .repair, as: .repair, options)
  }

  /// Starts writing a full archive with the content of an incremental one, from the archives of its chain. The new
  /// archive has the content, the dates and the tags of the incremental archive, but a new ID.
  ///
  /// Never changes the chain. Publishes the new archive atomically when it is complete, durable and verified, and
  /// never replaces a file. Writes nothing if the archive is a full one.
  ///
  /// The summary throws `BackupError`, `ArchiveError` or `FileError`; nothing was published then.
  public static func flatten(_ archive: FilePath, options: RewriteOptions = RewriteOptions()) -> Self {
    rewrite(archive, .flatten, as: .flatten, options)
  }

  private static func rewrite(
    _ archive: FilePath, _ kind: RewriteKind, as operation: RecordedOperation.Kind, _ options: RewriteOptions
  ) -> Self {
    Work(RecordedOperation(operation, archives: [archive]), by: options.ledger) { counter in
      let observer = options.ledger?.observer(named: operation.rawValue)
      let summary = try RewriteRun(kind: kind, path: archive, options: options, counter: counter).run()
      if kind == .repair, !summary.isIntact {
        let reason = (summary.faults + summary.unrecoverable).first?.message ?? "it is incomplete"
        observer?.recordDamage([archive: reason])
      }
      observer?.recordDamage(summary.damagedArchives)
      if let written = summary.archive { observer?.recordVerified([written]) }
      return summary
    }
  }
}
