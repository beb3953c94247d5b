import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Pictures

/// A folder with images that the program `vips` makes.
final class PictureScratch: Sendable {
  let folder = ScratchFolder()

  /// True if this machine can make and draw images.
  static let isPossible = Programs.has("vips") && (try? PictureSupport.find()) != nil

  static let reason: Comment = "libvips42 or libvips-tools is not installed"

  /// Runs a program in the folder, and returns what it prints.
  @discardableResult
  func run(_ name: String, _ arguments: String...) throws -> String {
    try Programs.output(
      name, arguments, in: folder.path, environment: ["LC_ALL": "C.UTF-8", "VIPS_WARNING": "0"])
  }

  /// The colour of a pixel at fractions of the width and the height.
  typealias Colour = (_ x: Double, _ y: Double) -> (UInt8, UInt8, UInt8)

  /// Writes an image as PPM.
  func writeImage(_ name: String, width: Int = 400, height: Int = 300, _ colour: Colour) throws {
    var bytes = Array("P6\n\(width) \(height)\n255\n".utf8)
    for y in 0..<height {
      for x in 0..<width {
        let (red, green, blue) = colour(Double(x) / Double(width), Double(y) / Double(height))
        bytes += [red, green, blue]
      }
    }
    try folder.write(bytes, to: name)
  }

  /// Draws a file with a new helper.
  func draw(
    _ name: String, with drawer: PictureDrawer? = nil
  ) throws -> Result<Pictures.Picture, PictureFault> {
    let file = try File.open(folder.path(name), .read)
    return try (drawer ?? PictureDrawer()).draw(.thumbnail, file)
  }

  /// Draws a file, and returns the colours of the thumbnail at points in percent of its size.
  func colours(of name: String, at points: [(Int, Int)] = [(50, 50)]) throws -> [[Double]] {
    let picture = try draw(name).get()
    try folder.write(picture.jpeg, to: "drawn.jpg")
    return try points.map { x, y in
      try run("vips", "getpoint", "drawn.jpg", "\(picture.width * x / 100)", "\(picture.height * y / 100)")
        .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }
  }
}

extension [UInt8] {
  /// A JPEG with an Exif segment that has only an orientation. CIPA DC-008
  func oriented(_ orientation: UInt8) -> [UInt8] {
    let tiff: [UInt8] =
      Array("Exif\0\0MM\0*".utf8) + [
        0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
      ]
    return prefix(2) + [0xFF, 0xE1, 0, UInt8(tiff.count + 2)] + tiff + dropFirst(2)
  }
}

extension [Double] {
  /// Returns true if each component differs by at most `tolerance`.
  func isNear(_ other: [Double], within tolerance: Double = 3) -> Bool {
    count == other.count && zip(self, other).allSatisfy { abs($0 - $1) <= tolerance }
  }
}
