import Foundation

/// JPEG: marker segments up to the start of the first scan (ITU-T T.81, annex B).
enum JPEG {
  // Extended XMP and ICC profiles are split into segments of 64 KiB: this allows for about 250 MiB.
  private static let segmentLimit = 4096

  // Decoders skip stray bytes between segments, and some writers pad them.
  private static let paddingLimit = 4096

  private struct Segment {
    let marker: UInt8
    let content: Block
    let end: Int
  }

  static func header(of file: Block, timeZone: TimeZone) -> ImageHeader? {
    guard file.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    var frame: (width: Int, height: Int)?
    var taken: Date?
    var offset = 2
    var padding = paddingLimit
    for _ in 0..<segmentLimit {
      guard let segment = segment(of: file, at: offset, padding: &padding) else { break }
      offset = segment.end
      if isFrame(segment.marker) {
        // A hierarchical file has a frame for each resolution: the first one counts.
        frame = frame ?? size(ofFrame: segment.content)
      } else if segment.marker == 0xE1, taken == nil {
        taken = EXIF.dateTaken(withIdentifier: segment.content, timeZone: timeZone)
      }
      if frame != nil, taken != nil { break }
    }
    return ImageHeader(
      format: .jpeg, width: frame?.width ?? 0, height: frame?.height ?? 0, taken: taken)
  }

  /// Returns the segment after any padding; nil if the scan begins or the file ends.
  private static func segment(of file: Block, at start: Int, padding: inout Int) -> Segment? {
    var offset = start
    while padding > 0, let pair = file.bytes(offset, 2), let lead = pair.first, let marker = pair.last {
      guard lead == 0xFF, marker != 0xFF, marker != 0, !isAlone(marker) else {
        offset += 1
        padding -= 1
        continue
      }
      let isEnd = marker == 0xD8 || marker == 0xD9 || marker == 0xDA
      guard !isEnd, let length = file.number(offset + 2, 2), length >= 2,
        let content = file.block(offset + 4, length - 2)
      else { return nil }
      return Segment(marker: marker, content: content, end: offset + 2 + length)
    }
    return nil
  }

  /// TEM and RST have no length and no content.
  private static func isAlone(_ marker: UInt8) -> Bool {
    marker == 0x01 || (0xD0...0xD7).contains(marker)
  }

  /// True for SOF0 to SOF15; C4, C8 and CC among them are DHT, JPG and DAC.
  private static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
  }

  /// Returns the size of a frame. Its fields are the precision, the number of lines, and the samples of a line.
  private static func size(ofFrame content: Block) -> (width: Int, height: Int)? {
    guard let height = content.number(1, 2), let width = content.number(3, 2) else { return nil }
    return (width, height)
  }
}
