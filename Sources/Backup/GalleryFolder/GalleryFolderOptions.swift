import ArchiveCatalog
import Foundation
import Gallery
import Operations
import PhotoLibrary
import Secrets

/// What a click on a photo of a gallery's folder opens.
public enum GalleryOriginals: String, Sendable, CaseIterable {
  /// A JPEG of at most 1600 × 1600 pixels without metadata, drawn from the photo.
  case none
  /// A copy of the photo's file, byte for byte.
  case copy
}

/// The options of a gallery that is written as a folder.
public struct GalleryFolderOptions: Sendable {
  /// How the pages look.
  package var style = Gallery.Style()
  /// What a click on a photo opens.
  public var originals = GalleryOriginals.none
  /// Categories by `name` or by the name that the app shows; all if empty.
  public var categories: [String] = []
  /// The times when photos were taken.
  public var taken = TakenRange()
  /// The date on the pages; nil for that of the archive, or for now.
  public var date: Date?
  /// The password for encrypted archives.
  public var password: Secret?
  /// The limits for archives.
  public var limits = Limits()
  /// Records damaged archives.
  public var ledger: Ledger?
  /// How long to wait for a writer that is deleting photo files, and for another run that writes the folder.
  public var lockWait = Library.readersWait
  /// The number of threads, each with a process that draws; nil for one for each core, at most four.
  package var threads: Int?

  /// True if the gallery does not have all photos of the library or archive.
  var selectsSomePhotos: Bool { !categories.isEmpty || !taken.isUnlimited }

  /// Makes the default options: all photos, with drawn pictures.
  public init() {}
}
