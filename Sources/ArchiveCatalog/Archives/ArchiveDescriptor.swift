import Foundation
import Operations
import SystemPackage

/// The description of an archive or a phone's backup file, read from its own metadata, without its photos.
///
/// The ledger stores it as JSON, so the names of its properties are keys of a file format.
public struct ArchiveDescriptor: Sendable, Equatable, Codable {
  /// The absolute path.
  public var path: String
  /// The file's length in bytes.
  public var fileBytes: Int
  /// The file's modification time.
  public var modifiedAt: Timestamp
  /// The archive's ID; nil in backups of the apps.
  public var archiveID: String?
  /// The ID of the library that it was exported from.
  public var libraryID: String?
  /// The export date; the file's modification time if the backup does not contain a date.
  public var date: Timestamp
  /// The place of the archive among the exports of its library: greater than that of each earlier export, whatever the
  /// clock did. Nil in archives of older versions and of the apps.
  public var sequence: Int64?
  /// The number of rows.
  public var photos = 0
  /// The number of photo files in the archive.
  public var photoFiles = 0
  /// The number of categories.
  public var categories = 0
  /// The size of the photo files in the archive, in bytes.
  public var bytes = 0
  /// True if at least one entry is encrypted.
  public var isEncrypted = false
  /// True if every entry is encrypted.
  public var isFullyEncrypted = false
  /// True if the archive is encrypted and the password does not open it. Then the other properties are what the ledger
  /// recorded earlier, or defaults.
  public var isLocked = false
  /// True if the archive contains a selection or one part of a set, is a partial recovery, or is a document without
  /// photo files.
  public var isPartial = false
  /// True if the backup is a JSON document, which has no photo files.
  public var isDocument = false
  /// The digest of the selection: equal for equal selections, nil for everything.
  public var selection: String?
  /// The number of photos whose files are missing from the archive.
  public var missingFiles = 0
  /// The photos of the library that are missing or corrupt in the archive. Empty for backups of the apps.
  public var missingPhotos: [UnusablePhoto] = []
  /// The content fingerprint: equal for two backups of the same content.
  public var fingerprint: String?
  /// The tags given at the export.
  public var tags: [String] = []
  /// Its place in a set of split archives.
  public var part: Part?
  /// The base of an incremental backup.
  public var base: BaseReference?
  /// The MD5 of its `metadata.json`, by which an incremental backup identifies its base.
  public var digest: String?
  /// True if photos were lost when it was repaired or flattened.
  public var hasLostPhotos = false
  /// The `digest` of each archive from which this archive was repaired.
  public var repairedFrom: [String] = []
  /// The ID of the incremental backup from which this archive was flattened.
  public var flattenedFrom: String?

  /// The IDs under which the library may have recorded the export.
  package var exportIDs: [String] { [archiveID, flattenedFrom].compactMap { $0 } }

  /// Makes the descriptor of a file without known content.
  public init(path: String, fileBytes: Int, modifiedAt: Timestamp) {
    (self.path, self.fileBytes, self.modifiedAt, date) = (path, fileBytes, modifiedAt, modifiedAt)
  }

  /// A part of a split archive.
  public struct Part: Sendable, Equatable, Codable {
    /// The ID that all parts share.
    public var setID: String
    /// The number of the part, from 1.
    public var number: Int
    /// The number of parts.
    public var count: Int

    /// Makes a part.
    public init(setID: String, number: Int, count: Int) {
      (self.setID, self.number, self.count) = (setID, number, count)
    }
  }

  /// A photo that is missing or corrupt in an archive.
  public struct UnusablePhoto: Sendable, Equatable, Codable {
    /// The photo's ID in the library.
    public var id: Int64
    /// How messages refer to the photo.
    public var label: String
    /// True if the archive contains the corrupt file of the library; false if the file is missing.
    public var isDamaged: Bool

    /// Makes a value.
    public init(id: Int64, label: String, isDamaged: Bool) {
      (self.id, self.label, self.isDamaged) = (id, label, isDamaged)
    }

    /// The photo with its problem.
    public var finding: Finding {
      Finding(
        .photo(id: id, label: label),
        isDamaged
          ? "it was already damaged when the backup was made"
          : "it could not be read when the backup was made")
    }
  }

  /// The reference of an incremental backup to its base.
  public struct BaseReference: Sendable, Hashable, Codable {
    /// The archive's ID.
    public var archiveID: String
    /// The MD5 of its `metadata.json`.
    public var digest: String
    /// The chain depth of the backup with this reference: 1 for the first backup after a full one.
    public var depth: Int

    /// Makes a reference.
    public init(archiveID: String, digest: String, depth: Int) {
      (self.archiveID, self.digest, self.depth) = (archiveID, digest, depth)
    }
  }

  /// Returns the same descriptor with another path.
  package func moved(to path: String) -> Self {
    var descriptor = self
    descriptor.path = path
    return descriptor
  }

  /// The file's name.
  public var name: String { FilePath(path).lastComponent?.string ?? path }

  /// True if a repair could not recover every photo. Such an archive is never used as a base or counted as a copy.
  /// In archives from before this flag, `isPartial` without a selection has the same meaning.
  public var isPartiallyRecovered: Bool {
    hasLostPhotos || isPartial && !isDocument && selection == nil && part == nil
  }

  /// What an archive contains.
  public enum Extent: Sendable, Equatable {
    /// A complete library, with or without its settings, or a phone's backup.
    case library
    /// The photos that an export selected.
    case selection
    /// One part of a split archive.
    case part(Part)
    /// The photos that a repair could recover.
    case partiallyRecovered
    /// Rows without photo files.
    case document
  }

  /// What the archive contains. A partially recovered part or selection is `partiallyRecovered`.
  public var extent: Extent {
    if isDocument { return .document }
    if isPartiallyRecovered { return .partiallyRecovered }
    return part.map(Extent.part) ?? (isPartial ? .selection : .library)
  }

  /// True if the archive, or the set of its parts, contains every photo of its library.
  package var isOfWholeLibrary: Bool {
    switch extent {
    case .library: true
    case .part: selection == nil
    case .selection, .partiallyRecovered, .document: false
    }
  }

  /// Compares archives of different folders. Within a folder, `ArchiveGraph` has the order.
  package var order: Int64 { sequence ?? date.rawValue }

  /// Returns true if the place of the archive among the others is unknown: an older version made it and dated it in the
  /// future.
  package func isOrderUnknown(at now: Date) -> Bool { sequence == nil && isDatedAfter(now) }

  /// The most milliseconds by which the clocks of two devices differ: they may be set to different time zones.
  package static let clockTolerance: Int64 = 24 * 3_600_000

  /// Returns true if the archive is dated in the future, which means that a clock was wrong. The clocks of two
  /// computers that share a folder may differ by a minute.
  public func isDatedAfter(_ now: Date) -> Bool { date > Timestamp(now) + 60_000 }

  /// True if this program made the archive.
  public var isOurs: Bool { archiveID != nil }

  /// Returns true unless the archive is known to be of another library.
  ///
  /// - Parameter id: the ID of the library; nil for every library.
  package func mayBe(ofLibrary id: String?) -> Bool { id == nil || libraryID == nil || libraryID == id }

  /// Returns true if this archive is the base of the reference, or was repaired from that base.
  package func satisfies(_ reference: BaseReference) -> Bool {
    archiveID == reference.archiveID
      && (digest == reference.digest || repairedFrom.contains(reference.digest))
  }
}
