import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Files that are made to harm a decoder.
@Suite(.enabled(PictureScratch.reason) { PictureScratch.isPossible })
struct HostileImageTests {
  private let scratch = PictureScratch()

  /// Writes an image of each format, and returns their names.
  private func writeFormats() throws -> [String] {
    try scratch.writeImage("noise.ppm") { x, y in
      let noise = (x * 7919 + y * 104_729).truncatingRemainder(dividingBy: 1)
      return (UInt8(x * 255), UInt8(y * 255), UInt8(noise * 255))
    }
    let names = ["a.jpg", "b.png", "c.webp", "d.gif", "e.tif", "f.heic", "g.avif", "h.jpg[interlace]"]
    for name in names { try scratch.run("vips", "copy", "noise.ppm", name) }
    return names.map { String($0.prefix { $0 != "[" }) }
  }

  @Test("Hostile images: 200 truncated and flipped files crash nothing, each within 20 s")
  func damagedFiles() throws {
    let originals = try writeFormats().map { try scratch.folder.bytes($0) }
    var numbers = SeededNumbers(seed: 20)
    let drawer = PictureDrawer()
    var (drawn, refused) = (0, 0)
    for index in 0..<200 {
      var bytes = originals[index % originals.count]
      if index % 5 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
      } else {
        for _ in 0..<[1, 5, 50, 500][index % 4] {
          bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
      }
      try scratch.folder.write(bytes, to: "hostile")
      switch try scratch.draw("hostile", with: drawer) {
      case .success: drawn += 1
      case .failure(.unreadable), .failure(.unknownFormat), .failure(.tooLarge): refused += 1
      case .failure(let fault): Issue.record("file \(index): \(fault)")
      }
    }
    #expect(drawn > 20)
    #expect(refused > 20)
    #expect(drawer.failures == 0)
  }

  @Test(
    "Hostile images: a bomb of 900 megapixels is refused without decoding it",
    arguments: ["bomb.png", "bomb.tif"])
  func bomb(_ name: String) throws {
    try scratch.run(
      "vips", "black", name.hasSuffix("png") ? "\(name)[compression=9]" : "\(name)[compression=deflate]",
      "30000",
      "30000")
    #expect(try scratch.draw(name) == .failure(.tooLarge))
  }

  @Test("Hostile images: a JPEG that claims 65,500² pixels is refused")
  func falseSize() throws {
    var bytes = try scratch.folder.bytes(writeFormats()[0])
    let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    for offset in [5, 7] { bytes.replaceSubrange(frame + offset..<frame + offset + 2, with: [0xFF, 0xDC]) }
    try scratch.folder.write(bytes, to: "false.jpg")
    #expect(try scratch.draw("false.jpg") == .failure(.tooLarge))
  }

  @Test(
    "Hostile images: formats whose decoders are not safe are not read", arguments: ["svg", "pdf", "bmp", "v"])
  func unsafeFormat(_ ending: String) throws {
    let texts = [
      "svg": "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='/etc/passwd'/></svg>",
      "pdf": "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n", "bmp": "BM\u{36}\u{0}\u{0}\u{0}",
    ]
    if let text = texts[ending] {
      try scratch.folder.write(text, to: "file.\(ending)")
    } else {
      try scratch.run("vips", "black", "file.v", "9", "9")
    }
    #expect(try scratch.draw("file.\(ending)") == .failure(.unknownFormat))
  }

  @Test("Hostile images: an empty file and a text are not read", arguments: ["", "no image\n"])
  func noImage(_ text: String) throws {
    try scratch.folder.write(text, to: "file.jpg")
    #expect(try scratch.draw("file.jpg") == .failure(.unknownFormat))
  }
}
