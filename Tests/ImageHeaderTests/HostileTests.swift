import Foundation
import ImageHeader
import TestSupport
import Testing

/// Input made to break a reader: nothing traps, and what is asked for stays within the bounds.
struct HostileTests {
  /// Reads and checks every call; the offsets are added without a check, as a caller would.
  @discardableResult
  private func checkedHeader(of bytes: [UInt8]) -> ImageHeader {
    var total = 0
    var isInBounds = true
    let header = ImageHeader.read(timeZone: .gmt) { offset, count in
      total += count
      isInBounds = isInBounds && offset >= 0 && (1...256).contains(count) && offset + count < 1 << 41
      return offset < bytes.count ? Array(bytes[offset..<min(offset + count, bytes.count)]) : []
    }
    if !isInBounds || total > ImageHeader.readLimit || (header.width == 0) != (header.height == 0) {
      Issue.record("\(total) bytes asked for, in bounds \(isInBounds), \(header)")
    }
    return header
  }

  @Test("Image header: every truncation of a sample is read to an end", arguments: Sample.all)
  func truncated(sample: Sample) {
    for count in 0..<sample.bytes.count {
      let header = checkedHeader(of: Array(sample.bytes.prefix(count)))
      #expect(header.width == 0 || header.width == sample.header.width)
      #expect(header.format == nil || header.format == sample.header.format)
    }
  }

  @Test(
    "Image header: every changed byte of a sample is read to an end", arguments: Sample.all,
    [0xFF, 0x01, 0x80] as [UInt8])
  func flippedBytes(sample: Sample, pattern: UInt8) {
    for index in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[index] ^= pattern
      checkedHeader(of: bytes)
    }
  }

  @Test("Image header: random changes of a sample are read to an end", arguments: Sample.all, 0..<4)
  func randomChanges(sample: Sample, seed: Int) {
    var generator = SeededNumbers(seed: UInt64(seed))
    let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    for _ in 0..<500 {
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let value = values.randomElement(using: &generator) ?? 0
        for index in start..<min(start + Int.random(in: 1...8, using: &generator), bytes.count) {
          bytes[index] = value
        }
      }
      checkedHeader(of: bytes)
    }
  }

  @Test(
    "Image header: endless content is read up to the limit",
    arguments: [
      [0xFF, 0xD8, 0xFF, 0xE1, 0, 2], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xD0],
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 0],
      [0x89] + text("PNG\r\n\u{1A}\n") + Sample.chunk("IHDR", big(1, 4) + big(1, 4) + big(0, 5)),
      Sample.webP([("VP8X", big(0, 10)), ("ANMF", [])]),
      HEIFBuilder.box("ftyp", text("heic")), HEIFBuilder.box("ftyp", text("abcd")),
    ])
  func endlessContent(head: [UInt8]) {
    for tail in [Array(head.suffix(4)), Array(head.suffix(8)), [0], [0xFF], HEIFBuilder.box("free", [])] {
      #expect(endlessTotal(head: head, tail: tail) <= ImageHeader.readLimit)
    }
  }

  @Test("Image header: distant segments are read up to the limit")
  func distantSegments() {
    let exif = text("Exif\0\0MM") + [0, 42] + big(40_000, 4)
    let segment = Sample.segment(0xE1, exif + Array(repeating: 0, count: 65_533 - exif.count))
    let total = endlessTotal(head: [0xFF, 0xD8], tail: segment)
    #expect(total <= ImageHeader.readLimit)
    #expect(total > ImageHeader.readLimit / 2)
  }

  /// The number of bytes asked for of a file that never ends, but repeats its tail.
  private func endlessTotal(head: [UInt8], tail: [UInt8]) -> Int {
    var total = 0
    _ = ImageHeader.read { offset, count in
      total += count
      return (offset..<offset + count).map {
        $0 < head.count ? head[$0] : tail[($0 - head.count) % tail.count]
      }
    }
    return total
  }

  @Test(
    "HEIF: 64-bit box lengths of any value are read to an end",
    arguments: [0x7FFF_FFFF_FFFF_FFFF, -1, 0, 15, 1 << 40, 1 << 62])
  func longBoxes(length: Int) {
    let ftyp = HEIFBuilder.box("ftyp", text("heic") + big(0, 4))
    checkedHeader(of: ftyp + big(1, 4) + text("mdat") + big(length, 8) + big(0, 40))
    checkedHeader(of: ftyp + big(1, 4) + text("meta") + big(length, 8) + big(0, 40))
  }

  @Test(
    "HEIF: Exif data beyond the file is ignored", arguments: [Int.max, 1 << 62, 1 << 40, 5000],
    [Int.max, 1 << 40, 0])
  func heifExifBeyondFile(base: Int, offset: Int) {
    let bytes = HEIFBuilder(hasWideItems: true, place: (base, offset)).bytes
    #expect(checkedHeader(of: bytes) == ImageHeader(format: .heif, width: 5712, height: 4284))
  }

  @Test("Exif: a directory that refers to itself is read once")
  func selfReference() {
    var exif = ExifBuilder().bytes
    exif.replaceSubrange(18..<22, with: little(8, 4))
    checkedHeader(of: [0xFF, 0xD8] + Sample.segment(0xE1, text("Exif\0\0") + exif))
    exif.replaceSubrange(8..<10, with: [0xFF, 0xFF])
    checkedHeader(of: [0xFF, 0xD8] + Sample.segment(0xE1, text("Exif\0\0") + exif))
  }

  @Test("Image header: more bytes than requested are ignored")
  func tooManyBytes() {
    let sample = Sample.jpeg(isBigEndian: true)
    let header = ImageHeader.read { offset, _ in Array(sample.bytes.dropFirst(offset)) }
    #expect(header == sample.header)
  }

  private struct ReadFailure: Error {}

  @Test("Image header: an error of the read is thrown at once", arguments: 0..<3)
  func readError(failing: Int) {
    let sample = Sample.extendedWebP(isMarked: true)
    var calls = 0
    #expect(throws: ReadFailure.self) {
      try ImageHeader.read { offset, _ in
        defer { calls += 1 }
        guard calls < failing else { throw ReadFailure() }
        return Array(sample.bytes.dropFirst(offset).prefix(40))
      }
    }
    #expect(calls == failing + 1)
  }
}
