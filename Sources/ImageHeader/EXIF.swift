import Foundation

/// Exif: the date taken from the directories of a TIFF structure (CIPA DC-008, section 4.6).
enum EXIF {
  // More entries than any writer puts in a directory. Further entries are ignored.
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
    /// The position of the four bytes that contain the value, or the offset of a longer value.
    let position: Int
  }

  /// Returns the date in a TIFF structure after the identifier “Exif”, a zero and a byte of padding.
  static func dateTaken(withIdentifier block: Block, timeZone: TimeZone) -> Date? {
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

    /// Returns the readable entries by tag; the first of several with the same tag.
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

    /// Returns the value of an entry of type LONG or IFD.
    func pointer(_ entry: Entry?) -> Int? {
      guard let entry, entry.type == 4 || entry.type == 13 else { return nil }
      return tiff.number(entry.position, 4, order)
    }

    /// Returns the first bytes of a value of type ASCII, UNDEFINED or UTF-8; no bytes for other types.
    func text(_ entry: Entry?) -> ArraySlice<UInt8> {
      guard let entry, [2, 7, 129].contains(entry.type) else { return [] }
      let offset = entry.count <= 4 ? entry.position : tiff.number(entry.position, 4, order)
      guard let offset else { return [] }
      return tiff.bytes(offset, min(entry.count, ExifStamp.textLength)) ?? []
    }
  }
}
