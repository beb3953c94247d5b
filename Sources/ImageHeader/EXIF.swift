import Foundation

/// Exif: the date taken from the directories of a TIFF structure (CIPA DC-008, section 4.6).
enum EXIF {
  // Beyond what any writer puts in a directory; entries past it are not looked at.
  private static let entryLimit = 512

  private enum Tag {
    static let dateTime = 0x0132
    static let exifDirectory = 0x8769
    static let dateTimeOriginal = 0x9003
    static let dateTimeDigitized = 0x9004
    static let offsetTime = 0x9010
    static let offsetTimeOriginal = 0x9011
    static let offsetTimeDigitized = 0x9012
    static let subSecTime = 0x9290
    static let subSecTimeOriginal = 0x9291
    static let subSecTimeDigitized = 0x9292
  }

  private struct Entry {
    let type: Int
    let count: Int
    /// Where the four bytes are that hold the value, or the offset of one that is longer.
    let position: Int
  }

  /// The date in a TIFF structure that follows the mark Exif, a zero and a byte of padding.
  static func dateTaken(inMarked block: Block, timeZone: TimeZone) -> Date? {
    guard block.starts(with: Array("Exif\0".utf8)), let tiff = block.block(from: 6) else { return nil }
    return dateTaken(in: tiff, timeZone: timeZone)
  }

  static func dateTaken(in tiff: Block, timeZone: TimeZone) -> Date? {
    let order: ByteOrder
    if tiff.starts(with: [0x49, 0x49, 0x2A, 0x00]) {
      order = .little
    } else if tiff.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
      order = .big
    } else {
      return nil
    }
    let reader = DirectoryReader(tiff: tiff, order: order)
    guard let start = tiff.number(4, 4, order) else { return nil }
    let main = reader.entries(at: start)
    let exif = reader.pointer(main[Tag.exifDirectory]).map(reader.entries(at:)) ?? [:]

    let stamps = [
      (exif[Tag.dateTimeOriginal], Tag.offsetTimeOriginal, Tag.subSecTimeOriginal),
      (exif[Tag.dateTimeDigitized], Tag.offsetTimeDigitized, Tag.subSecTimeDigitized),
      (main[Tag.dateTime], Tag.offsetTime, Tag.subSecTime),
    ]
    for (entry, offsetTag, fractionTag) in stamps {
      let stamp = ExifStamp(
        date: reader.text(entry), offset: reader.text(exif[offsetTag]),
        fraction: reader.text(exif[fractionTag]))
      if let date = stamp.date(timeZone: timeZone) { return date }
    }
    return nil
  }

  private struct DirectoryReader {
    let tiff: Block
    let order: ByteOrder

    /// The entries by tag, as many as can be read; of one that is repeated the first.
    func entries(at start: Int) -> [Int: Entry] {
      var entries: [Int: Entry] = [:]
      guard let count = tiff.number(start, 2, order) else { return entries }
      for index in 0..<min(count, entryLimit) {
        let offset = start + 2 + index * 12
        guard let tag = tiff.number(offset, 2, order), let type = tiff.number(offset + 2, 2, order),
          let length = tiff.number(offset + 4, 4, order)
        else { break }
        if entries[tag] == nil {
          entries[tag] = Entry(type: type, count: length, position: offset + 8)
        }
      }
      return entries
    }

    /// A LONG or an IFD.
    func pointer(_ entry: Entry?) -> Int? {
      guard let entry, entry.type == 4 || entry.type == 13 else { return nil }
      return tiff.number(entry.position, 4, order)
    }

    /// The first bytes of an ASCII value, or of one stored as UNDEFINED or UTF-8; empty for others.
    func text(_ entry: Entry?) -> ArraySlice<UInt8> {
      guard let entry, [2, 7, 129].contains(entry.type) else { return [] }
      let offset = entry.count <= 4 ? entry.position : tiff.number(entry.position, 4, order)
      guard let offset else { return [] }
      return tiff.bytes(offset, min(entry.count, ExifStamp.textLength)) ?? []
    }
  }
}
