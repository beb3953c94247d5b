import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Writes the new archive. It is published atomically when it is complete, durable and verified, and never replaces a
/// file.
extension RewriteRun {
  /// The possible paths of the new archive.
  struct OutputPath {
    /// The folder.
    let folder: FilePath
    /// The folder as the user typed it: empty beside an archive that was given without a folder.
    let shown: FilePath
    /// The names to try. The archive gets the first free one.
    let names: [FilePath]
  }

  /// Writes, verifies and publishes the archive. Blocks.
  ///
  /// - Throws: `BackupError`, `ArchiveError`, `FileError`; nothing was published then.
  func publish(
    _ plan: RewritePlan, at outputPath: OutputPath
  ) throws -> (archive: FilePath, bytes: Int, warning: String?) {
    let folder = outputPath.folder
    let output = try AtomicFile(in: folder)
    try output.requireSpace(bytes: plan.bytes, photos: plan.source.photos.count, in: folder)
    counter.enter(.writing)
    let password = kind == .flatten && plan.source.isEncrypted ? options.password : nil
    let size = try write(plan, password, to: output.file)
    try check(output.file, folder, photos: plan.items.count, password)
    try counter.checkCancellation()
    counter.enter(.committing)
    guard let (name, durability) = try output.publish(as: outputPath.names) else {
      throw BackupError.destinationExists(folder.appending(outputPath.names[0].components))
    }
    let archive = name.inFolder(outputPath.shown)
    return (archive, size, durability.warning(for: archive))
  }

  private func write(_ plan: RewritePlan, _ password: Secret?, to file: borrowing File) throws -> Int {
    let (source, items, metadata) = (plan.source, plan.items, plan.metadata())
    let date = metadata.exportDate ?? .now
    var pipeline = PhotoPipeline(
      items: items.map { item in
        // the directory of an encrypted archive is not encrypted, and has the entries' dates
        let taken = password == nil ? source.photos[item.source].record.createdAt : date
        return PipelineItem(entryName: item.entryName, size: item.size, modified: taken, bytes: item.bytes)
      })
    pipeline.password = password
    pipeline.options.startsWriteBack = true
    let disks = [source.archive?.status.identity].compactMap(\.self)
    pipeline.options.lanes = try PhotoPipeline.lanes(writing: file, reading: disks)
    let texts = MetadataEntries()
    let entries = [
      PipelineText(entryName: MetadataEntries.metadataName, modified: date) { _, write in
        try texts.writeMetadata(
          metadata, photos: source.records(items), manifest: source.manifest(items), to: write)
      },
      PipelineText(entryName: MetadataEntries.checksumsName, modified: date) { digests, write in
        try texts.writeChecksums(of: items.lazy.map { ($0.md5, name: $0.entryName) }, to: write)
      },
    ]
    do {
      let written = try pipeline.write(
        entries, to: file, isCancelled: { [counter] in counter.isCancelled },
        progress: { [counter] advance in
          counter.advance(
            items: advance.isDone ? 1 : 0, bytes: advance.bytes, current: items[advance.item].fileName)
        })
      // the photos were intact a moment ago
      for (item, digest) in zip(items, written.digests) where digest != item.md5 {
        throw BackupError.unstablePhoto(item.entryName, reason: "its bytes changed")
      }
      return written.archiveSize
    } catch PipelineError.unreadable(let faults) {
      guard let fault = faults.first else { throw PipelineError.unreadable(faults) }
      throw BackupError.unstablePhoto(items[fault.index].entryName, reason: "\(fault.reason)")
    }
  }

  /// Verifies every CRC and MD5 of the new archive.
  private func check(
    _ file: borrowing File, _ folder: FilePath, photos: Int, _ password: Secret?
  ) throws {
    counter.enter(.verifying)
    let written = try OpenedBackup(path: file.descriptorPath, limits: .trusted, password: password)
    var damage = try ArchiveCheck(source: written, counter: counter).run().damaged.map(\.message)
    if written.photoFiles != photos {
      damage.append("it has \(written.photoFiles) photos and should have \(photos)")
    }
    if !damage.isEmpty { throw BackupError.verificationFailed(folder, damage) }
  }
}
