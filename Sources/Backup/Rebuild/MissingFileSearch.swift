import FileSystem
import Operations
import PhotoLibrary

/// Finds the missing and corrupt files of a rebuilt library in its archives: the newest one first.
struct MissingFileSearch {
  /// The photos that archives have, and those that no archive has.
  private(set) var repairs: PhotoRepairs
  /// The photos to leave out, by ID: their files are missing, and no archive has them or they are not wanted.
  private(set) var withoutFiles: Set<Int64> = []

  /// Reads the photos that it finds. Blocks; writes nothing.
  ///
  /// - Throws: the error of the newest archive if it cannot be read, since its photos would seem to be lost; an
  ///   environment failure, or `CancellationError`.
  init(
    _ plan: RebuildPlan, _ archives: RebuildArchives, _ options: RebuildOptions, _ counter: ProgressCounter
  ) throws {
    counter.enter(.restoring)
    let missing = Set(plan.rows.lazy.filter { $0.state == .missing }.map(\.photo.id))
    let isWanted = options.missing != .leave
    repairs = PhotoRepairs(
      of: plan.rows.compactMap { row -> LibraryCheck.UnusablePhoto? in
        switch row.state {
        case .missing: isWanted ? plan.unusable(row, "its file is missing") : nil
        case .corrupt: plan.unusable(row, "its file \(row.photo.path.escaped) is corrupt")
        case .unreadable: plan.unusable(row, "its file \(row.photo.path.escaped) cannot be read")
        case .none, .found: nil
        }
      })
    try repairs.search(archives.newest, counter)
    for archive in archives.others where !repairs.unavailable.isEmpty && !archive.isLocked {
      do {
        try repairs.search([archives.open(archive)], counter)
      } catch  where error.cause.isInconclusive {
        guard case BackupError.noSuchBackup = error else { throw error }
      } catch {
        // the rebuild does not depend on this archive, and `verify` reports its damage
        continue
      }
    }
    withoutFiles =
      isWanted ? Set(repairs.unavailable.lazy.map(\.photo.id).filter(missing.contains)) : missing
  }

  /// Copies the files into the staging folder. Blocks.
  ///
  /// - Throws: `RebuildError.unreadableArchive` if an archive no longer has a photo that was read from it before.
  func stage(
    in reconstruction: LibraryReconstruction, _ counter: ProgressCounter
  ) throws -> [FileRepair] {
    var outcome = PhotoRepairs.Outcome()
    let staged = try repairs.stage(in: reconstruction.staging, &outcome, counter)
    let done = Set(staged.map(\.photo.id))
    for repair in repairs.repairs where !done.contains(repair.unusable.photo.id) {
      throw RebuildError.unreadableArchive(
        repair.sources[0].origin, reason: outcome.failures[repair.unusable.photo.id] ?? "")
    }
    return staged
  }
}

extension RebuildPlan {
  /// Describes a photo without an intact file.
  func unusable(_ row: Row, _ reason: String) -> LibraryCheck.UnusablePhoto {
    LibraryCheck.UnusablePhoto(photo: row.photo, label: categories.label(of: row.photo), reason: reason)
  }
}
