import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Recognizes backups by their content: archives of the apps and of this program, JSON documents, and photo exports,
/// which have no rows.
extension OpenedBackup {
  /// Opens a backup. Recognizes it by its content, never by its name. Blocks; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: the limits for the backup.
  ///   - password: for an encrypted archive. If the metadata is not encrypted, opening does not need or check the
  ///     password.
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if the backup cannot be used at all. A missing file of
  ///   a photo is not an error.
  package init(path: FilePath, limits: Limits = Limits(), password: Secret? = nil) throws {
    let file: File
    do {
      file = try File.open(path, .readFollowingLinks)
    } catch {
      throw error.isMissing ? BackupError.noSuchBackup(path) : error as any Error
    }
    try self.init(file, limits: limits, password: password)
  }

  /// Opens a backup whose file is open for reading, as `init(path:limits:password:)`. Its path is for messages, and for the
  /// search of the other archives of a chain.
  package init(_ file: consuming File, limits: Limits = Limits(), password: Secret? = nil) throws {
    let path = file.path
    let status = try file.status()
    guard status.kind == .file else {
      let reason = status.kind == .directory ? "it is a folder" : "it is not a file"
      throw BackupError.notABackup(path, reason: reason)
    }
    guard status.size > 0 else { throw BackupError.notABackup(path, reason: "the file is empty") }
    if try Archive.isArchive(file) {
      try self.init(archive: Archive(file, limits: limits), limits: limits, password: password)
    } else {
      let start = try file.read(4096, at: 0)
      guard Self.looksLikeJSON(start) else {
        do throws(ArchiveError) {
          // other data may precede an archive, or its first bytes may be corrupt
          _ = try Archive(file, limits: limits)
        } catch {
          guard case .notAnArchive = error else { throw error }
        }
        throw BackupError.notABackup(path, reason: "its content is neither a ZIP archive nor a JSON document")
      }
      guard let document = try file.contents(atMost: limits.maximumDocumentBytes) else {
        let reason = "the document has \(status.size) bytes; at most \(limits.maximumDocumentBytes) are read"
        throw BackupError.tooLarge(path, reason: reason, remedy: nil)
      }
      try self.init(document: document, path: path, limits: limits, password: password)
    }
  }

  private static func looksLikeJSON(_ start: [UInt8]) -> Bool {
    let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start[...]
    return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  /// Reads a JSON document.
  init(document: [UInt8], path: FilePath, limits: Limits = Limits(), password: Secret? = nil) throws {
    guard !PhotoExport.isStatistics(document, limits) else {
      throw BackupError.notABackup(path, reason: "it is a statistics export without photos")
    }
    let reading = try Self.reading(document, .json, "", path, limits)
    let rows = Photo.Rows(reading.metadata.photos)
    let (asset, missing) = (Photo.File(.asset), Photo.File(.unavailable(Unavailable(.documentOnly))))
    let photos = reading.metadata.photos.enumerated().map { index, record in
      Photo(rows, at: index, record.isFromAssets ? asset : missing)
    }
    self.init(
      path: path, format: .json, origin: reading.origin, metadata: reading.metadata, photos: photos,
      warnings: reading.warnings + (password?.isEmpty == false ? [Self.plainWarning(of: path)] : []),
      skipped: reading.skipped)
  }

  /// Reads the metadata of an open archive.
  init(archive: Archive, limits: Limits = Limits(), password: Secret? = nil) throws {
    let path = archive.path
    let (entry, root) = try Self.metadataEntry(archive)
    let document = try Self.document(in: entry, of: archive, limits, password)
    if PhotoExport.isStatistics(document, limits) { throw BackupError.photoExport(path, .statistics) }
    let (reading, digest) = try Workers.both(
      { try Self.reading(document, .zip, root, path, limits) }, { _ in MD5Digest(hashing: document) })
    let join = PhotoJoin(reading.metadata, archive.entries, below: root, writtenIDs: reading.writtenIDs)
    self.init(
      path: path, origin: reading.origin, metadata: reading.metadata, photos: join.photos,
      warnings: reading.warnings + join.warnings, skipped: reading.skipped + join.skippedFiles,
      corruptBeforeBackup: join.corruptBeforeBackup, unknownEntries: join.unknownEntries,
      archive: archive,
      root: root, metadataDigest: digest, password: password)
  }

  private static func reading(
    _ json: consuming [UInt8], _ container: Metadata.Container, _ root: String, _ path: FilePath,
    _ limits: Limits
  ) throws -> MetadataReading {
    do {
      var reading = try MetadataReading(
        json: consume json, container: container, root: root, maximumNesting: limits.maximumNesting)
      reading.repairSeconds()
      return reading
    } catch {
      throw BackupError.metadata(path, error)
    }
  }

  /// Returns `metadata.json` at the root (Android), or in the one folder that contains everything (iOS).
  private static func metadataEntry(_ archive: Archive) throws -> (Entry, root: String) {
    let candidates = archive.entries.filter { $0.isMetadata && !$0.isIgnored }
    guard candidates.count <= 1 else {
      throw BackupError.severalMetadata(archive.path, candidates.map(\.name))
    }
    guard let entry = candidates.first else {
      throw PhotoExport.isGallery(archive.entries.filter { !$0.isIgnored })
        ? BackupError.photoExport(archive.path, .gallery) : .noMetadata(archive.path)
    }
    let root = entry.rootByMetadata
    guard archive.entries.allSatisfy({ $0.name.hasPrefix(root) || $0.isIgnored }) else {
      throw BackupError.noMetadata(archive.path)
    }
    return (entry, root)
  }

  /// Returns the bytes of `metadata.json`. If the password does not open the entry, tries it on other entries, which
  /// have their own keys, to find out whether the password is wrong or the entry is corrupt.
  ///
  /// - Throws: `BackupError`, or `ArchiveError` if the password is right and the entry is corrupt.
  private static func document(
    in entry: Entry, of archive: Archive, _ limits: Limits, _ password: Secret?
  ) throws -> [UInt8] {
    if entry.isEncrypted, password?.isEmpty ?? true { throw BackupError.passwordNeeded(archive.path) }
    var reader = try EntryReader(archive, password: password)
    do {
      return try reader.bytes(of: entry, limit: limits.maximumDocumentBytes)
    } catch let error as ArchiveError {
      guard entry.isEncrypted else { throw error }
      switch error {
      case .damaged, .wrongPassword: break
      default: throw error
      }
      let samples = archive.entries.filter { $0.isEncrypted && $0.index != entry.index }.prefix(
        maximumSamples)
      var opened = 0
      for sample in samples where try reader.passwordFits(sample) { opened += 1 }
      if opened == 0, case .wrongPassword = error { throw BackupError.wrongPassword(archive.path) }
      // a wrong password may fit one of the entries by chance, but not most of them
      guard opened > 1, opened * 2 > samples.count else {
        throw BackupError.wrongPasswordOrDamaged(archive.path)
      }
      throw ArchiveError.damaged(archive.path, entry: entry.name, reason: .checksum)
    }
  }

  private static let maximumSamples = 8

  /// Opens a photo export as a backup with one category, “Photos”. Each photo has the name of its entry without the
  /// id, and the entry's date. Blocks; writes nothing.
  ///
  /// - Throws: `ArchiveError` if the archive cannot be read.
  init(_ export: PhotoExport, at path: FilePath, limits: Limits, password: Secret?) throws(ArchiveError) {
    let archive = try Archive(path: path, limits: limits)
    let photos = archive.entries.filter { $0.isIn(export.folder) && !$0.isDirectory && !$0.isIgnored }
    let metadata = EntryRows(photos, in: export.folder, category: "Photos").metadata
    let join = PhotoJoin(metadata, archive.entries)
    self.init(
      path: path, origin: .android, metadata: metadata, photos: join.photos, warnings: join.warnings,
      skipped: join.skippedFiles, unknownEntries: join.unknownEntries, archive: archive,
      password: password)
  }
}
