import ArchiveCatalog
import Foundation
import Gallery
import PhotoLibrary
import Secrets

/// The options of an export.
public struct ExportOptions: Sendable {
  /// The container.
  public enum Format: String, Sendable, CaseIterable {
    /// Version 2: an archive with the photo files.
    case zip
    /// Version 1: a JSON document without photo files.
    case json
  }

  /// The default of `maximumChainDepth`: a job that runs every day makes a full archive every eighth day.
  public static let defaultMaximumChainDepth = 7

  /// The container.
  public var format = Format.zip
  /// Categories by `name` or by the name that the app shows; all if empty.
  public var categories: [String] = []
  /// The times when photos were taken.
  public var taken = TakenRange()
  /// True to export the library's settings. False to write the app's defaults, since both apps require settings.
  public var includesSettings = true
  /// Encrypts every entry of the archive with AES-256. The entries' names reveal only the photos' ids. No phone can
  /// read such an archive.
  public var password: Secret?
  /// Accepts a password that is short enough to be guessed.
  public var allowsWeakPassword = false
  /// The date of the archive; nil for now.
  public var date: Date?
  /// Tags in the archive's metadata, for retention.
  public var tags: [String] = []
  /// Splits the export into several archives within these limits, since the apps refuse a larger one; nil to write one
  /// archive.
  public var phoneLimits: PhoneLimits?
  /// Leaves out the files that are stored in a base in the destination's folder. The archive is a full one if there is
  /// no base, or if the chain has its greatest depth.
  public var isIncremental = false
  /// The greatest chain depth of the archive.
  public var maximumChainDepth = ExportOptions.defaultMaximumChainDepth
  /// A tag that the base of an incremental export must have, so that a job depends on its own archives; nil for any.
  public var baseTag: String?
  /// Gives the health of archives. `Work.export` records the export. The export records the archives that it verifies: a
  /// base that is suspect, and with `verifies` also one that was never verified or has changed since.
  public var ledger: Ledger?
  /// The observer of the operation that this export belongs to; nil if the export is an operation of its own.
  package var observer: ArchiveObserver?
  /// Verifies every CRC and MD5 of the archive before it is published.
  public var verifies = false
  /// Adds a thumbnail of each photo to the archive. Draws those that the library's cache lacks, which needs libvips.
  public var includesThumbnails = false
  /// The appearance of the gallery that the archive gets; nil for none.
  package var gallery: Gallery.Style?
  /// False to write an archive without thumbnails and gallery, with a warning, if none can be drawn or the cache of
  /// pictures cannot be used.
  public var requiresPictures = true
  /// The permissions of the archive, as in chmod(1); nil for access by the owner alone (0600).
  public var permissions: UInt16?
  /// Plans, but writes nothing.
  public var isDryRun = false
  /// Describes each photo in the summary.
  public var reportsPhotos = false
  /// Makes the archive durable before it is reported. Without it, a power cut may remove or truncate the archive. For
  /// measurements, and for callers that flush by themselves.
  public var syncs = true
  /// How long to wait for a writer that is deleting photo files.
  public var lockWait = Library.readersWait
  /// The number of photos to read concurrently; nil for the best number for the disk.
  public var readers: Int?

  /// Makes the default options: everything, as an archive.
  public init() {}

  /// True if categories or dates select the photos. An export without settings selects all photos.
  package var selectsSomePhotos: Bool { !categories.isEmpty || !taken.isUnlimited }
}
