import Foundation
import ImageHeader
import Testing

/// Small images, as far as their headers go.
struct Sample: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var header: ImageHeader

  var testDescription: String { name }
}

extension Sample {
  static let stampText = "2024:02:29 23:59:58"
  // The stamp two hours east of UTC, with a quarter of a second.
  static let taken = Date(timeIntervalSince1970: 1_709_243_998.25)

  static func exif(isBigEndian: Bool = false) -> [UInt8] {
    ExifBuilder(
      isBigEndian: isBigEndian, main: [(0x010F, "maker"), (0x0132, "2025:01:01 00:00:00")],
      exif: [(0x9003, stampText), (0x9011, "+02:00"), (0x9291, "25")]
    ).bytes
  }

  static let all: [Sample] = [
    jpeg(isBigEndian: false), jpeg(isBigEndian: true), png(isExifLast: false), png(isExifLast: true), gif(),
    lossyWebP(), losslessWebP(), extendedWebP(isMarked: false), extendedWebP(isMarked: true),
    HEIFBuilder().sample("heic"),
    HEIFBuilder(brand: "avif", hasWideItems: true, isBigEndian: true).sample("avif, wide ids"),
  ]

  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }

  static func frame(_ marker: UInt8, width: Int, height: Int) -> [UInt8] {
    segment(marker, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
  }

  static func jpeg(isBigEndian: Bool) -> Sample {
    let bytes =
      [0xFF, 0xD8] + segment(0xE0, text("JFIF\0") + [1, 1, 0, 0, 1, 0, 1, 0, 0])
      + segment(0xE1, text("Exif\0\0") + exif(isBigEndian: isBigEndian))
      + segment(0xE1, text("http://ns.adobe.com/xap/1.0/\0<x/>"))
      + segment(0xDB, Array(repeating: 1, count: 65)) + frame(0xC2, width: 4032, height: 3024)
      + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0, 0xFF, 0xD9]
    return Sample(
      name: isBigEndian ? "jpeg, big endian" : "jpeg, little endian", bytes: bytes,
      header: ImageHeader(format: .jpeg, width: 4032, height: 3024, taken: taken))
  }

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count, 4) + text(type) + content + [0, 0, 0, 0]
  }

  static func png(isExifLast: Bool) -> Sample {
    let exif = chunk("eXIf", exif(isBigEndian: true))
    let data = chunk("IDAT", Array(repeating: 7, count: 40))
    let bytes =
      [0x89] + text("PNG\r\n\u{1A}\n") + chunk("IHDR", big(70_000, 4) + big(3, 4) + [8, 2, 0, 0, 0])
      + (isExifLast ? data + exif : exif + data) + chunk("IEND", [])
    return Sample(
      name: isExifLast ? "png, exif last" : "png", bytes: bytes,
      header: ImageHeader(format: .png, width: 70_000, height: 3, taken: taken))
  }

  static func gif() -> Sample {
    Sample(
      name: "gif", bytes: text("GIF89a") + little(640, 2) + little(479, 2) + [0, 0, 0, 0x3B],
      header: ImageHeader(format: .gif, width: 640, height: 479))
  }

  static func webP(_ chunks: [(type: String, content: [UInt8])]) -> [UInt8] {
    var body: [UInt8] = []
    for (type, content) in chunks {
      body += text(type) + little(content.count, 4) + content
      if !content.count.isMultiple(of: 2) { body.append(0) }
    }
    return text("RIFF") + little(body.count + 4, 4) + text("WEBP") + body
  }

  static func lossyWebP() -> Sample {
    let content = [0x10, 0, 0, 0x9D, 0x01, 0x2A] + little(1001 | 1 << 14, 2) + little(333 | 2 << 14, 2) + [9]
    return Sample(
      name: "webp, lossy", bytes: webP([("VP8 ", content)]),
      header: ImageHeader(format: .webp, width: 1001, height: 333))
  }

  static func losslessWebP() -> Sample {
    let content = [0x2F] + little(16_383 | 4 << 14 | 1 << 28, 4)
    return Sample(
      name: "webp, lossless", bytes: webP([("VP8L", content)]),
      header: ImageHeader(format: .webp, width: 16_384, height: 5))
  }

  static func extendedWebP(isMarked: Bool) -> Sample {
    let chunks = [
      ("VP8X", [0x08, 0, 0, 0] + little(99_999, 3) + little(41, 3)), ("ICCP", [1, 2, 3]),
      ("VP8L", [0x2F] + little(0, 4)), ("EXIF", (isMarked ? text("Exif\0\0") : []) + exif()),
    ]
    return Sample(
      name: isMarked ? "webp, extended, marked exif" : "webp, extended", bytes: webP(chunks),
      header: ImageHeader(format: .webp, width: 100_000, height: 42, taken: taken))
  }
}
