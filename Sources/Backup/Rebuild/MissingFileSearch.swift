import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Finds the missing and corrupt files of a rebuilt library in its archives: the newest one first.
struct MissingFileSearch {
  /// The photos that archives have, by archive.
  private(set) var repairs: [PhotoRepairs] = []
  /// The photos that no archive has.
  private(set) var unavailable: [LibraryCheck.UnusablePhoto] = []
  /// The photos to leave out, by ID: their files are missing, and no archive has them or they are not wanted.
  private(set) var leftOut: Set<Int64> = []

  /// Reads the photos that it finds. Blocks; writes nothing.
  ///
  /// - Throws: the error of the newest archive if it cannot be read, since its photos would seem to be lost; an
  ///   environment failure, or `CancellationError`.
  init(
    _ plan: RebuildPlan, _ archives: RebuildArchives, _ options: RebuildOptions, _ counter: ProgressCounter
  ) throws {
    counter.enter(.restoring)
    var open: [LibraryCheck.UnusablePhoto] = []
    for row in plan.rows {
      switch row.state {
      case .missing where options.missing == .leave: leftOut.insert(row.photo.id)
      case .missing: open.append(plan.unusable(row, "its file is missing"))
      case .corrupt: open.append(plan.unusable(row, "its file \(row.photo.path.escaped) is corrupt"))
      case .unreadable: open.append(plan.unusable(row, "its file \(row.photo.path.escaped) cannot be read"))
      case .none, .found: continue
      }
    }
    guard !open.isEmpty else { return }
    func search(_ backups: [OpenedBackup]) throws {
      let found = try PhotoRepairs(of: open, in: backups, counter)
      repairs.append(found)
      open = found.unavailable
    }
    try search(archives.newest)
    for archive in archives.others where !open.isEmpty && !archive.isLocked {
      do {
        try search([archives.open(archive)])
      } catch  where error.cause.isInconclusive {
        guard case BackupError.noSuchBackup = error else { throw error }
      } catch {
        // the rebuild does not depend on this archive, and `verify` reports its damage
        continue
      }
    }
    unavailable = open
    let missing = Set(plan.rows.lazy.filter { $0.state == .missing }.map(\.photo.id))
    leftOut = Set(open.lazy.map(\.photo.id).filter(missing.contains))
  }

  /// Copies the files into the staging folder. Blocks.
  ///
  /// - Throws: `RebuildError.unreadableArchive` if an archive no longer has a photo that was read from it before.
  func stage(
    in reconstruction: LibraryReconstruction, _ counter: ProgressCounter
  ) throws -> [FileRepair] {
    var staged: [FileRepair] = []
    for search in repairs {
      var outcome = PhotoRepairs.Outcome()
      staged += try search.stage(
        &outcome, counter, numberedFrom: staged.count, open: reconstruction.stage,
        remove: reconstruction.unstage)
      let done = Set(staged.map(\.photo.id))
      for repair in search.repairs where !done.contains(repair.photo.photo.id) {
        throw RebuildError.unreadableArchive(
          repair.sources[0].place, reason: outcome.failures[repair.photo.photo.id] ?? "")
      }
    }
    return staged
  }
}

extension RebuildPlan {
  /// Describes a photo without an intact file.
  func unusable(_ row: Row, _ reason: String) -> LibraryCheck.UnusablePhoto {
    LibraryCheck.UnusablePhoto(photo: row.photo, label: label(of: row.photo), reason: reason)
  }

  /// Returns the label of a photo in messages.
  func label(of photo: Photo) -> Finding.Subject {
    .photo(
      id: photo.id, category: categories.first { $0.id == photo.categoryId }?.displayName ?? "",
      name: photo.name)
  }
}
