import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Thumbnails of good images.
@Suite(.enabled(PictureScratch.reason) { PictureScratch.isPossible })
struct DrawingTests {
  private let scratch = PictureScratch()
  private static let red: [Double] = [201, 60, 40]

  private func writePlainImage() throws { try scratch.writeImage("plain.ppm") { _, _ in (201, 60, 40) } }

  @Test(
    "Picture: a JPEG is upright for each EXIF orientation",
    arguments: [
      (1, "RGBW"), (2, "GRWB"), (3, "WBGR"), (4, "BWRG"), (5, "RBGW"), (6, "BRWG"), (7, "WGBR"), (8, "GWRB"),
    ])
  func orientation(_ orientation: UInt8, _ corners: String) throws {
    try scratch.writeImage("corners.ppm") { x, y in
      y < 0.5 ? (x < 0.5 ? (255, 0, 0) : (0, 255, 0)) : (x < 0.5 ? (0, 0, 255) : (255, 255, 255))
    }
    try scratch.run("vips", "copy", "corners.ppm", "corners.jpg[Q=95]")
    try scratch.folder.write(scratch.folder.bytes("corners.jpg").oriented(orientation), to: "turned.jpg")
    let colours = try scratch.colours(of: "turned.jpg", at: [(10, 10), (90, 10), (10, 90), (90, 90)])
    let expected: [Character: [Double]] = [
      "R": [255, 0, 0], "G": [0, 255, 0], "B": [0, 0, 255], "W": [255, 255, 255],
    ]
    for (colour, corner) in zip(colours, corners) {
      #expect(try colour.isNear(#require(expected[corner]), within: 6))
    }
    let picture = try scratch.draw("turned.jpg").get()
    #expect(picture.width == (orientation < 5 ? 300 : 225))
    #expect(picture.height == (orientation < 5 ? 225 : 300))
  }

  @Test(
    "Picture: Display P3 becomes sRGB",
    arguments: ["jpg", "png", "webp[lossless]", "tif", "heic[Q=95]", "avif[Q=95]"])
  func displayP3(_ ending: String) throws {
    try writePlainImage()
    try scratch.run("vips", "icc_transform", "plain.ppm", "wide.v", "p3", "--input-profile", "srgb")
    try scratch.run("vips", "copy", "wide.v", "wide.\(ending)")
    let name = "wide.\(ending.prefix { $0 != "[" })"
    // without a conversion, it would be (186, 71, 50)
    #expect(try scratch.colours(of: name)[0].isNear(Self.red))
  }

  @Test("Picture: CMYK becomes sRGB", arguments: ["cmyk.jpg", "cmyk.tif", "cmyk.jpg[strip]"])
  func cmyk(_ target: String) throws {
    try writePlainImage()
    try scratch.run("vips", "icc_transform", "plain.ppm", "cmyk.v", "cmyk", "--input-profile", "srgb")
    try scratch.run("vips", "copy", "cmyk.v", target)
    #expect(try scratch.colours(of: String(target.prefix { $0 != "[" }))[0].isNear(Self.red, within: 8))
  }

  @Test(
    "Picture: 16 bits become 8, and transparent pixels become white",
    arguments: [("colourspace", "rgb16", Self.red), ("bandjoin_const", "0", [255, 255, 255])])
  func converted(operation: String, option: String, colour: [Double]) throws {
    try writePlainImage()
    try scratch.run("vips", operation, "plain.ppm", "converted.png", option)
    #expect(try scratch.colours(of: "converted.png")[0].isNear(colour))
  }

  @Test("Picture: GIF is drawn")
  func gif() throws {
    try writePlainImage()
    try scratch.run("vips", "copy", "plain.ppm", "plain.gif")
    #expect(try scratch.colours(of: "plain.gif")[0].isNear(Self.red))
  }

  @Test("Picture: grey stays grey")
  func grey() throws {
    try scratch.writeImage("grey.ppm") { _, _ in (108, 108, 108) }
    try scratch.run("vips", "colourspace", "grey.ppm", "grey.jpg", "b-w")
    #expect(try scratch.colours(of: "grey.jpg")[0].isNear([108]))
  }

  @Test(
    "Picture: the longest side has 300 pixels, and a small photo is not enlarged",
    arguments: [("jpg", (1000, 333), (300, 100)), ("png", (20, 10), (20, 10))])
  func size(format: String, photo: (Int, Int), expected: (Int, Int)) throws {
    try scratch.writeImage("photo.ppm", width: photo.0, height: photo.1) { _, _ in (1, 2, 3) }
    try scratch.run("vips", "copy", "photo.ppm", "photo.\(format)")
    let picture = try scratch.draw("photo.\(format)").get()
    #expect(picture.width == expected.0)
    #expect(picture.height == expected.1)
  }

  @Test("Picture: the thumbnail has no metadata")
  func metadata() throws {
    try writePlainImage()
    try scratch.run("vips", "icc_transform", "plain.ppm", "wide.v", "p3", "--input-profile", "srgb")
    try scratch.run("vips", "copy", "wide.v", "wide.jpg")
    try scratch.folder.write(scratch.folder.bytes("wide.jpg").oriented(1), to: "tagged.jpg")
    let jpeg = try scratch.draw("tagged.jpg").get().jpeg
    let text = String(decoding: jpeg, as: Unicode.ASCII.self)
    for word in ["Exif", "ICC_PROFILE", "http://"] { #expect(!text.contains(word)) }
  }
}
