import ImageHeader

/// What counts as a photo.
public enum PhotoKind {
  /// Endings of formats whose headers are read here.
  private static let knownEndings: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "heic", "heif", "avif",
  ]

  /// Endings of photos whose header this project does not read; their width, height and date stay unknown.
  private static let otherEndings: Set<String> = ["bmp", "tif", "tiff", "dng", "jxl"]

  /// The bytes from the start of a file by which its format shows.
  public static let startLength = 64 << 10

  /// Whether the start of a file shows a photo, or its name has the ending of those whose starts are not known here.
  public static func isPhoto(_ name: String, start: [UInt8]) -> Bool {
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    if otherEndings.contains(ending) { return true }
    let header = ImageHeader.read { offset, count in Array(start.dropFirst(offset).prefix(count)) }
    return header.format != nil
  }

  /// Whether somebody who gave a file this ending, in upper or lower case, meant it for a photo.
  static func isPhotoEnding(_ ending: String) -> Bool {
    let ending = ending.lowercased()
    return knownEndings.contains(ending) || otherEndings.contains(ending)
  }
}
