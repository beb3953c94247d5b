import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// A backup that has been opened and understood: its metadata, and for each photo where its bytes are. Nothing
/// of it has been extracted.
package struct BackupSource: Sendable {
  /// The container.
  package enum Format: String, Sendable {
    /// An archive with photo files.
    case zip = "ZIP"
    /// A JSON document without photo files.
    case json = "JSON"
  }

  /// Who made it, as far as its manner tells.
  package enum Origin: String, Sendable {
    /// The Android app.
    case android
    /// The iOS app.
    case ios
    /// This project.
    case smilepile
    /// Nobody can tell.
    case unknown
  }

  /// A photo of the backup.
  package struct Photo: Sendable {
    /// Its row.
    package let record: Metadata.PhotoRecord
    /// Where its file lay on the phone; its last component is the file's name.
    package let originalPath: String
    /// Where its bytes are.
    package var content: Content
    /// The MD5 that they should have, where they had changed before the backup was made.
    package var expected: MD5Digest?
    /// The backup is incremental, and its base holds the file.
    package var isHeld = false

    /// The MD5 of a photo that the backup does not hold, or holds only as it was after it had changed.
    var lost: MD5Digest? {
      if case .absent(_, _, let md5) = content { md5 } else { expected }
    }
  }

  /// Where the bytes of a photo are.
  package enum Content: Sendable {
    /// It ships inside the app, and has none.
    case asset
    /// In an entry of the archive, with this MD5 if the manifest says one.
    case entry(Entry, md5: MD5Digest?)
    /// In an entry of an archive that this one rests on, by the archive's place in the chain.
    case base(Entry, md5: MD5Digest, number: Int)
    /// In a file beside the backup, with its length and MD5.
    case file(FilePath, size: Int, md5: MD5Digest)
    /// Nowhere, and why. `isDamage` if the backup promises a file that it does not hold; the MD5 that it
    /// promises, if it says one, may be in the library already.
    case absent(reason: String, isDamage: Bool, md5: MD5Digest? = nil)
  }

  /// The backup's file.
  package let path: FilePath
  /// The container.
  package let format: Format
  /// Who made it.
  package let origin: Origin
  /// What it says of itself, but for its lists of photos and their files: those have become `photos`.
  package let metadata: Metadata
  /// What is shown of each category, by its id: for messages, of which there may be one for every photo.
  let displayNames: [Int64: String]
  /// Its photos, in its own order.
  package var photos: [Photo]
  /// What is odd about it and does no harm, and what was repaired where its rows contradict each other.
  package internal(set) var warnings: [String]
  /// Rows and files of its metadata that could not be used; each by name.
  package let leftOut: [Finding]
  /// Photos that are in the backup as they were in its library, where their bytes had changed: each by name.
  package let damagedBefore: [Finding]
  /// Entries of the archive that nothing in the backup mentions.
  package let strangers: [String]
  /// The archive, nil for a JSON document.
  package let archive: Archive?
  /// The one folder of the archive that holds everything, with its slash; empty if there is none.
  let root: String
  /// The MD5 of `metadata.json`, by which an increment knows its base; nil where the archive had to be searched.
  package let metadataDigest: MD5Digest?
  /// What its encrypted entries are read with.
  let password: Secret?
  /// What was wrong with the archive, where it had to be searched; nil for a backup that is one.
  package internal(set) var salvage: SalvageReport?
  /// The archives before an incremental one, if somebody has looked for them.
  var chain: Chain?

  /// How many bytes the photo files of the backup have.
  package var photoBytes: Int {
    photos.reduce(0) { $0.saturated(plus: $1.content.size ?? 0) }
  }

  /// How messages name a photo of the backup, made safe for a terminal: `photo 7 “IMG_0001” in “Family”`.
  package func label(of photo: Photo) -> String {
    PhotoLabel.label(
      id: photo.record.id, category: displayNames[photo.record.categoryId] ?? "", name: photo.record.name)
  }

  /// How many photos of the backup have files.
  package var photoFiles: Int {
    photos.count { $0.content.size != nil }
  }

  /// Opens a backup, recognized by its content and never by its name. Blocks; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: what the backup may ask for.
  ///   - password: for an encrypted archive. If the metadata is not encrypted, none is needed to open it, and a password
  ///     is not tried.
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if it cannot be used at all. A photo whose file is
  ///   missing is no error.
  package init(path: FilePath, limits: Limits = Limits(), password: Secret? = nil) throws {
    let file: File
    do {
      file = try File.open(path, .readFollowingLinks)
    } catch {
      throw error.isAbsence ? BackupError.noSuchBackup(path) : error as any Error
    }
    let status = try file.status()
    guard status.kind == .file else {
      let reason = status.kind == .directory ? "it is a folder" : "it is no file"
      throw BackupError.notABackup(path, reason: reason)
    }
    guard status.size > 0 else { throw BackupError.notABackup(path, reason: "the file is empty") }
    if try Archive.isArchive(file) {
      try self.init(archive: Archive(path: path, limits: limits), limits: limits, password: password)
    } else {
      let start = try file.read(4096, at: 0)
      guard Self.looksLikeJSON(start) else {
        do throws(ArchiveError) {
          _ = try Archive(path: path, limits: limits)
        } catch {
          switch error {
          // somebody put something before an archive, or it could not be looked at
          case .prefix, .file: throw error
          default: break
          }
        }
        throw BackupError.notABackup(path, reason: "its content is neither a ZIP archive nor a JSON document")
      }
      guard status.size <= limits.maximumDocumentBytes else {
        let reason = "the document has \(status.size) bytes; at most \(limits.maximumDocumentBytes) are read"
        throw BackupError.notABackup(path, reason: reason)
      }
      try self.init(document: file.read(status.size, at: 0), path: path, limits: limits)
    }
  }

  private static func looksLikeJSON(_ start: [UInt8]) -> Bool {
    let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start[...]
    return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  init(document: [UInt8], path: FilePath, limits: Limits = Limits()) throws {
    self.path = path
    format = .json
    archive = nil
    password = nil
    metadataDigest = nil
    root = ""
    guard !PhotoExport.isStatistics(document, limits) else {
      throw BackupError.notABackup(path, reason: "it has the counts of a statistics export, and no photos")
    }
    let reading = try Self.reading(document, .json, "", path, limits)
    let metadata = reading.metadata
    self.metadata = metadata.withoutPhotos
    displayNames = metadata.displayNames
    origin = reading.origin
    warnings = reading.warnings
    leftOut = reading.leftOut
    damagedBefore = []
    strangers = []
    photos = metadata.photos.map { record in
      Photo(
        record: record, originalPath: record.path,
        content: record.isFromAssets
          ? .asset : .absent(reason: "a JSON backup holds no photo files", isDamage: false))
    }
  }

  init(archive: Archive, limits: Limits = Limits(), password: Secret? = nil) throws {
    path = archive.path
    format = .zip
    self.archive = archive
    self.password = password
    let (entry, root) = try Self.metadataEntry(archive)
    self.root = root
    let document = try Self.document(in: entry, of: archive, limits, password)
    if PhotoExport.isStatistics(document, limits) { throw BackupError.photoExport(path, .statistics) }
    metadataDigest = MD5Digest(hashing: document)
    let reading = try Self.reading(consume document, .zip, root, path, limits)
    let metadata = reading.metadata
    self.metadata = metadata.withoutPhotos
    origin = reading.origin
    displayNames = metadata.displayNames
    let matching = EntryMatching(
      metadata: metadata, entries: archive.entries, root: root, writtenIDs: reading.writtenIDs)
    photos = matching.photos
    warnings = reading.warnings + matching.warnings
    leftOut = reading.leftOut + matching.leftOut
    damagedBefore = matching.damagedBefore
    strangers = matching.strangers
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

  /// `metadata.json` at the root (Android), or in the one folder that holds everything (iOS).
  static func metadataEntry(_ archive: Archive) throws -> (Entry, root: String) {
    let entries = archive.entries.filter { !$0.isIgnored }
    let candidates = entries.filter(\.isMetadata)
    guard candidates.count <= 1 else {
      throw BackupError.severalMetadata(archive.path, candidates.map(\.name))
    }
    guard let entry = candidates.first else {
      throw PhotoExport.isGallery(entries)
        ? BackupError.photoExport(archive.path, .gallery) : .noMetadata(archive.path)
    }
    let root = entry.rootByMetadata
    guard entries.allSatisfy({ $0.name.hasPrefix(root) }) else { throw BackupError.noMetadata(archive.path) }
    return (entry, root)
  }
}

extension BackupSource.Content {
  /// The length of the file in bytes, nil if there is none.
  package var size: Int? {
    switch self {
    case .asset, .absent: nil
    case .entry(let entry, _), .base(let entry, _, _): entry.size
    case .file(_, let size, _): size
    }
  }

  /// The MD5 of the file as it is or should be, nil if nobody has said.
  package var md5: MD5Digest? {
    switch self {
    case .asset: nil
    case .entry(_, let md5): md5
    case .base(_, let md5, _): md5
    case .file(_, _, let md5): md5
    case .absent(_, _, let md5): md5
    }
  }
}
