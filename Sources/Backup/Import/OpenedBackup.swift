import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// An opened backup file, which is an archive or the file of a phone's app: its metadata, and the location of each
/// photo. Immutable; completing checksums, following a chain and finding files return new values. Opening extracts
/// nothing.
package struct OpenedBackup: Sendable {
  /// The container.
  package enum Format: String, Sendable {
    /// An archive with photo files.
    case zip = "ZIP"
    /// A JSON document without photo files.
    case json = "JSON"
  }

  /// The program that made the backup, as far as the content shows it.
  package enum Origin: String, Sendable {
    /// The Android app.
    case android
    /// The iOS app.
    case ios
    /// This project.
    case smilepile
    /// Unknown.
    case unknown
  }

  /// A photo of the backup. Has 24 bytes and refers to the rows, which all photos of the backup share.
  package struct Photo: Sendable {
    /// The rows of a backup.
    final class Rows: Sendable {
      fileprivate let records: [Metadata.PhotoRecord]

      init(_ records: [Metadata.PhotoRecord]) { self.records = records }
    }

    /// What a backup has of a photo's file. Photos may share a value.
    final class File: Sendable {
      fileprivate let location: PhotoLocation
      /// Nil if it is the path of the row.
      fileprivate let originalPath: String?
      fileprivate let originalMD5: MD5Digest?
      /// True if the row is an asset of the app, but the backup has its file.
      fileprivate let isOfAsset: Bool

      init(
        _ location: PhotoLocation, originalPath: String? = nil, originalMD5: MD5Digest? = nil,
        isOfAsset: Bool = false
      ) {
        (self.location, self.originalPath) = (location, originalPath)
        (self.originalMD5, self.isOfAsset) = (originalMD5, isOfAsset)
      }
    }

    private let rows: Rows
    private let index: Int
    private let file: File

    /// - Parameter index: the index of the photo's row.
    init(_ rows: Rows, at index: Int, _ file: File) {
      (self.rows, self.index, self.file) = (rows, index, file)
    }

    init(
      record: Metadata.PhotoRecord, originalPath: String, location: PhotoLocation,
      originalMD5: MD5Digest? = nil
    ) {
      self.init(
        Rows([record]), at: 0, File(location, originalPath: originalPath, originalMD5: originalMD5))
    }

    /// The row.
    package var record: Metadata.PhotoRecord {
      guard file.isOfAsset else { return rows.records[index] }
      var record = rows.records[index]
      (record.isFromAssets, record.shipsWithApp) = (false, true)
      return record
    }

    /// The path of the file on the phone; the last component is the file's name.
    package var originalPath: String { file.originalPath ?? rows.records[index].path }

    /// Where the photo's bytes are.
    package var location: PhotoLocation { file.location }

    /// The MD5 in the library that was backed up, if the photo was already corrupt there.
    package var originalMD5: MD5Digest? { file.originalMD5 }

    /// Returns the same photo at another location.
    func at(_ location: PhotoLocation) -> Photo {
      Photo(
        rows, at: index,
        File(
          location, originalPath: file.originalPath, originalMD5: originalMD5, isOfAsset: file.isOfAsset))
    }

    /// The MD5 of the intact photo, if the backup has no intact file of it; nil if the backup has one, or if the MD5 is
    /// unknown.
    var md5NotInBackup: MD5Digest? {
      if case .unavailable(let unavailable) = location { unavailable.md5 } else { originalMD5 }
    }

    /// True if an archive that the backup depends on has the file, or should have it.
    package var isStoredInBase: Bool { location.isStoredInBase }

    /// True if no archive is expected to have the file: the file was missing before the backup was made, or the backup
    /// is a JSON document.
    package var isExpectedInNoArchive: Bool { location.unavailable?.cause.isExpectedInNoArchive ?? false }
  }

  /// The chain of an incremental backup.
  struct Chain: Sendable {
    /// The archives before the backup, newest first, without their photos. An archive that was repaired from
    /// another precedes the other.
    let bases: [OpenedBackup]
    /// The ID of the archive that is missing; nil if the chain is complete.
    let missing: String?
    /// The errors of archives that could not be read during the search. One of these archives may be the missing
    /// one.
    let unreadable: [any Error]
  }

  /// The backup's file.
  package let path: FilePath
  /// The container.
  package let format: Format
  /// The program that made the backup.
  package let origin: Origin
  /// The metadata without the lists of photos and files, which are in `photos`.
  package let metadata: Metadata
  /// The display name of each category by ID, for messages.
  let displayNames: [Int64: String]
  /// The photos, in the backup's order.
  package private(set) var photos: [Photo]
  /// Harmless oddities, and repairs of rows that contradicted each other.
  package private(set) var warnings: [String]
  /// Rows and files of the metadata that could not be used.
  package let leftOut: [Finding]
  /// Photos that were corrupt in their library when the backup was made.
  package let corruptBeforeBackup: [Finding]
  /// Entries of the archive that the metadata does not mention.
  package let unknownEntries: [String]
  /// The archive, nil for a JSON document.
  package let archive: Archive?
  /// The folder of the archive that contains everything, with its slash; empty if there is none.
  let root: String
  /// The MD5 of `metadata.json`, by which an incremental backup identifies its base; nil for a salvaged archive.
  package let metadataDigest: MD5Digest?
  /// The password for encrypted entries.
  let password: Secret?
  /// The damage of the archive, if it had to be salvaged.
  package let salvage: SalvageReport?
  /// The chain of an incremental backup, if it was looked up.
  private(set) var chain: Chain?

  /// - Parameter metadata: the metadata, with or without its lists of photos and files.
  init(
    path: FilePath, format: Format = .zip, origin: Origin, metadata: Metadata, photos: [Photo],
    warnings: [String], leftOut: [Finding], corruptBeforeBackup: [Finding] = [],
    unknownEntries: [String] = [],
    archive: Archive? = nil, root: String = "", metadataDigest: MD5Digest? = nil, password: Secret? = nil,
    salvage: SalvageReport? = nil
  ) {
    (self.path, self.format, self.origin) = (path, format, origin)
    (self.metadata, displayNames) = (metadata.withoutPhotos, metadata.displayNames)
    (self.photos, self.leftOut) = (photos, leftOut)
    self.warnings = warnings + Self.warningsOfPlainEntries(in: archive, password)
    (self.corruptBeforeBackup, self.unknownEntries) = (corruptBeforeBackup, unknownEntries)
    (self.archive, self.root, self.metadataDigest) = (archive, root, metadataDigest)
    (self.password, self.salvage) = (password, salvage)
  }

  /// Returns the same backup with other photos.
  func with(photos: [Photo]) -> OpenedBackup {
    var copy = self
    copy.photos = photos
    return copy
  }

  /// Returns the same backup with its chain.
  func with(chain: Chain) -> OpenedBackup {
    var copy = self
    copy.chain = chain
    copy.warnings += chain.unreadable.map { "\($0)" }
    copy.warnings += chain.bases.flatMap { Self.warningsOfPlainEntries(in: $0.archive, password) }
    return copy
  }

  /// Bytes of the photo files of the backup.
  package var photoBytes: Int {
    photos.reduce(0) { $0.saturated(plus: $1.location.size ?? 0) }
  }

  /// Returns the label of a photo in messages, safe for a terminal: `photo 7 “IMG_0001” in “Family”`.
  package func label(of photo: Photo) -> Finding.Subject {
    .photo(id: photo.record.id, category: category(of: photo) ?? "", name: photo.record.name)
  }

  /// Returns the displayed name of a photo's category.
  func category(of photo: Photo) -> String? { displayNames[photo.record.categoryId] }

  /// The number of photos with files.
  package var photoFiles: Int {
    photos.count { $0.location.size != nil }
  }

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
      try self.init(document: document, path: path, limits: limits)
      if password?.isEmpty == false { warnings.append(Self.plainWarning(of: path)) }
    }
  }

  private static func looksLikeJSON(_ start: [UInt8]) -> Bool {
    let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start[...]
    return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  init(document: [UInt8], path: FilePath, limits: Limits = Limits()) throws {
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
      warnings: reading.warnings, leftOut: reading.leftOut)
  }

  init(archive: Archive, limits: Limits = Limits(), password: Secret? = nil) throws {
    let path = archive.path
    let (entry, root) = try Self.metadataEntry(archive)
    let document = try Self.document(in: entry, of: archive, limits, password)
    if PhotoExport.isStatistics(document, limits) { throw BackupError.photoExport(path, .statistics) }
    let digest = MD5Digest(hashing: document)
    let reading = try Self.reading(consume document, .zip, root, path, limits)
    let matching = EntryMatching(
      metadata: reading.metadata, entries: archive.entries, root: root, writtenIDs: reading.writtenIDs)
    self.init(
      path: path, origin: reading.origin, metadata: reading.metadata, photos: matching.photos,
      warnings: reading.warnings + matching.warnings, leftOut: reading.leftOut + matching.leftOut,
      corruptBeforeBackup: matching.corruptBeforeBackup, unknownEntries: matching.unknownEntries,
      archive: archive,
      root: root, metadataDigest: digest, password: password)
  }

  static func reading(
    _ json: consuming [UInt8], _ container: Format, _ root: String, _ path: FilePath, _ limits: Limits
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
  static func metadataEntry(_ archive: Archive) throws -> (Entry, root: String) {
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
}
