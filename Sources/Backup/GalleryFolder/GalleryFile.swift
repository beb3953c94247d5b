import Checksums
import FileSystem
import Gallery
import Operations
import PhotoLibrary
import Pictures
import SystemPackage

/// A photo of a gallery's folder.
struct GalleryItem: Sendable {
  let id: Int64
  /// The displayed name, of any text.
  let name: String
  /// The name of the photo's file, of any text.
  let fileName: String
  let category: Int64
  let takenAt: Timestamp
  let content: FileContent
  /// Where its bytes are; nil if there are none.
  let bytes: PhotoBytes?
  /// How messages refer to the photo.
  let label: Finding.Subject

  /// The archive that should have the bytes; nil for a library.
  var archive: FilePath? {
    if case .entry(_, let archive, _) = bytes { archive.path } else { nil }
  }

  /// Returns the finding for a photo whose bytes cannot be read, or are not those of its row.
  func finding(_ fault: PhotoFault) -> Finding {
    if case .otherContent = fault {
      return archive == nil
        ? .differsFromRow(label)
        : Finding(label, "it is corrupt in the archive (MD5 or size differs from the one recorded)")
    }
    return archive == nil && fault.isMissing ? .missingInLibrary(label) : Finding(label, "\(fault)")
  }
}

/// The paths of files in a gallery's folder. They are made of the photo's ID and of digests, never of a text. A path
/// belongs to one content. An update adds files, and changes only the start page.
enum GalleryFile {
  static let pages: FilePath = "gallery"
  static let photos: FilePath = "photos"
  static let thumbnails: FilePath = "thumbnails"
  static let views: FilePath = "view"
  static let folders = [pages, photos, thumbnails, views]
  static let startPage = FilePath(Gallery.startPage)
  /// The list of the files, which earlier versions wrote. An update removes it.
  static let list: FilePath = ".smilepile-gallery"

  /// The path of a thumbnail.
  static func thumbnail(of item: GalleryItem) -> String { picture(.thumbnail, of: item, in: thumbnails) }

  /// The path of the picture that a click opens.
  static func view(of item: GalleryItem) -> String { picture(.view, of: item, in: views) }

  /// The path of a copy of the photo's file. Keeps the extension of a photo; any other becomes `bin`, since a browser
  /// would run the script of an HTML or SVG file.
  static func copy(of item: GalleryItem) -> String {
    let ending = item.fileName.fileNameExtension ?? ""
    return path(of: item, "", in: photos, ending: PhotoKind.isPhotoEnding(ending) ? ending : "bin")
  }

  private static func picture(
    _ request: PictureRequest, of item: GalleryItem, in folder: FilePath
  ) -> String {
    path(of: item, "\(request.box) \(request.quality)", in: folder, ending: "jpg")
  }

  private static func path(
    of item: GalleryItem, _ picture: String, in folder: FilePath, ending: String
  ) -> String {
    let key = "\(item.content.md5) \(item.content.size) \(picture)"
    return "\(folder)/\(item.id)-\(digest(of: Array(key.utf8))).\(ending)"
  }

  /// Returns 16 hexadecimal digits.
  static func digest(of bytes: [UInt8]) -> String { String(MD5Digest(hashing: bytes).description.prefix(16)) }

  /// Returns true if a gallery has this name in one of its folders.
  static func isName(_ name: FilePath, in folder: FilePath) -> Bool {
    let parts = name.string.split(separator: ".", omittingEmptySubsequences: false)
    let stem = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, stem.count == 2, stem[1].utf8.count == 16, stem[1].utf8.allSatisfy(isHexadecimal)
    else { return false }
    let isNumber = !stem[0].isEmpty && stem[0].utf8.allSatisfy(\.isDigit)
    return switch folder {
    case pages: parts[1] == "html" && (isNumber || stem[0] == "about")
    case photos: isNumber && (parts[1] == "bin" || PhotoKind.isPhotoEnding(String(parts[1])))
    default: isNumber && parts[1] == "jpg"
    }
  }

  /// Returns true if the folder of a gallery may have this name, besides the start page and its folders.
  static func isName(_ name: FilePath) -> Bool {
    name == list || PartialName.lockedFolder.matches(name) || FolderLock.isName(name)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
