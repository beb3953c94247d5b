import FileSystem
package import ImageHeader

/// The image formats that browsers show.
package enum BrowserFormats {
  /// The file name extensions of images that all browsers show.
  /// https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Image_types
  private static let shown: Set<String> = ["jpg", "jpeg", "png", "gif", "webp", "avif", "bmp"]

  /// Returns true if browsers show a file with this name as an image. A gallery shows a drawn picture of any other file:
  /// a browser would run a script in a file whose name ends with `html` or `svg`.
  package static func show(fileNamed name: String) -> Bool {
    name.fileNameExtension.map(shown.contains) ?? false
  }

  /// Returns true if browsers show photos of a format, whatever the names of their files are. Browsers other than Safari
  /// do not show HEIC and TIFF: as of Chrome 145, Edge 142 and Firefox 147 for HEIC. https://caniuse.com/heif
  ///
  /// - Parameter format: the format of a photo that libvips draws; nil if `ImageHeader` does not know it.
  package static func show(_ format: ImageHeader.Format?) -> Bool {
    switch format {
    case .jpeg?, .png?, .gif?, .webp?, .avif?: true
    case .heif?, nil: false
    }
  }
}
