import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// An opened backup file, which is an archive or the file of a phone's app: its metadata, and the location of each
/// photo. Immutable; completing checksums, following a chain and finding files return new values. Opening extracts
/// nothing.
package struct OpenedBackup: Sendable {
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

    init(record: Metadata.PhotoRecord, originalPath: String, location: PhotoLocation) {
      self.init(Rows([record]), at: 0, File(location, originalPath: originalPath))
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
    var originalMD5: MD5Digest? { file.originalMD5 }

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
    package var isExpectedInNoArchive: Bool { location.unavailable?.isExpectedInNoArchive ?? false }
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
  package let format: Metadata.Container
  /// The program that made the backup.
  package let origin: Metadata.Origin
  /// The metadata without the lists of photos and files, which are in `photos`.
  package let metadata: Metadata
  /// The display name of each category by ID, for messages.
  let displayNames: [Int64: String]
  /// The photos, in the backup's order.
  package private(set) var photos: [Photo]
  /// Harmless oddities, and repairs of rows that contradicted each other.
  package private(set) var warnings: [String]
  /// Rows and files of the metadata that could not be used.
  package let skipped: [Finding]
  /// Photos that were corrupt in their library when the backup was made.
  package let corruptBeforeBackup: [Finding]
  /// Entries of the archive that the metadata does not mention.
  package let unknownEntries: [String]
  /// The archive, nil for a JSON document.
  package let archive: Archive?
  /// The folder of the archive that contains everything, with its slash; empty without such a folder.
  let root: String
  /// The MD5 of `metadata.json`, by which an incremental backup identifies its base; nil for a salvaged archive.
  let metadataDigest: MD5Digest?
  /// The password for encrypted entries.
  let password: Secret?
  /// The damage of the archive, if it had to be salvaged.
  package let salvage: SalvageReport?
  /// The chain of an incremental backup, if it was looked up.
  private(set) var chain: Chain?

  /// - Parameter metadata: the metadata, with or without its lists of photos and files.
  init(
    path: FilePath, format: Metadata.Container = .zip, origin: Metadata.Origin, metadata: Metadata,
    photos: [Photo],
    warnings: [String], skipped: [Finding], corruptBeforeBackup: [Finding] = [],
    unknownEntries: [String] = [],
    archive: Archive? = nil, root: String = "", metadataDigest: MD5Digest? = nil, password: Secret? = nil,
    salvage: SalvageReport? = nil
  ) {
    (self.path, self.format, self.origin) = (path, format, origin)
    (self.metadata, displayNames) = (metadata.withoutPhotos, metadata.displayNames)
    (self.photos, self.skipped) = (photos, skipped)
    (self.corruptBeforeBackup, self.unknownEntries) = (corruptBeforeBackup, unknownEntries)
    (self.archive, self.root, self.metadataDigest) = (archive, root, metadataDigest)
    (self.password, self.salvage, self.warnings) = (password, salvage, warnings)
    self.warnings += warningsOfPlainEntries
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
    copy.warnings += chain.bases.flatMap(\.warningsOfPlainEntries)
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
}
