import FileSystem
import Operations

/// Decides whether a backup may replace a library. A replacement removes the content of the library, so the backup
/// must contain a complete library.
enum ReplacementGuard {
  /// Returns why a backup must not replace a library; nil if it may.
  ///
  /// - Parameters:
  ///   - missing: the number of photos that neither the backup nor the library has.
  ///   - damage: the damage of the backup.
  static func refusal(of backup: OpenedBackup, missing: Int, damage: [Finding]) -> String? {
    if backup.metadata.smilepile?.isPartial == true {
      "it is an export of a part of a library"
    } else if let base = backup.missingBase {
      "it is incremental, and an archive of its chain is not in its folder (base \(base.escaped))"
    } else if backup.format == .json, missing > 0 || backup.photoFiles == 0 {
      "it is a JSON backup, which has no photo files"
    } else if backup.photoFiles == 0, missing > 0 {
      "it has no photo files"
    } else if let error = damage.first {
      backup.skipped.contains(error) ? "it is incomplete (\(error))" : "it is damaged (\(error))"
    } else {
      nil
    }
  }
}
