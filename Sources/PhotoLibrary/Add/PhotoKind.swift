import FileSystem
import ImageHeader

/// The rules by which a file is a photo.
public enum PhotoKind {
  /// File name extensions of formats whose headers this program reads.
  private static let knownEndings: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "heic", "heif", "avif",
  ]

  /// Extensions of formats whose headers this program does not read: width, height and date stay unknown.
  private static let otherEndings: Set<String> = ["bmp", "tif", "tiff", "dng", "jxl"]

  /// The number of bytes at the start of a file that tell its format.
  public static let startLength = 64 << 10

  /// Returns true if a file is a photo by its first bytes, or by its extension if the format is not known here.
  public static func isPhoto(_ name: String, start: [UInt8]) -> Bool {
    if let ending = name.fileNameExtension, otherEndings.contains(ending) { return true }
    let header = ImageHeader.read { offset, count in Array(start.dropFirst(offset).prefix(count)) }
    return header.format != nil
  }

  /// Returns true if a name has the extension of a photo.
  package static func isPhoto(fileNamed name: String) -> Bool {
    name.fileNameExtension.map(isPhotoEnding) ?? false
  }

  /// Returns true if this is the extension of a photo, in upper or lower case.
  package static func isPhotoEnding(_ ending: String) -> Bool {
    let ending = ending.lowercased()
    return knownEndings.contains(ending) || otherEndings.contains(ending)
  }
}

extension ImageHeader {
  /// Reads the header of a file.
  package static func read(from file: borrowing File) throws(FileError) -> ImageHeader {
    try read { (offset, count) throws(FileError) in try file.read(count, at: offset) }
  }
}
