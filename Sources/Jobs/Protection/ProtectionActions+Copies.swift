import Operations

extension ProtectionActions {
  /// Returns what to do about a copy; nil if it has no problem.
  static func action(forCopy copy: LibraryCopy, _ days: DayCount) -> Finding? {
    let (archive, folder) = (copy.copy.archive, copy.copy.path)
    return switch copy.problem {
    case .suspect?:
      // the next run verifies it once more, and writes another archive if it is corrupt
      Finding(
        .file(archive),
        message: "the copy \(archive) is suspect" + (copy.copy.health.suspectReason.map { ": \($0)" } ?? ""),
        remedy: .runBackup(job: copy.job))
    case .unreachable?:
      Finding(
        .folder(folder),
        message:
          "\(folder) is unreachable, and its newest copy is from \(days.ago(copy.copy.madeAt)); connect the disk"
      )
    case .missing?:
      Finding(
        .folder(folder),
        message: copy.copy.archives.count == 1
          ? "the archive \(archive) is missing" : "archives of the copy \(archive) are missing",
        remedy: .runBackup(job: copy.job))
    case .changed?:
      // verifying an archive with another size or date does not show that it is the one of the backup
      Finding(
        .file(archive), message: "the copy \(archive) changed after the backup",
        remedy: copy.copy.hasSizesAndDates ? .verifyArchive(archive) : .testRestore(job: copy.job))
    case nil: nil
    }
  }
}
