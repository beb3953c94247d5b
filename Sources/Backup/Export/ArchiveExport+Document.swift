import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

extension ArchiveExport {
  /// Carries out the plan of an export that writes a JSON document without photo files.
  ///
  /// - Parameter destination: the path that the user typed.
  func writeDocument(_ plan: ExportPlan, to destination: FilePath) throws -> ExportSummary {
    let output = try AtomicFile(in: outputPath.folder)
    let uuid = UUID()
    let json = plan.jsonBackup(uuid: uuid, exportDate: Timestamp(date))
    try output.requireSpace(bytes: json.count, photos: 0, in: outputPath.folder)
    counter.enter(.writing)
    try output.file.write(json, at: 0)
    var summary = ExportSummary(plan, ContentFingerprint(of: plan))
    if options.verifies { _ = try OpenedBackup(path: output.file.descriptorPath, limits: .trusted) }
    counter.advance(items: plan.items.count * options.passes, bytes: plan.bytes * options.passes)
    try counter.checkCancellation()
    counter.enter(.committing)
    if let permissions = options.permissions { try output.file.setPermissions(permissions) }
    let names = outputPath.stems(at: date).lazy.map { outputPath.name($0, fileExtension: "json") }
    guard let (name, durability) = try output.publish(as: names, sync: options.syncs) else {
      throw BackupError.destinationExists(destination)
    }
    let archive = name.inFolder(outputPath.folder)
    var record = ExportRecord(
      id: uuid.uuidString, archive: archive.absolute.string, at: Timestamp(date),
      sequence: plan.history.sequence, photos: summary.photos, archiveBytes: json.count,
      isPartial: true)
    record.libraryID = plan.libraryID
    (summary.archives, summary.archiveBytes) = ([archive], json.count)
    summary.warnings = [durability.warning(for: archive), recordExports([record])].compactMap(\.self)
    return summary
  }
}
