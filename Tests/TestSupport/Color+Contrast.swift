import Foundation
import HTML

extension Color {
  /// The relative luminance, from 0 to 1. https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
  private var luminance: Double {
    let channels = [16, 8, 0].map { shift in
      let value = Double(rgb >> UInt32(shift) & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }

  /// Returns the contrast ratio, from 1 to 21. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
  package func contrast(with other: Color) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }
}
