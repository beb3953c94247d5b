import ArgumentParser
import Gallery

/// How the pages of a gallery look.
struct GalleryStyleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Colours of the gallery: \(GalleryTheme.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
  var theme: String?

  @Option(help: ArgumentHelp("Appearance of the gallery; default: system.", valueName: "system|light|dark"))
  var appearance: GalleryAppearance?

  @Option(help: ArgumentHelp("Size of the gallery's text, 100 to 200; default: 100.", valueName: "percent"))
  var textSize: Int?

  func validate() throws {
    if let textSize, !Gallery.Style.textSizes.contains(textSize) {
      throw ValidationError("--text-size \(textSize) is outside of 100 to 200")
    }
  }

  /// True if one of the options was given.
  var isGiven: Bool { theme != nil || appearance != nil || textSize != nil }

  /// The style. An unknown theme is the default, and the gallery's summary has a warning.
  var style: Gallery.Style {
    var style = Gallery.Style()
    if let theme { style.choose(themeNamed: theme) }
    if let appearance { style.appearance = appearance }
    if let textSize { style.textSize = textSize }
    return style
  }
}

extension GalleryAppearance: ExpressibleByArgument {}
