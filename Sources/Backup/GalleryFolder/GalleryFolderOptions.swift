import ArchiveCatalog
import FileSystem
import Foundation
import Gallery
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

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
  /// The date on the pages; nil for now.
  public var date: Date?
  /// The password for encrypted archives.
  public var password: Secret?
  /// The limits for archives.
  public var limits = Limits()
  /// Records damaged archives.
  public var ledger: Ledger?
  /// How long to wait for a writer that is deleting photo files.
  public var lockWait = Library.readersWait
  /// The number of threads, each with a process that draws; nil for one for each core, at most four.
  package var threads: Int?

  /// Makes the default options: all photos, with drawn pictures.
  public init() {}
}

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

/// Why no gallery is written. The earlier gallery remains as it was.
public enum GalleryFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder has files, and no list of a gallery.
  case notEmpty(FilePath)
  /// The list of the gallery's files cannot be used, for this reason.
  case invalidList(FilePath, reason: String)
  /// A file that this program did not write has the name of a file of the gallery.
  case unknownFile(FilePath)
  /// The backup has version 1.
  case noPhotoFiles(FilePath)

  /// One line for the user.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .notEmpty(let path):
      "\(path) has files and is not a gallery that smilepile wrote; use a new or an empty folder"
    case .invalidList(let path, let reason):
      "\(path) cannot be used: \(reason); use a new or an empty folder"
    case .unknownFile(let path):
      "\(path) was written or changed by another program, and was not replaced; move it to another folder"
    case .noPhotoFiles(let path): "\(path) is a JSON backup, which has no photo files; use an archive"
    }
  }
}
