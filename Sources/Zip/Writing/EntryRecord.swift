import Glibc

/// The local header and the directory record of an entry that is not encrypted. APPNOTE 4.3.7, 4.3.12, 4.5.3.
struct EntryRecord {
  let name: String
  let method: UInt16
  /// The offset of the local header.
  let offset: Int
  private let dosTime: UInt32
  var crc32: UInt32 = 0
  /// Bytes in the archive.
  var compressedSize = 0
  /// Bytes of the contents.
  var size = 0

  init(_ entry: NewEntry, method: UInt16, offset: Int) {
    name = entry.name
    self.method = method
    self.offset = offset
    dosTime = Self.dosTime(entry.seconds)
  }

  /// Bytes of the local header.
  var headerSize: Int { Self.headerSize(name, isLarge: isLarge) }

  static func headerSize(_ name: String, isLarge: Bool) -> Int {
    RecordLength.localHeader + name.utf8.count + (isLarge ? 20 : 0)
  }

  var isLarge: Bool { size >= ExtraFields.zip64Limit || compressedSize >= ExtraFields.zip64Limit }

  /// 2.0 for deflated entries, 4.5 for ZIP64. APPNOTE 4.4.3.
  private func version(_ needsZip64: Bool) -> UInt16 { needsZip64 ? 45 : method == 0 ? 10 : 20 }

  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerSize)
    bytes.append(Signature.localHeader)
    bytes.append(version(isLarge))
    // APPNOTE 4.5.3: the local header has both sizes in the ZIP64 field, or neither
    appendCommonFields(to: &bytes, isLarge ? (.max, .max) : (UInt32(compressedSize), UInt32(size)))
    bytes.append(UInt16(isLarge ? 20 : 0))
    bytes += name.utf8
    if isLarge { bytes.appendZip64(of: [size, compressedSize]) }
    return bytes
  }

  func appendToDirectory(_ bytes: inout [UInt8]) {
    let large = [size, compressedSize, offset].filter { $0 >= ExtraFields.zip64Limit }
    bytes.append(Signature.directoryRecord)
    // made on UNIX, by version 6.3 of the specification
    bytes.append(UInt16(3 << 8 | 63))
    bytes.append(version(!large.isEmpty))
    appendCommonFields(to: &bytes, (UInt32(clamping: compressedSize), UInt32(clamping: size)))
    bytes.append(UInt16(large.isEmpty ? 0 : 4 + large.count * 8))
    // comment, disk, internal attributes
    for _ in 0..<3 { bytes.append(UInt16(0)) }
    // a regular file of mode 0600
    bytes.append(UInt32(0o100600) << 16)
    bytes.append(UInt32(clamping: offset))
    bytes += name.utf8
    if !large.isEmpty { bytes.appendZip64(of: large) }
  }

  /// Appends the fields from the flags to the length of the name.
  private func appendCommonFields(to bytes: inout [UInt8], _ sizes: (compressed: UInt32, plain: UInt32)) {
    bytes.append(name.utf8.allSatisfy { $0 < 0x80 } ? 0 : Flag.utf8)
    bytes.append(method)
    bytes.append(dosTime)
    bytes.append(crc32)
    bytes.append(sizes.compressed)
    bytes.append(sizes.plain)
    bytes.append(UInt16(name.utf8.count))
  }

  /// Returns local time in steps of two seconds. APPNOTE 4.4.6.
  private static func dosTime(_ seconds: Int) -> UInt32 {
    var (seconds, parts) = (seconds, tm())
    localtime_r(&seconds, &parts)
    let date = (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
    let time = parts.tm_hour << 11 | parts.tm_min << 5 | min(parts.tm_sec, 59) / 2
    return UInt32(date) << 16 | UInt32(time)
  }
}

extension [UInt8] {
  fileprivate mutating func appendZip64(of numbers: [Int]) {
    append(UInt16(0x0001))
    append(UInt16(numbers.count * 8))
    for number in numbers { append(UInt64(number)) }
  }
}
