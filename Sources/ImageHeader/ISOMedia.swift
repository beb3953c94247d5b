import Foundation

/// HEIC, HEIF and AVIF: boxes of an ISO base media file (ISO/IEC 14496-12, section 4.2).
enum ISOMedia {
  // The brands of images and image sequences with HEVC and AVC (ISO/IEC 23008-12).
  private static let brands: Set<FourCC> = [
    "mif1", "mif2", "msf1", "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avci", "avcs",
  ]
  // The brands of those with AV1 (AVIF 1.1). Such files have brands of HEIF, too.
  private static let avifBrands: Set<FourCC> = ["avif", "avis"]

  private static let brandLimit = 64

  // A large picture is a grid of tiles. Each tile is an item with its own properties.
  static let boxLimit = 4096

  struct Box {
    let type: FourCC
    let content: Block
  }

  static func header(of file: Block, timeZone: TimeZone) -> ImageHeader? {
    guard let first = box(in: file, at: 0)?.box, first.type == "ftyp", let format = format(first.content)
    else { return nil }
    guard let meta = boxes(in: file, until: "meta").last, meta.type == "meta",
      let items = ImageItems(meta: meta.content, file: file)
    else { return ImageHeader(format: format) }
    let size = items.size
    return ImageHeader(
      format: format, width: size?.width ?? 0, height: size?.height ?? 0,
      taken: items.dateTaken(timeZone: timeZone))
  }

  /// Returns the format according to the major brand and, after four bytes of version, the compatible brands.
  private static func format(_ content: Block) -> ImageHeader.Format? {
    var isImage = false
    for index in 0..<brandLimit where index != 1 {
      guard let brand = content.fourCC(index * 4) else { break }
      if avifBrands.contains(brand) { return .avif }
      isImage = isImage || brands.contains(brand)
    }
    return isImage ? .heif : nil
  }

  /// Returns consecutive boxes, up to the first of the given type.
  static func boxes(in block: Block, until type: FourCC? = nil) -> [Box] {
    var boxes: [Box] = []
    var offset = 0
    while boxes.count < boxLimit, let next = box(in: block, at: offset) {
      boxes.append(next.box)
      if next.box.type == type { break }
      offset = next.end
    }
    return boxes
  }

  /// A length of 1 means a 64-bit length after the type; 0 means the rest of the block.
  private static func box(in block: Block, at offset: Int) -> (box: Box, end: Int)? {
    guard let short = block.number(offset, 4), let type = block.fourCC(offset + 4) else { return nil }
    var length = short
    var head = 8
    if short == 1 {
      guard let long = block.number(offset + 8, 8) else { return nil }
      length = long
      head = 16
    } else if short == 0 {
      length = block.count - offset
    }
    guard let whole = block.block(offset, length), let content = whole.block(from: head)
    else { return nil }
    return (Box(type: type, content: content), offset + length)
  }
}
