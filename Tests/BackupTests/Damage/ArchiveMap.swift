import Zip

/// Maps each byte of an archive to its field. A sweep selects bytes and judges harmless changes by field.
struct ArchiveMap {
  /// The field of each byte, for example `local.time` or `data`; `photo` for the bytes of a photo.
  private(set) var fields: [String]

  /// The fields of a local header, each with its length in bytes (APPNOTE 4.3.7).
  private static let local: [(String, Int)] = [
    ("signature", 4), ("version", 2), ("flags", 2), ("method", 2), ("time", 4), ("crc", 4),
    ("compressed size", 4),
    ("size", 4), ("name length", 2), ("extra length", 2),
  ]
  /// The fields of a directory record, each with its length in bytes (APPNOTE 4.3.12).
  private static let central: [(String, Int)] = [
    ("signature", 4), ("version made", 1), ("system", 1), ("version", 2), ("flags", 2), ("method", 2),
    ("time", 4),
    ("crc", 4), ("compressed size", 4), ("size", 4), ("name length", 2), ("extra length", 2),
    ("comment length", 2), ("disk", 2), ("internal attributes", 2), ("external attributes", 4), ("offset", 4),
  ]

  /// Maps an archive without ZIP64 records and without an archive comment.
  init(_ bytes: [UInt8], _ archive: Archive) {
    fields = [String](repeating: "end", count: bytes.count)
    for entry in archive.entries {
      let extra = number(bytes, entry.headerOffset + 28)
      var position = mark("local", Self.local, at: entry.headerOffset)
      position = mark("local.name", entry.dataOffset - position - extra, at: position)
      position = mark("local.extra", extra, at: position)
      let isPhoto = !entry.name.hasSuffix("metadata.json")
      position = mark(isPhoto ? "photo" : "data", entry.compressedSize, at: position)
      if entry.method == 8 {
        // a change can be harmless: the bit of the last block, the padding after the last block,
        // and two codes that decode to the same bytes
        for place in entry.dataOffset..<position { fields[place] = "deflated data" }
      }
      if entry.flags & 1 << 3 != 0 { mark("descriptor", 16, at: position) }
    }
    var position = Int(number(bytes, bytes.count - 6)) | Int(number(bytes, bytes.count - 4)) << 16
    for _ in archive.entries {
      let lengths = [28, 30, 32].map { number(bytes, position + $0) }
      position = mark("central", Self.central, at: position)
      for (name, length) in zip(["name", "extra", "comment"], lengths) {
        position = mark("central.\(name)", length, at: position)
      }
    }
  }

  private func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  private mutating func mark(_ record: String, _ parts: [(String, Int)], at offset: Int) -> Int {
    parts.reduce(offset) { mark("\(record).\($1.0)", $1.1, at: $0) }
  }

  @discardableResult
  private mutating func mark(_ field: String, _ length: Int, at offset: Int) -> Int {
    for index in offset..<offset + length { fields[index] = field }
    return offset + length
  }
}
