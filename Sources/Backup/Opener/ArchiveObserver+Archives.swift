import ArchiveCatalog
import Operations
import SystemPackage

extension ArchiveObserver {
  /// Opens or reads an archive. If the error is evidence of damage, records the archive as damaged. Blocks.
  func recordingDamage<Result>(of path: FilePath, _ read: () throws -> Result) throws -> Result {
    do {
      return try read()
    } catch {
      if error.cause.isEvidenceOfDamage { recordDamage([path: "\(error)"]) }
      throw error
    }
  }

  /// Records that archives that this operation has written are verified. Blocks.
  package func recordVerified(_ paths: [FilePath]) {
    record(.verified, of: paths.compactMap { path in ArchiveFile(at: path).map { ($0, nil) } })
  }

  /// Records that archives are damaged, with the reasons. Blocks.
  func recordDamage(_ reasons: [FilePath: String]) {
    for (path, reason) in reasons.sorted(by: { $0.key.string < $1.key.string }) {
      guard let file = ArchiveFile(at: path) else { continue }
      record(.foundDamaged(reason: reason), of: [(file, nil)])
    }
  }

  /// A warning for each archive that operations of this name have found damaged since this one began. Reading the
  /// property blocks.
  package var damageWarnings: [String] {
    damage().sorted { $0.key < $1.key }.map { path, reason in
      "\(path.escaped) is damaged (\(reason)), and was ignored"
    }
  }
}
