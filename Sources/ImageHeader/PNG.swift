import Foundation

/// PNG: chunks of a length, a type, the content and a checksum (W3C PNG, third edition, section 5).
enum PNG {
  // The eXIf chunk may follow the image data, which many writers split into chunks of 8 KiB.
  private static let chunkLimit = 4096

  static func header(of file: Block, timeZone: TimeZone) -> ImageHeader? {
    guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
    guard file.number(8, 4) == 13, file.fourCC(12) == "IHDR",
      let width = number(in: file, at: 16), let height = number(in: file, at: 20)
    else { return ImageHeader(format: .png) }
    return ImageHeader(
      format: .png, width: width, height: height, taken: dateTaken(in: file, timeZone: timeZone))
  }

  private static func dateTaken(in file: Block, timeZone: TimeZone) -> Date? {
    var offset = 8
    for _ in 0..<chunkLimit {
      guard let length = number(in: file, at: offset), let type = file.fourCC(offset + 4),
        let content = file.block(offset + 8, length), type != "IEND"
      else { return nil }
      if type == "eXIf" {
        return EXIF.dateTaken(in: content, timeZone: timeZone)
      }
      offset += length + 12
    }
    return nil
  }

  /// Returns a number; numbers of PNG are less than 2^31.
  private static func number(in file: Block, at offset: Int) -> Int? {
    file.number(offset, 4).flatMap { $0 <= Int(Int32.max) ? $0 : nil }
  }
}
