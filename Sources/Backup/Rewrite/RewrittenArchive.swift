import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// An archive made from another one's photos by a repair or by flattening. It is published atomically when it is
/// complete, durable and verified, and never replaces a file.
struct RewrittenArchive {
  /// The backup with the rows of the photos.
  let source: OpenedBackup
  let items: [RewrittenPhoto]
  /// `metadata.json` without its photos and their files.
  let metadata: Metadata
  /// The password to encrypt the archive with; nil for no encryption.
  let password: Secret?
  let counter: ProgressCounter

  private var bytes: Int { items.saturatedSum(\.size) }

  /// The path of the archive, its length, and a warning.
  typealias Published = (archive: FilePath, bytes: Int, warning: String?)

  /// The possible paths of the new archive.
  struct OutputPath {
    /// The folder.
    let folder: FilePath
    /// The folder as the user typed it: empty beside an archive that was given without a folder.
    let shown: FilePath
    /// The names to try. The archive gets the first free one.
    let names: [FilePath]

    /// Makes the path that the user chose.
    /// - Throws: `BackupError.nameTooLong`
    init(_ destination: ArchiveOutputPath, orAs names: [FilePath]) throws(BackupError) {
      folder = destination.folder
      shown = folder
      self.names = if let name = destination.name { [name] } else { try Self.fitting(names) }
    }

    /// Makes a path beside an archive.
    /// - Throws: `BackupError.nameTooLong`
    init(beside archive: FilePath, as names: [FilePath]) throws(BackupError) {
      folder = archive.folder
      shown = archive.removingLastComponent()
      self.names = try Self.fitting(names)
    }

    /// Returns the names that are short enough for a file. An archive's own name may already have the greatest
    /// length, and these names are longer.
    private static func fitting(_ names: [FilePath]) throws(BackupError) -> [FilePath] {
      let fitting = names.filter { $0.length <= FileName.maximumBytes }
      if fitting.isEmpty, let name = names.first { throw .nameTooLong(name) }
      return fitting
    }
  }

  /// Writes, verifies and publishes the archive. Blocks.
  ///
  /// - Throws: `BackupError`, `ArchiveError`, `FileError`; nothing was published then.
  func publish(at outputPath: OutputPath) throws -> Published {
    let folder = outputPath.folder
    let output = try AtomicFile(in: folder)
    try output.requireSpace(bytes: bytes, photos: source.photos.count, in: folder)
    counter.enter(.writing)
    let size = try write(to: output.file)
    try check(output.file, folder)
    try counter.checkCancellation()
    counter.enter(.committing)
    guard let (name, durability) = try output.publish(as: outputPath.names) else {
      throw BackupError.destinationExists(folder.appending(outputPath.names[0].components))
    }
    let archive = name.inFolder(outputPath.shown)
    return (archive, size, durability.warning(for: archive))
  }

  private func write(to file: borrowing File) throws -> Int {
    let date = metadata.exportDate ?? Date().milliseconds
    var writer = try ArchiveWriter(password: password)
    for item in items {
      let taken = source.photos[item.source].record.createdAt
      // the directory of an encrypted archive is not encrypted, and has the entries' dates
      try writer.addStored(item.entryName, size: item.size, modified: password == nil ? taken : date)
    }
    let texts = MetadataEntries()
    try writer.addText(MetadataEntries.metadataName, modified: date) { write in
      try texts.writeMetadata(
        metadata, photos: source.records(items), manifest: source.manifest(items), to: write)
    }
    try writer.addText(MetadataEntries.checksumsName, modified: date) { write in
      try texts.writeChecksums(of: items.lazy.map { ($0.md5, name: $0.entryName) }, to: write)
    }
    let contents = try RewrittenContents(items, counter)
    let size = try writer.write(
      to: file, stored: contents, startsWriteBack: true, isCancelled: { [counter] in counter.isCancelled })
    try contents.finish()
    return size
  }

  /// Verifies every CRC and MD5 of the new archive.
  private func check(_ file: borrowing File, _ folder: FilePath) throws {
    counter.enter(.verifying)
    let written = try OpenedBackup(path: file.descriptorPath, limits: .trusted, password: password)
    var damage = try ArchiveCheck(source: written, counter: counter).run().damaged.map(\.message)
    if written.photoFiles != items.count {
      damage.append("it has \(written.photoFiles) photos and should have \(items.count)")
    }
    if !damage.isEmpty { throw BackupError.verificationFailed(folder, damage) }
  }
}
