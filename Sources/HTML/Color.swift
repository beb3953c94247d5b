/// An opaque colour of the sRGB colour space.
package struct Color: Sendable, Equatable, CustomStringConvertible {
  /// Red, green and blue in the lowest 24 bits.
  package let rgb: UInt32

  /// Makes a colour of red, green and blue: `0xRRGGBB`.
  package init(_ rgb: UInt32) { self.rgb = rgb & 0xFFFFFF }

  /// `#RRGGBB`.
  package var description: String {
    let digits = String(rgb, radix: 16, uppercase: true)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
