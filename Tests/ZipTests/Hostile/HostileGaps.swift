import Checksums
import SystemPackage
import TestSupport
import Testing
import Zip

/// Hostile bytes between entries: descriptors that contradict the directory, and bytes that belong to no entry. A
/// program that reads sequentially uses the former, and may find an entry in the latter.
extension HostileArchives {
  /// A descriptor in one of its four forms. APPNOTE 4.3.9.
  static func descriptor(
    _ member: ZipMember, isMarked: Bool = true, isWide: Bool = false, crc32: UInt32? = nil, size: Int? = nil,
    compressedSize: Int? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    if isMarked { bytes.append(littleEndian: UInt32(0x0807_4B50)) }
    bytes.append(littleEndian: crc32 ?? member.central.crc32)
    for number in [compressedSize ?? Int(member.central.compressedSize), size ?? Int(member.central.size)] {
      if isWide {
        bytes.append(littleEndian: UInt64(number))
      } else {
        bytes.append(littleEndian: UInt32(number))
      }
    }
    return bytes
  }

  /// The ordinary archive whose first entry was streamed, with these bytes after its data.
  private static func streamed(
    _ description: String, _ after: @escaping (ZipMember) -> [UInt8]
  ) -> Hostile {
    Hostile(description, { $0.members[0] = $0.members[0].streamed.with { $0.afterData = after($0) } }) {
      lie($0, "a.jpg", .descriptor)
    }
  }

  static let betweenEntries: [Hostile] = [
    streamed("no descriptor") { _ in [] },
    streamed("half a descriptor") { Array(descriptor($0).prefix(10)) },
    streamed("zeros for a descriptor") { _ in [UInt8](repeating: 0, count: 16) },
    streamed("descriptor with another checksum") { descriptor($0, crc32: $0.central.crc32 ^ 1) },
    streamed("descriptor with another size") { descriptor($0, size: 6) },
    streamed("descriptor with another compressed size") { descriptor($0, compressedSize: 6) },
    streamed("wide descriptor with another size") { descriptor($0, isWide: true, size: 1 << 32 + 5) },
    streamed("wide descriptor with a size beyond all files") { member in
      descriptor(member, isWide: true).dropLast() + [0x80]
    },
    streamed("two descriptors") { descriptor($0) + descriptor($0) },
    streamed("an entry after the descriptor") { descriptor($0) + inner("c.jpg", "third") },
    Hostile(
      "no descriptor after the last entry",
      { $0.members[1] = $0.members[1].streamed.with { $0.afterData = [] } }
    ) { lie($0, "b.jpg", .descriptor) },
    Hostile("a descriptor that nothing promised", { $0.members[0].afterData = descriptor($0.members[0]) }) {
      .unaccountedBytes($0, after: "a.jpg", bytes: 16)
    },
    Hostile("an entry that the directory does not have", { $0.directoryOrder = [0] }) {
      .unaccountedBytes($0, after: "a.jpg", bytes: 41)
    },
    Hostile(
      "an entry in the middle that the directory does not have",
      {
        $0.members.insert(.stored("c.jpg", "third"), at: 1)
        $0.directoryOrder = [0, 2]
      }
    ) { .unaccountedBytes($0, after: "a.jpg", bytes: 40) },
    Hostile("a byte before the directory", { $0.beforeDirectory = [1] }) {
      .unaccountedBytes($0, after: "b.jpg", bytes: 1)
    },
    Hostile(
      "more zeros than any alignment needs",
      { $0.members[0].afterData = [UInt8](repeating: 0, count: 65_537) }
    ) { .unaccountedBytes($0, after: "a.jpg", bytes: 65_537) },
  ]
}

/// Valid bytes between entries.
struct OddGapTests {
  @Test("ZIP: every form of data descriptor is read", arguments: [true, false], [true, false])
  func descriptors(isMarked: Bool, isWide: Bool) throws {
    let members = [ZipMember.deflated("a.jpg", "first"), .stored("b.jpg", "second")].map { member in
      member.streamed.with {
        $0.afterData = HostileArchives.descriptor(member, isMarked: isMarked, isWide: isWide)
      }
    }
    let contents = try ArchiveOnDisk(ZipBuilder(members).bytes).open().contents()
    #expect(contents == ["a.jpg": Array("first".utf8), "b.jpg": Array("second".utf8)])
  }

  @Test("ZIP: a checksum that equals the signature of a descriptor is read")
  func checksumLikeSignature() throws {
    var member = ZipMember.stored("a.jpg", "xxxx")
    member.data = Self.bytesWithChecksum(0x0807_4B50)
    member.both { $0.crc32 = 0x0807_4B50 }
    #expect(CRC32.of(member.data) == 0x0807_4B50)
    for isMarked in [true, false] {
      let streamed = member.streamed.with {
        $0.afterData = HostileArchives.descriptor(member, isMarked: isMarked)
      }
      let contents = try ArchiveOnDisk(ZipBuilder([streamed]).bytes).open().contents()
      #expect(contents["a.jpg"] == member.data)
    }
  }

  @Test("ZIP: zeros between entries are accepted as alignment")
  func alignment() throws {
    var zip = ZipBuilder([.stored("a.jpg", "first"), .stored("b.jpg", "second").streamed])
    zip.members[0].afterData = [UInt8](repeating: 0, count: 4096)
    zip.members[1].afterData += [0, 0, 0]
    #expect(try ArchiveOnDisk(zip.bytes).open().contents().count == 2)
  }

  @Test("ZIP: the flag of a descriptor is ignored if the header is complete")
  func flagWithoutDescriptor() throws {
    var zip = ZipBuilder([.stored("a.jpg", "first"), .stored("b.jpg", "second")])
    for index in 0..<2 { zip.members[index].both { $0.flags |= 1 << 3 } }
    #expect(try ArchiveOnDisk(zip.bytes).open().contents().count == 2)
  }

  /// Runs the checksum backwards from its result.
  private static func bytesWithChecksum(_ checksum: UInt32) -> [UInt8] {
    var table: [UInt32] = []
    for index in 0..<256 as Range<UInt32> {
      var value = index
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
      table.append(value)
    }
    // four bytes select four entries of the table, which the result determines one by one
    var register = ~checksum
    var rows: [Int] = []
    for _ in 0..<4 {
      let row = table.firstIndex { $0 >> 24 == register >> 24 } ?? 0
      rows.append(row)
      register = (register ^ table[row]) << 8
    }
    register = ~0
    return rows.reversed().map { row in
      let byte = UInt8(truncatingIfNeeded: register) ^ UInt8(row)
      register = table[row] ^ (register >> 8)
      return byte
    }
  }
}
