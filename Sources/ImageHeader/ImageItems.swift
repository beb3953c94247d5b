import Foundation

/// The items of a meta box: the size of the primary item, and the Exif data of the image
/// (ISO/IEC 14496-12, section 8.11, and ISO/IEC 23008-12, sections 6.5, 9.3 and annex A).
struct ImageItems {
  private static let itemLimit = 4096
  private static let exifLimit = 8

  private let file: Block
  private let boxes: [ISOMedia.Box]

  init?(meta: Block, file: Block) {
    guard let content = meta.block(from: 4) else { return nil }
    self.file = file
    boxes = ISOMedia.boxes(in: content)
  }

  private func content(_ type: FourCC) -> Block? {
    boxes.first { $0.type == type }?.content
  }

  private var primary: Int? {
    guard let pitm = content("pitm"), let version = pitm.number(0, 1) else { return nil }
    return pitm.number(4, version == 0 ? 2 : 4)
  }

  /// The extent of the primary item before cropping and rotation.
  var size: (width: Int, height: Int)? {
    guard let primary, let iprp = content("iprp") else { return nil }
    let parts = ISOMedia.boxes(in: iprp)
    guard let ipco = parts.first(where: { $0.type == "ipco" }) else { return nil }
    let properties = ISOMedia.boxes(in: ipco.content)
    for part in parts where part.type == "ipma" {
      for index in propertyIndices(of: primary, in: part.content) {
        // Properties are numbered from 1; 0 means none.
        guard index >= 1, index <= properties.count else { continue }
        let property = properties[index - 1]
        if property.type == "ispe", let width = property.content.number(4, 4),
          let height = property.content.number(8, 4)
        {
          return (width, height)
        }
      }
    }
    return nil
  }

  private func propertyIndices(of item: Int, in ipma: Block) -> [Int] {
    guard let version = ipma.number(0, 1), let flags = ipma.number(1, 3), let count = ipma.number(4, 4)
    else { return [] }
    let idSize = version == 0 ? 2 : 4
    let indexSize = flags & 1 == 0 ? 1 : 2
    // The upper bit marks properties that a reader must support.
    let mask = indexSize == 1 ? 0x7F : 0x7FFF
    var offset = 8
    for _ in 0..<min(count, Self.itemLimit) {
      guard let id = ipma.number(offset, idSize), let links = ipma.number(offset + idSize, 1) else { break }
      offset += idSize + 1
      if id == item {
        return (0..<links).compactMap { ipma.number(offset + $0 * indexSize, indexSize).map { $0 & mask } }
      }
      offset += links * indexSize
    }
    return []
  }

  /// Returns the date of the first Exif item that has a date.
  func dateTaken(timeZone: TimeZone) -> Date? {
    for id in exifItems.prefix(Self.exifLimit) {
      // The content begins with the number of bytes between that number and the TIFF header.
      guard let content = location(of: id), let skipped = content.number(0, 4),
        let tiff = content.block(from: 4 + skipped),
        let date = EXIF.dateTaken(in: tiff, timeZone: timeZone)
      else { continue }
      return date
    }
    return nil
  }

  /// Only the entries from version 2 on have a type.
  private var exifItems: [Int] {
    guard let iinf = content("iinf"), let version = iinf.number(0, 1),
      let entries = iinf.block(from: version == 0 ? 6 : 8)
    else { return [] }
    return ISOMedia.boxes(in: entries).compactMap { entry in
      guard entry.type == "infe", let version = entry.content.number(0, 1), version >= 2 else { return nil }
      let idSize = version == 2 ? 2 : 4
      // The id is followed by the index of its protection, of two bytes.
      return entry.content.fourCC(4 + idSize + 2) == "Exif" ? entry.content.number(4, idSize) : nil
    }
  }

  /// Returns the block of an item that is contiguous and in this file; nil for other items.
  private func location(of item: Int) -> Block? {
    guard let iloc = content("iloc"), let version = iloc.number(0, 1), version <= 2,
      let sizes = iloc.number(4, 2), let count = iloc.number(6, version < 2 ? 2 : 4)
    else { return nil }
    let offsetSize = sizes >> 12
    let lengthSize = sizes >> 8 & 0xF
    let baseSize = sizes >> 4 & 0xF
    let indexSize = version == 0 ? 0 : sizes & 0xF
    let idSize = version < 2 ? 2 : 4
    let methodSize = version == 0 ? 0 : 2
    var offset = version < 2 ? 8 : 10
    for _ in 0..<min(count, Self.itemLimit) {
      let methodAt = offset + idSize
      let baseAt = methodAt + methodSize + 2
      let extentsAt = baseAt + baseSize + 2
      guard let id = iloc.number(offset, idSize), let method = iloc.number(methodAt, methodSize),
        let source = iloc.number(methodAt + methodSize, 2), let base = iloc.number(baseAt, baseSize),
        let extents = iloc.number(baseAt + baseSize, 2)
      else { return nil }
      if id == item {
        guard method & 0xF == 0, source == 0, extents == 1,
          let start = iloc.number(extentsAt + indexSize, offsetSize),
          let length = iloc.number(extentsAt + indexSize + offsetSize, lengthSize)
        else { return nil }
        let (sum, overflow) = base.addingReportingOverflow(start)
        guard !overflow else { return nil }
        // A length of 0 means the rest of the file.
        return length == 0 ? file.block(from: sum) : file.block(sum, length)
      }
      offset = extentsAt + extents * (indexSize + offsetSize + lengthSize)
    }
    return nil
  }
}
