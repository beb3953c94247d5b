import HTML

/// The colours of a gallery.
package struct GalleryTheme: Sendable, Equatable {
  /// The colours of one appearance.
  package struct Palette: Sendable, Equatable {
    /// Behind everything.
    package let background: Color
    /// Behind photos and their names.
    let surface: Color
    /// Headings and names.
    package let text: Color
    /// Dates and numbers.
    let muted: Color
    /// Links and the ring around what has the focus.
    let accent: Color
    /// Borders.
    package let line: Color

    fileprivate init(
      _ background: UInt32, _ surface: UInt32, _ text: UInt32, _ muted: UInt32, _ accent: UInt32,
      _ line: UInt32
    ) {
      (self.background, self.surface, self.text) = (Color(background), Color(surface), Color(text))
      (self.muted, self.accent, self.line) = (Color(muted), Color(accent), Color(line))
    }
  }

  /// The name by which a user chooses the theme.
  package let name: String
  /// The colours of the light appearance.
  package let light: Palette
  /// The colours of the dark appearance.
  package let dark: Palette

  /// The colours of the app: the default.
  package static let smilepile = GalleryTheme(
    name: "smilepile", light: Palette(0xFFFBFE, 0xFFFFFF, 0x1C1B1F, 0x49454F, 0x8A4B00, 0x79747E),
    dark: Palette(0x1C1B1F, 0x2B2930, 0xE6E1E5, 0xCAC4D0, 0xFFB74D, 0x938F99))

  /// All themes, the default first.
  package static let all = [
    smilepile,
    GalleryTheme(
      name: "liquid-blue", light: Palette(0xF5FAFF, 0xFFFFFF, 0x0B1B2B, 0x3D5163, 0x0B5CAD, 0x5F7B94),
      dark: Palette(0x0B1622, 0x15263A, 0xE3EEF9, 0xA9C0D6, 0x7CC4FF, 0x6C8AA6)),
    GalleryTheme(
      name: "cosmic-purple", light: Palette(0xFBF7FF, 0xFFFFFF, 0x1F1230, 0x54456B, 0x6A2CA8, 0x83719B),
      dark: Palette(0x160E22, 0x251838, 0xEFE6FA, 0xC7B6DE, 0xCDA4FF, 0x8E7BA8)),
    GalleryTheme(
      name: "forest-green", light: Palette(0xF6FBF5, 0xFFFFFF, 0x10210F, 0x40573D, 0x22692A, 0x66805F),
      dark: Palette(0x0E1A0F, 0x1A2B1B, 0xE3F1E1, 0xB0C8AC, 0x8FD694, 0x72906F)),
    GalleryTheme(
      name: "sunset-orange", light: Palette(0xFFF9F4, 0xFFFFFF, 0x2A1507, 0x63483A, 0xA33B00, 0x93705C),
      dark: Palette(0x20120A, 0x332015, 0xFBEBDF, 0xDABFAC, 0xFFB27A, 0xA58672)),
    GalleryTheme(
      name: "moonlight-silver", light: Palette(0xF7F8FA, 0xFFFFFF, 0x15181D, 0x474D57, 0x3A4A63, 0x757D8A),
      dark: Palette(0x12151A, 0x1F242C, 0xE8EBF0, 0xB8C0CC, 0xB9C8DF, 0x7F8998)),
    GalleryTheme(
      name: "high-contrast", light: Palette(0xFFFFFF, 0xFFFFFF, 0x000000, 0x000000, 0x00008B, 0x000000),
      dark: Palette(0x000000, 0x000000, 0xFFFFFF, 0xFFFFFF, 0xFFFF00, 0xFFFFFF)),
  ]

  /// Returns the theme with a name; nil if no theme has it.
  package static func named(_ name: String) -> GalleryTheme? { all.first { $0.name == name } }
}

/// Whether a gallery is light or dark.
package enum GalleryAppearance: String, Sendable, CaseIterable {
  /// As the system of the reader.
  case system
  case light
  case dark
}
