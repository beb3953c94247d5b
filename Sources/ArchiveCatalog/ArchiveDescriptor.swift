import FileSystem
import Foundation
import Operations
import SystemPackage

/// What a backup says about itself in its own metadata, without its photos.
public struct ArchiveDescriptor: Sendable, Equatable, Codable {
  /// The absolute path.
  public var path: String
  /// The file's length in bytes.
  public var fileBytes: Int
  /// The file's modification time in milliseconds since 1970.
  public var modifiedAt: Int64
  /// The archive's ID; nil in backups of the apps.
  public var archiveID: String?
  /// The ID of the library that it was exported from.
  public var libraryID: String?
  /// When it was exported, in milliseconds since 1970; the file's modification time if the backup does not say.
  public var date: Int64
  /// The number of rows.
  public var photos = 0
  /// The number of photos whose files are in it.
  public var photoFiles = 0
  /// The number of categories.
  public var categories = 0
  /// The length of the photo files in it, in bytes.
  public var bytes = 0
  /// True if at least one entry is encrypted.
  public var isEncrypted = false
  /// True if every entry is encrypted.
  public var isFullyEncrypted = false
  /// True if it is encrypted and the password does not open it. Then nothing else is known.
  public var isLocked = false
  /// True if it holds a selection, one part of a set, or less than it should, or is a document without photo files.
  public var isPartial = false
  /// True if it is a JSON document, which holds no photo files.
  public var isDocument = false
  /// A digest of what was selected: equal for equal selections, nil for everything.
  public var selection: String?
  /// The number of photos whose files it should hold and does not.
  public var missingFiles = 0
  /// The library's photos that it does not hold, or holds with damaged bytes. Empty for backups of the apps.
  public var missingPhotos: [MissingPhoto] = []
  /// The digest of the selected content: equal for two backups of the same state of a library.
  public var fingerprint: String?
  /// The tags that it was exported with.
  public var tags: [String] = []
  /// Its place in a set of split archives.
  public var part: Part?
  /// What an incremental backup depends on.
  public var base: BaseReference?
  /// The MD5 of its `metadata.json`, by which an incremental backup identifies its base.
  public var digest: String?
  /// True if photos were lost when it was repaired or flattened.
  public var hasLostPhotos = false
  /// The `digest` of each archive that it was repaired from.
  public var repairedFrom: [String] = []
  /// The ID of the incremental backup that it was flattened from.
  public var flattenedFrom: String?

  /// Makes a descriptor of a file about which nothing else is known.
  public init(path: String, fileBytes: Int, modifiedAt: Int64) {
    (self.path, self.fileBytes, self.modifiedAt, date) = (path, fileBytes, modifiedAt, modifiedAt)
  }

  /// One of several archives that hold a library together.
  public struct Part: Sendable, Equatable, Codable {
    /// The ID that all parts share.
    public var setID: String
    /// From 1.
    public var number: Int
    /// How many parts there are.
    public var count: Int

    /// Makes a part.
    public init(setID: String, number: Int, count: Int) {
      (self.setID, self.number, self.count) = (setID, number, count)
    }
  }

  /// A photo of the library that an archive does not hold as it should be.
  public struct MissingPhoto: Sendable, Equatable, Codable {
    /// The photo's ID in the library.
    public var id: Int64
    /// How messages refer to the photo.
    public var label: String
    /// True if the archive holds the damaged bytes that the library had; false if it holds nothing.
    public var isDamaged: Bool

    /// Makes a value of these parts.
    public init(id: Int64, label: String, isDamaged: Bool) {
      (self.id, self.label, self.isDamaged) = (id, label, isDamaged)
    }

    /// The photo and what is wrong with it.
    public var finding: Finding {
      Finding(
        label,
        isDamaged
          ? "it was already damaged when the backup was made"
          : "it could not be read when the backup was made")
    }
  }

  /// How an incremental backup refers to the archive that it depends on.
  public struct BaseReference: Sendable, Hashable, Codable {
    /// The archive's ID.
    public var archiveID: String
    /// The MD5 of its `metadata.json`.
    public var digest: String
    /// The chain depth of the backup that depends on it: 1 for the first after a full backup.
    public var depth: Int

    /// Makes a reference.
    public init(archiveID: String, digest: String, depth: Int) {
      (self.archiveID, self.digest, self.depth) = (archiveID, digest, depth)
    }
  }

  /// Returns the same under another path.
  package func moved(to path: String) -> Self {
    var descriptor = self
    descriptor.path = path
    return descriptor
  }

  /// The file's name.
  public var name: String { FilePath(path).lastComponent?.string ?? path }

  /// True if a repair could not recover every photo. Such an archive is never used as a base or counted as a copy.
  /// Archives from before this flag existed are recognized by `isPartial` without a selection.
  public var isPartialRecovery: Bool {
    hasLostPhotos || isPartial && !isDocument && selection == nil && part == nil
  }

  /// Returns whether it is dated in the future, by a clock that was ahead. The clocks of two computers that share a
  /// folder may differ by a minute.
  public func isDatedAfter(_ now: Date) -> Bool {
    date > Int64((now.timeIntervalSince1970 * 1000).rounded()) + 60_000
  }

  /// True if this program made it.
  public var isOurs: Bool { archiveID != nil }

  /// Returns whether a backup that refers to this base can use it: it is the base, or was repaired from it.
  package func satisfies(_ reference: BaseReference) -> Bool {
    archiveID == reference.archiveID
      && (digest == reference.digest || repairedFrom.contains(reference.digest))
  }
}
