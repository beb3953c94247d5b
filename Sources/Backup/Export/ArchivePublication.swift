import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// An archive that is written, and has no name yet.
final class UnpublishedArchive {
  let output: AtomicFile
  let plan: ExportPlan
  let uuid: UUID
  /// The checksums of the plan's items.
  let digests: [MD5Digest]

  init(_ output: consuming AtomicFile, _ plan: ExportPlan, _ uuid: UUID, _ digests: [MD5Digest]) {
    self.output = output
    self.plan = plan
    self.uuid = uuid
    self.digests = digests
  }
}

extension ArchiveExport {
  /// Gives the archives their names. A crash between two of them leaves a set that says by its numbers that it is not
  /// whole.
  func publish(
    _ archives: [UnpublishedArchive], _ split: SplitPlan?, _ summary: inout ExportSummary
  ) throws {
    for archive in archives {
      if let permissions = options.permissions { try archive.output.file.setPermissions(permissions) }
      // so that the disk has taken all of them before the first is there to be seen
      if options.syncs, archives.count > 1 { try archive.output.file.sync() }
    }
    let parts = archives.map(\.plan.part)
    let first =
      try archives.count == 1
      ? nil
      : target.freeStem(at: date) { stem in
        parts.map { target.name(stem, part: $0, fileExtension: "zip") }
      }
    if archives.count > 1, first == nil { throw exists(parts[0]) }
    var records: [ExportRecord] = []
    for archive in archives {
      let size = try archive.output.file.status().size
      let (name, durability): (FilePath, AtomicFile.Durability)
      do {
        (name, durability) = try publish(archive, from: first)
      } catch let error where !summary.archives.isEmpty {
        throw BackupError.setCutShort(published: summary.archives, of: archives.count, error)
      }
      let path = target.folder.appending(name.components)
      summary.archives.append(path)
      if let warning = durability.warning(for: path) { summary.warnings.append(warning) }
      records.append(
        ExportRecord(
          id: archive.uuid.uuidString, archive: path.absoluteString, at: date.milliseconds,
          photos: archive.plan.photos.count - archive.plan.lost.count,
          archiveBytes: size, isPartial: archive.plan.isPartial))
    }
    if let set = parts[0]?.set {
      // together they are the export that was asked for
      records.append(
        ExportRecord(
          id: set, archive: summary.archives[0].absoluteString, at: date.milliseconds,
          photos: summary.photos, archiveBytes: summary.archiveBytes, isPartial: options.isSelection))
    }
    library.note(records, &summary)
  }

  /// - Parameter stem: the first to try.
  private func publish(
    _ archive: UnpublishedArchive, from stem: String?
  ) throws -> (FilePath, AtomicFile.Durability) {
    let stems = target.stems(at: date).lazy.drop { next in stem.map { $0 != next } ?? false }
    let names = stems.map { target.name($0, part: archive.plan.part, fileExtension: "zip") }
    guard let (name, durability) = try archive.output.publish(as: names, sync: options.syncs) else {
      throw exists(archive.plan.part)
    }
    return (name, durability)
  }

  private func exists(_ part: Metadata.Part?) -> BackupError {
    let name = target.name ?? "archive"
    let stem = name.stem ?? name.string
    let taken = target.name(stem, part: part, fileExtension: "zip")
    return .destinationExists(target.folder.appending(taken.components))
  }
}
