import Checksums

/// Small pictures that a viewer can open. Each number gives different bytes.
package enum Picture {
  /// A grey JPEG (ITU T.81, baseline) of 8 to 512 pixels a side.
  package static func jpeg(_ number: Int) -> [UInt8] {
    let (width, height) = (number % 64 + 1, number / 64 % 64 + 1)
    var bytes: [UInt8] = [0xFF, 0xD8]
    segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    // the number sets the 64 steps of the quantization table
    let steps = (0..<64).map { (place: Int) in UInt8(1 + (number >> (place % 32) & 0xF) + place % 7) }
    segment(0xDB, [0] + steps)
    segment(0xC0, [8] + bigEndian(UInt16(height * 8)) + bigEndian(UInt16(width * 8)) + [1, 1, 0x11, 0])
    // "no difference" and "end of block" are one bit each
    for table in [0x00, 0x10] as [UInt8] {
      segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 16))
    }
    segment(0xDA, [1, 1, 0x00, 0, 63, 0])
    // two bits for each block, ones to the end of the byte
    let bits = width * height * 2
    bytes.append(contentsOf: [UInt8](repeating: 0, count: bits / 8))
    if bits % 8 > 0 { bytes.append(0xFF >> UInt8(bits % 8)) }
    bytes.append(contentsOf: [0xFF, 0xD9])
    return bytes

    func segment(_ marker: UInt8, _ content: [UInt8]) {
      bytes.append(contentsOf: [0xFF, marker])
      bytes.append(contentsOf: bigEndian(UInt16(content.count + 2)))
      bytes.append(contentsOf: content)
    }
  }

  /// A grey PNG of 8 pixels a side.
  package static func png(_ number: Int) -> [UInt8] {
    var rows: [UInt8] = []
    for row in 0..<8 {
      rows.append(0)
      for column in 0..<8 { rows.append(UInt8(truncatingIfNeeded: (number >> row) &* 31 &+ column)) }
    }
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in rows {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    chunk("IHDR", bigEndian(UInt32(8)) + bigEndian(UInt32(8)) + [8, 0, 0, 0, 0])
    chunk("tEXt", Array("Comment".utf8) + [0] + Array(String(number).utf8))
    chunk("IDAT", [0x78, 0x9C] + RawDeflate.compress(rows) + bigEndian(high << 16 | low))
    chunk("IEND", [])
    return bytes

    func chunk(_ type: String, _ content: [UInt8]) {
      let body = Array(type.utf8) + content
      bytes.append(contentsOf: bigEndian(UInt32(content.count)))
      bytes.append(contentsOf: body)
      bytes.append(contentsOf: bigEndian(CRC32.of(body)))
    }
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
