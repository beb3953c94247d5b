import Zip

/// Which byte of an archive is which field: where a sweep flips, and what a flip may leave unnoticed.
struct ArchiveMap {
  /// The field of each byte, as `local.time`, `data` or, inside a photo, `photo`.
  private(set) var fields: [String]

  /// Local headers, directory records and the end record, in order; each field's name and length. APPNOTE 4.3.7,
  /// 4.3.12, 4.3.16.
  private static let local: [(String, Int)] = [
    ("mark", 4), ("version", 2), ("flags", 2), ("method", 2), ("time", 4), ("crc", 4), ("compressed size", 4),
    ("size", 4), ("name length", 2), ("extra length", 2),
  ]
  private static let central: [(String, Int)] = [
    ("mark", 4), ("version made", 1), ("system", 1), ("version", 2), ("flags", 2), ("method", 2), ("time", 4),
    ("crc", 4), ("compressed size", 4), ("size", 4), ("name length", 2), ("extra length", 2),
    ("comment length", 2), ("disk", 2), ("internal attributes", 2), ("external attributes", 4), ("offset", 4),
  ]

  /// Takes an archive of ours, or one as simple, apart.
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
        // whether a block is the last, and what is left of a byte after its end
        // two codes may stand for the same bytes
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
