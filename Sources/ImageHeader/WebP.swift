import Foundation

/// WebP: RIFF chunks, of which the first is VP8, VP8L or VP8X (RFC 9649, section 2).
enum WebP {
  // An animation has a chunk for each frame, before the EXIF chunk.
  private static let chunkLimit = 4096

  private struct Chunk {
    let type: FourCC
    let content: Block
    let end: Int
  }

  static func header(of file: Block, timeZone: TimeZone) -> ImageHeader? {
    guard file.fourCC(0) == "RIFF", file.fourCC(8) == "WEBP" else { return nil }
    guard let first = chunk(of: file, at: 12), let size = size(in: first) else {
      return ImageHeader(format: .webp)
    }
    return ImageHeader(
      format: .webp, width: size.width, height: size.height,
      taken: dateTaken(in: file, after: first, timeZone: timeZone))
  }

  private static func chunk(of file: Block, at offset: Int) -> Chunk? {
    guard let type = file.fourCC(offset), let length = file.number(offset + 4, 4, .little),
      let content = file.block(offset + 8, length)
    else { return nil }
    return Chunk(type: type, content: content, end: offset + 8 + length + length % 2)
  }

  private static func dateTaken(in file: Block, after first: Chunk, timeZone: TimeZone) -> Date? {
    var offset = first.end
    for _ in 0..<chunkLimit {
      guard let chunk = chunk(of: file, at: offset) else { return nil }
      if chunk.type == "EXIF" {
        // The content should begin with the TIFF header, but many writers copy the identifier of JPEG too.
        return EXIF.dateTaken(in: chunk.content, timeZone: timeZone)
          ?? EXIF.dateTaken(withIdentifier: chunk.content, timeZone: timeZone)
      }
      offset = chunk.end
    }
    return nil
  }

  private static func size(in chunk: Chunk) -> (width: Int, height: Int)? {
    let content = chunk.content
    switch chunk.type {
    case "VP8 ":
      return lossySize(in: content)
    case "VP8L":
      guard content.number(0, 1) == 0x2F, let bits = content.number(1, 4, .little) else { return nil }
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    case "VP8X":
      guard let width = content.number(4, 3, .little), let height = content.number(7, 3, .little) else {
        return nil
      }
      return (width + 1, height + 1)
    default:
      return nil
    }
  }

  /// Returns the size in the header of a VP8 key frame. The upper two bits of each number request scaling (RFC 6386,
  /// 9.1).
  private static func lossySize(in content: Block) -> (width: Int, height: Int)? {
    guard let tag = content.number(0, 1), tag & 1 == 0, content.number(3, 3) == 0x9D012A,
      let width = content.number(6, 2, .little), let height = content.number(8, 2, .little)
    else { return nil }
    return (width & 0x3FFF, height & 0x3FFF)
  }
}
