import Checksums
import Zip

/// One entry of a `ZipBuilder`: its data and its two headers, which may contradict each other.
package struct ZipMember: Sendable {
  /// The fields of a header. APPNOTE 4.3.7, 4.3.12.
  package struct Header: Sendable {
    /// The signature.
    package var signature: UInt32
    /// The system in the upper half; only in the directory.
    package var madeBy: UInt16 = 3 << 8 | 20
    /// General purpose flags.
    package var flags: UInt16 = 0
    /// Compression method.
    package var method: UInt16 = 0
    /// DOS time in the lower half, DOS date in the upper: 2025-10-03 14:00:00.
    package var dosTime: UInt32 = 0x5B43_7000
    /// Checksum.
    package var crc32: UInt32 = 0
    /// Compressed size.
    package var compressedSize: UInt32 = 0
    /// Size.
    package var size: UInt32 = 0
    /// The name.
    package var name: [UInt8] = []
    /// The extra fields.
    package var extra: [UInt8] = []
    /// The length of the extra fields; nil is the correct value.
    package var extraLength: UInt16?
    /// The comment; only in the directory.
    package var comment: [UInt8] = []
    /// The disk where the data begins; only in the directory.
    package var disk: UInt16 = 0
    /// The mode in the upper half; only in the directory.
    package var externalAttributes: UInt32 = 0o100644 << 16
    /// The offset of the local header; nil is the correct value; only in the directory.
    package var offset: UInt32?
  }

  /// The data after the local header.
  package var data: [UInt8]
  /// Bytes after the data: a descriptor, or a gap.
  package var afterData: [UInt8] = []
  /// The header before the data.
  package var local = Header(signature: 0x0403_4B50)
  /// The record in the directory.
  package var central = Header(signature: 0x0201_4B50)

  /// An uncompressed entry.
  package static func stored(_ name: String, _ content: String = "") -> ZipMember {
    ZipMember(Array(name.utf8), content: Array(content.utf8), data: Array(content.utf8), method: 0)
  }

  /// A deflated entry.
  package static func deflated(_ name: String, _ content: String) -> ZipMember {
    stored(name, content).deflated
  }

  /// The same entry with its data in deflated blocks that are stored. RFC 1951, 3.2.4.
  package var deflated: ZipMember {
    var blocks: [UInt8] = []
    var rest = data[...]
    repeat {
      let block = rest.prefix(Int(UInt16.max))
      rest = rest.dropFirst(block.count)
      blocks.append(rest.isEmpty ? 1 : 0)
      blocks.append(littleEndian: UInt16(block.count))
      blocks.append(littleEndian: ~UInt16(block.count))
      blocks += block
    } while !rest.isEmpty
    return ZipMember(local.name, content: data, data: blocks, method: 8)
  }

  /// A folder. Its name must end in a slash.
  package static func directory(_ name: String) -> ZipMember {
    var member = stored(name)
    member.central.externalAttributes = 0o040755 << 16 | 0x10
    return member
  }

  /// An entry with correct headers.
  package init(_ name: [UInt8], content: [UInt8], data: [UInt8], method: UInt16) {
    self.data = data
    both { header in
      header.name = name
      header.method = method
      header.crc32 = CRC32.of(content)
      header.size = UInt32(content.count)
      header.compressedSize = UInt32(data.count)
      // bit 11: the name is UTF-8
      header.flags = name.contains { $0 >= 0x80 } ? 1 << 11 : 0
    }
  }

  /// Makes the same change to both headers.
  package mutating func both(_ change: (inout Header) -> Void) {
    change(&local)
    change(&central)
  }

  /// The same entry after a change.
  package func with(_ change: (inout ZipMember) -> Void) -> ZipMember {
    var member = self
    change(&member)
    return member
  }

  /// The same entry as a program writes it that does not know the sizes in advance: zeros in the local header, and a
  /// descriptor after the data. APPNOTE 4.3.9.
  package var streamed: ZipMember {
    with { member in
      member.both { $0.flags |= 1 << 3 }
      member.afterData.append(littleEndian: UInt32(0x0807_4B50))
      member.afterData.append(littleEndian: central.crc32)
      member.afterData.append(littleEndian: central.compressedSize)
      member.afterData.append(littleEndian: central.size)
      member.local.crc32 = 0
      member.local.compressedSize = 0
      member.local.size = 0
    }
  }

  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: local.signature)
    bytes.append(littleEndian: UInt16(20))
    bytes += common(local)
    return bytes + local.name + local.extra
  }

  func directoryRecord(offset: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: central.signature)
    bytes.append(littleEndian: central.madeBy)
    bytes.append(littleEndian: UInt16(20))
    bytes += common(central)
    bytes.append(littleEndian: UInt16(central.comment.count))
    bytes.append(littleEndian: central.disk)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: central.externalAttributes)
    bytes.append(littleEndian: central.offset ?? UInt32(offset))
    return bytes + central.name + central.extra + central.comment
  }

  private func common(_ header: Header) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: header.flags)
    bytes.append(littleEndian: header.method)
    bytes.append(littleEndian: header.dosTime)
    bytes.append(littleEndian: header.crc32)
    bytes.append(littleEndian: header.compressedSize)
    bytes.append(littleEndian: header.size)
    bytes.append(littleEndian: UInt16(header.name.count))
    bytes.append(littleEndian: header.extraLength ?? UInt16(header.extra.count))
    return bytes
  }
}
