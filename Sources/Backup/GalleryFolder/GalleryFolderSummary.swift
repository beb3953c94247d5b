import Operations
import SystemPackage

/// The result of writing a gallery's folder.
public struct GalleryFolderSummary: Sendable, Equatable, FindingReport {
  /// The number of photos on the pages.
  public internal(set) var photos = 0
  /// The number of categories on the pages.
  public internal(set) var categories = 0
  /// The number of pictures that were drawn.
  public internal(set) var drawn = 0
  /// The number of files that were written, pages included.
  public internal(set) var filesWritten = 0
  /// The bytes of these files.
  public internal(set) var bytesWritten = 0
  /// The number of files of an earlier gallery that were removed.
  public internal(set) var filesRemoved = 0
  /// The number of photos that ship inside the app and have no file.
  public internal(set) var assets = 0
  /// Photos of formats that libvips does not read. A click opens a copy of the file.
  public internal(set) var undrawable: [Finding] = []
  /// Photos that are corrupt or missing, and are not on the pages; photos of which no picture could be drawn.
  public internal(set) var errors: [Finding] = []
  /// The archives with damage, each with a description.
  public internal(set) var damagedArchives: [FilePath: String] = [:]
  /// Other warnings.
  public internal(set) var warnings: [String] = []

  /// True if a photo or its picture is missing from the gallery.
  public var isIncomplete: Bool { !errors.isEmpty }

  /// What is missing from the gallery.
  public var findings: [Finding] { errors }
}
