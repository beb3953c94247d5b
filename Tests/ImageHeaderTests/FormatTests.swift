import Foundation
import ImageHeader
import TestSupport
import Testing

/// Reads a sample as a file would be.
func header(of bytes: [UInt8], timeZone: TimeZone = .gmt) -> ImageHeader {
  ImageHeader.read(timeZone: timeZone) { offset, count in
    Array(bytes.dropFirst(offset).prefix(count))
  }
}

struct FormatTests {
  @Test("Image header: every sample is read", arguments: Sample.all)
  func samples(sample: Sample) {
    #expect(header(of: sample.bytes) == sample.header)
  }

  @Test("Image header: dimensions of any magnitude are read", arguments: 0..<20)
  func dimensions(seed: Int) {
    var generator = SeededNumbers(seed: UInt64(seed))
    let width = Int.random(in: 1...65_535, using: &generator)
    let height = Int.random(in: 1...65_535, using: &generator)
    let gif = text("GIF87a") + little(width, 2) + little(height, 2)
    #expect(header(of: gif) == ImageHeader(format: .gif, width: width, height: height))
    let webP = Sample.webP([("VP8X", big(0, 4) + little(width - 1, 3) + little(height - 1, 3))])
    #expect(header(of: webP) == ImageHeader(format: .webp, width: width, height: height))
    let jpeg = [0xFF, 0xD8] + Sample.frame(0xC0, width: width, height: height)
    #expect(header(of: jpeg) == ImageHeader(format: .jpeg, width: width, height: height))
  }

  @Test(
    "JPEG: every frame marker has the dimensions",
    arguments: (0xC0...0xCF).filter { ![0xC4, 0xC8, 0xCC].contains($0) })
  func jpegFrames(marker: Int) {
    let bytes =
      [0xFF, 0xD8] + Sample.segment(0xC4, [8, 0, 1, 0, 1, 1]) + Sample.segment(0xC8, [8, 0, 2, 0, 2])
      + Sample.segment(0xCC, [8, 0, 3, 0, 3]) + Sample.frame(UInt8(marker), width: 9, height: 8)
    #expect(header(of: bytes) == ImageHeader(format: .jpeg, width: 9, height: 8))
  }

  @Test("JPEG: large segments are skipped and not read")
  func jpegLargeSegments() {
    let large = Sample.segment(0xE2, Array(repeating: 0xFF, count: 65_533))
    let bytes =
      Sample.jpeg(isBigEndian: true).bytes.prefix(20) + Array(repeatElement(large, count: 30).joined())
      + Sample.frame(0xC0, width: 31, height: 32)
    var count = 0
    let header = ImageHeader.read { offset, size in
      count += size
      return Array(bytes.dropFirst(offset).prefix(size))
    }
    #expect(header == ImageHeader(format: .jpeg, width: 31, height: 32))
    #expect(count < 30 * 1024)
  }

  @Test("JPEG: padding and markers without content are skipped")
  func jpegPadding() {
    let bytes =
      [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xE0, 0, 2, 0, 0xFF, 0, 9, 0xFF, 0x01, 0xFF, 0xD3]
      + Sample.frame(0xC1, width: 5, height: 6)
    #expect(header(of: bytes) == ImageHeader(format: .jpeg, width: 5, height: 6))
  }

  @Test("JPEG: padding is limited")
  func jpegPaddingLimit() {
    let bytes =
      [0xFF, 0xD8, 0xFF] + Array(repeating: 0, count: 5000) + Sample.frame(0xC0, width: 5, height: 6)
    #expect(header(of: bytes) == ImageHeader(format: .jpeg))
  }

  @Test("JPEG: a frame after the scan is ignored")
  func jpegFrameAfterScan() {
    let bytes = [0xFF, 0xD8] + Sample.segment(0xDA, [0]) + Sample.frame(0xC0, width: 5, height: 6)
    #expect(header(of: bytes) == ImageHeader(format: .jpeg))
  }

  @Test("JPEG: a height of 0 is unknown")
  func jpegHeight() {
    let bytes = [0xFF, 0xD8] + Sample.frame(0xC0, width: 5, height: 0)
    #expect(header(of: bytes) == ImageHeader(format: .jpeg))
  }

  @Test(
    "HEIF: major and compatible brands are recognized",
    arguments: ["heic", "heix", "hevc", "mif1", "msf1", "avci"])
  func heifBrands(brand: String) {
    let major = HEIFBuilder(brand: brand, compatible: []).bytes
    #expect(header(of: major).format == .heif)
    let compatible = HEIFBuilder(brand: "abcd", compatible: ["efgh", brand]).bytes
    #expect(header(of: compatible).format == .heif)
  }

  @Test("AVIF: one of its brands is enough, wherever it is", arguments: ["avif", "avis"])
  func avifBrands(brand: String) {
    #expect(header(of: HEIFBuilder(brand: brand, compatible: []).bytes).format == .avif)
    #expect(header(of: HEIFBuilder(brand: "mif1", compatible: ["miaf", brand]).bytes).format == .avif)
  }

  @Test("HEIF: data before the meta box is accepted")
  func heifDataFirst() {
    let sample = HEIFBuilder(hasWideItems: true, hasLongData: true).sample("data first")
    #expect(header(of: sample.bytes) == sample.header)
  }

  @Test("HEIF: Exif data may extend to the end of the file")
  func heifExifWithoutLength() {
    let sample = HEIFBuilder(hasLength: false).sample("no length")
    #expect(header(of: sample.bytes) == sample.header)
  }

  @Test(
    "HEIF: Exif data in another file or in pieces is ignored",
    arguments: [HEIFBuilder(method: 1), HEIFBuilder(method: 2), HEIFBuilder(extents: 2)])
  func heifExifElsewhere(builder: HEIFBuilder) {
    #expect(header(of: builder.bytes) == ImageHeader(format: .heif, width: 5712, height: 4284))
  }

  @Test(
    "Image header: other files have no format",
    arguments: [
      [], [0xFF], text("BM") + big(0, 60), text("hello, world, this is no image"), Sample.exif(),
      HEIFBuilder(brand: "isom", compatible: ["mp42"]).bytes, text("RIFF") + little(4, 4) + text("WAVE"),
      [0x89] + text("PNG\n"),
    ])
  func otherFiles(bytes: [UInt8]) {
    #expect(header(of: bytes) == ImageHeader())
  }
}
