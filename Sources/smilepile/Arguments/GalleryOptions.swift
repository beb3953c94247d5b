import ArgumentParser
import Gallery

/// The options of a gallery in an archive.
struct GalleryOptions: ParsableArguments {
  @Flag(help: "Add a gallery with thumbnails: unpack the archive, and open index.html in a browser.")
  var gallery = false

  @OptionGroup var appearance: GalleryStyleOptions

  func validate() throws {
    if !gallery, appearance.isGiven {
      throw ValidationError("--theme, --appearance and --text-size need --gallery")
    }
  }

  /// The appearance; nil without a gallery.
  var style: Gallery.Style? { gallery ? appearance.style : nil }
}
