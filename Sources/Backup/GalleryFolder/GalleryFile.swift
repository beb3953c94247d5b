import Checksums
import FileSystem
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
  /// In milliseconds since 1970.
  let takenAt: Int64
  let content: FileContent
  /// How messages refer to the photo.
  let label: String
}

/// The paths of files in a gallery's folder. They are made of the photo's ID and of digests, never of a text. A path
/// belongs to one content. An update adds files, and changes only the start page.
enum GalleryFile {
  static let pages: FilePath = "gallery"
  static let photos: FilePath = "photos"
  static let thumbnails: FilePath = "thumbnails"
  static let views: FilePath = "view"
  static let folders = [pages, photos, thumbnails, views]

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

  /// Returns true if a path has the form of those above, or of a page.
  static func isValid(_ path: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, folders.contains(FilePath(String(parts[0]) ?? "")) else { return false }
    return parts[1].first.map { $0 != UInt8(ascii: ".") } ?? false
      && parts[1].allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }
}
