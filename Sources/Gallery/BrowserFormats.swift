/// The image formats that browsers show.
package enum BrowserFormats {
  /// The file name extensions of images that are drawn for a gallery, since browsers other than Safari do not show
  /// them: as of Chrome 145, Edge 142 and Firefox 147 for HEIC. https://caniuse.com/heif
  /// https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Image_types
  private static let hidden: Set<String> = ["heic", "heif", "tif", "tiff"]

  /// Returns false if browsers do not show a file with this name, but a JPEG can be drawn of it.
  package static func show(fileNamed name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return true }
    return !hidden.contains(name[name.index(after: dot)...].lowercased())
  }
}
