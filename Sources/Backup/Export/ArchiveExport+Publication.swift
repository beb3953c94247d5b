import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// An archive that is written but not yet published.
final class UnpublishedArchive {
  let output: AtomicFile
  let plan: ExportPlan
  let uuid: UUID
  /// The photos whose files differ from their rows.
  let corruptPhotos: [Finding]
  /// The number of pictures that the cache has lost since the plan was made.
  let lostPictures: Int

  init(
    _ output: consuming AtomicFile, _ plan: ExportPlan, _ uuid: UUID,
    _ written: (corrupt: [Finding], lostPictures: Int)
  ) {
    self.output = output
    self.plan = plan
    self.uuid = uuid
    (corruptPhotos, lostPictures) = written
  }
}

extension ArchiveExport {
  /// Publishes the archives and records them in the library, before and after. A crash between two archives leaves a set
  /// whose metadata shows that it is incomplete.
  ///
  /// - Parameter plan: the plan of all archives.
  func publish(
    _ unpublished: [UnpublishedArchive], of plan: ExportPlan
  ) throws -> (archives: [FilePath], bytes: Int, warnings: [String]) {
    for archive in unpublished {
      if let permissions = options.permissions { try archive.output.file.setPermissions(permissions) }
      // all archives are durable before the first is published
      if options.syncs, unpublished.count > 1 { try archive.output.file.sync() }
    }
    let parts = unpublished.map(\.plan.part)
    var first: String?
    if unpublished.count > 1 {
      first = try outputPath.freeStem(at: date) { stem in
        parts.map { outputPath.name(stem, part: $0, fileExtension: "zip") }
      }
      if first == nil { throw exists(parts[0]) }
    }
    var records = zip(unpublished, parts).map { archive, part in
      // the name is the expected one, since another process may take it
      let stem = first ?? outputPath.stems(at: date).first { _ in true } ?? "archive"
      let path = outputPath.name(stem, part: part, fileExtension: "zip").inFolder(outputPath.folder)
      return record(archive.uuid.uuidString, path, archive.plan, bytes: 0)
    }
    // a library that cannot be written cannot record the archives afterwards either, which the user is told
    try? library.reserve(records)
    var archives: [FilePath] = []
    var warnings: [String] = []
    for (index, archive) in unpublished.enumerated() {
      let (size, name, durability): (Int, FilePath, AtomicFile.Durability)
      do {
        size = try archive.output.file.status().size
        (name, durability) = try publish(archive, from: first)
      } catch {
        try? library.deleteReservations(of: Array(records[index...]))
        throw archives.isEmpty
          ? error : BackupError.incompleteSet(published: archives, of: unpublished.count, error)
      }
      let path = name.inFolder(outputPath.folder)
      archives.append(path)
      if let warning = durability.warning(for: path) { warnings.append(warning) }
      records[index] = record(archive.uuid.uuidString, path, archive.plan, bytes: size)
    }
    let bytes = records.reduce(0) { $0 + $1.archiveBytes }
    // the set is a record of its own: the export that the user asked for
    if let set = parts[0]?.set { records.append(record(set, archives[0], plan, bytes: bytes)) }
    if let warning = recordExports(records) { warnings.append(warning) }
    return (archives, bytes, warnings)
  }

  /// Records exports in the library.
  ///
  /// - Returns: a warning if that fails, since the archives are published anyway.
  func recordExports(_ exports: [ExportRecord]) -> String? {
    do {
      try library.note(exports)
      return nil
    } catch {
      return "the library could not record the backup: \(error)"
    }
  }

  private func record(_ id: String, _ path: FilePath, _ plan: ExportPlan, bytes: Int) -> ExportRecord {
    var record = ExportRecord(
      id: id, archive: path.absolute.string, at: Timestamp(date), sequence: plan.history.sequence,
      photos: plan.photos.count - plan.missingEverywhere.count, archiveBytes: bytes,
      isPartial: plan.isPartial)
    (record.categories, record.changes) = (plan.categories.count, plan.history.changes)
    record.libraryID = plan.libraryID
    return record
  }

  /// - Parameter stem: the first stem to try; nil for any.
  private func publish(
    _ archive: UnpublishedArchive, from stem: String?
  ) throws -> (FilePath, AtomicFile.Durability) {
    let stems = outputPath.stems(at: date).lazy.drop { next in stem.map { $0 != next } ?? false }
    let names = stems.map { outputPath.name($0, part: archive.plan.part, fileExtension: "zip") }
    guard let (name, durability) = try archive.output.publish(as: names, sync: options.syncs) else {
      throw exists(archive.plan.part)
    }
    return (name, durability)
  }

  private func exists(_ part: Metadata.Part?) -> BackupError {
    let name = outputPath.name ?? "archive"
    let stem = name.stem ?? name.string
    let taken = outputPath.name(stem, part: part, fileExtension: "zip")
    return .destinationExists(outputPath.folder.appending(taken.components))
  }
}
