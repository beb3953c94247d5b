import Checksums
import TestSupport

/// An entry as a phone's ZIP reader returns it.
struct ReaderZipEntry {
  var name: String
  var content: [UInt8]
  /// The size that the reader knows before it reads the data; nil if a descriptor follows.
  var size: Int?
  /// The compressed size that the reader knows before it reads the data.
  var compressedSize: Int?
}

/// An archive in memory, read as the phones read it.
struct ReaderZip {
  let bytes: [UInt8]

  /// Returns every entry from the first local header on, as java.util.zip.ZipInputStream reads them. Sizes come from
  /// the local headers, and a descriptor may follow deflated data only. The central directory is not read.
  func forward() throws -> [ReaderZipEntry] {
    var entries: [ReaderZipEntry] = []
    var offset = 0
    while number(offset, 4) == 0x0403_4B50 {
      let header = offset
      let (flags, method) = (number(header + 6, 2), number(header + 8, 2))
      let name = try name(header + 30, number(header + 26, 2))
      guard flags & 1 == 0 else { throw PhoneReader.Refusal("\(name) is encrypted") }
      let isStreamed = flags & 8 != 0
      if isStreamed, method != 8 {
        throw PhoneReader.Refusal("\(name): only DEFLATED entries can have EXT descriptor")
      }
      let start = dataStart(header)
      let (content, taken) = try expand(from: start, method, storedSize: number(header + 18, 4), name)
      offset = start + taken
      if isStreamed, number(offset, 4) == 0x0807_4B50 { offset += 4 }
      try check(content, taken, name, against: isStreamed ? offset : header + 14)
      if isStreamed { offset += 12 }
      entries.append(
        ReaderZipEntry(
          name: name, content: content, size: isStreamed ? nil : content.count,
          compressedSize: isStreamed ? nil : taken))
    }
    return entries
  }

  /// Returns every entry of the central directory, as ZIPFoundation reads them.
  func directory() throws -> [ReaderZipEntry] {
    let last = bytes.count - 22
    let ends = stride(from: last, through: max(0, last - 0xFFFF), by: -1)
    guard let end = ends.first(where: { number($0, 4) == 0x0605_4B50 }) else {
      throw PhoneReader.Refusal("no end of the central directory")
    }
    var offset = number(end + 16, 4)
    return try (0..<number(end + 10, 2)).map { _ in
      guard number(offset, 4) == 0x0201_4B50 else { throw PhoneReader.Refusal("the directory is damaged") }
      let record = offset
      let name = try name(record + 46, number(record + 28, 2))
      offset += 46 + number(record + 28, 2) + number(record + 30, 2) + number(record + 32, 2)
      let header = number(record + 42, 4)
      guard number(header, 4) == 0x0403_4B50 else { throw PhoneReader.Refusal("\(name) has no local header") }
      let compressedSize = number(record + 20, 4)
      let (content, taken) = try expand(
        from: dataStart(header), number(record + 10, 2), storedSize: compressedSize, name)
      try check(content, taken, name, against: record + 16)
      return ReaderZipEntry(name: name, content: content, size: content.count, compressedSize: compressedSize)
    }
  }

  private func dataStart(_ header: Int) -> Int {
    header + 30 + number(header + 26, 2) + number(header + 28, 2)
  }

  /// Compares content with a checksum, a compressed size and a size in this order.
  private func check(_ content: [UInt8], _ taken: Int, _ name: String, against offset: Int) throws {
    guard number(offset + 4, 4) == taken, number(offset + 8, 4) == content.count else {
      throw PhoneReader.Refusal("\(name): invalid entry size")
    }
    guard number(offset, 4) == Int(CRC32.of(content)) else {
      throw PhoneReader.Refusal("\(name): invalid entry CRC")
    }
  }

  private func expand(
    from start: Int, _ method: Int, storedSize: Int, _ name: String
  ) throws -> (content: [UInt8], taken: Int) {
    guard start <= bytes.count else { throw PhoneReader.Refusal("\(name) is cut off") }
    switch method {
    case 0:
      guard start + storedSize <= bytes.count else { throw PhoneReader.Refusal("\(name) is cut off") }
      return (Array(bytes[start..<start + storedSize]), storedSize)
    case 8:
      guard let expanded = RawDeflate.expand(bytes[start...]) else {
        throw PhoneReader.Refusal("\(name): invalid deflated data")
      }
      return expanded
    default: throw PhoneReader.Refusal("\(name): invalid compression method")
    }
  }

  private func name(_ offset: Int, _ count: Int) throws -> String {
    guard offset + count <= bytes.count,
      let name = String(validating: bytes[offset..<offset + count], as: UTF8.self)
    else { throw PhoneReader.Refusal("a name is cut off, or is no UTF-8") }
    return name
  }

  /// Returns a little-endian number of `count` bytes; 0 after the end of the archive.
  private func number(_ offset: Int, _ count: Int) -> Int {
    guard offset >= 0, offset + count <= bytes.count else { return 0 }
    return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}
