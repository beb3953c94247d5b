import TestSupport
import Testing
import Zip

/// A small archive, truncated to every length and changed at every byte: it is refused, or yields the original bytes.
struct DamageTests {
  private static let ordinary = ZipBuilder([
    .stored("metadata.json", "{}"), .deflated("photos/1_é.jpg", "not really a photo").streamed,
    .directory("empty/"), .stored("photos/2.jpg", "neither"),
  ])

  private static let zip64: ZipBuilder = {
    var zip = ordinary
    zip.zip64End = .init()
    zip.end.comment = Array("PK\u{5}\u{6} and more".utf8)
    zip.members[3].both {
      $0.size = .max
      $0.compressedSize = .max
      $0.extra = .zip64Field(7, 7) + .extraField(0x5455, [1, 0, 0, 0, 0])
    }
    return zip
  }()

  static let archives = [ordinary.bytes, zip64.bytes]

  @Test("ZIP: an archive truncated to any length is refused", arguments: archives)
  func everyLength(_ bytes: [UInt8]) throws {
    let disk = try ArchiveOnDisk()
    for length in bytes.indices {
      try disk.write(Array(bytes.prefix(length)))
      #expect(throws: ArchiveError.self, "\(length) bytes") { try disk.open() }
    }
  }

  @Test("ZIP: a changed byte is detected or harmless", arguments: archives, [0x01, 0x80, 0xFF] as [UInt8])
  func everyByte(_ bytes: [UInt8], _ pattern: UInt8) throws {
    let disk = try ArchiveOnDisk(bytes)
    let expected = try disk.open().contents()
    var found = 0
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= pattern
      try disk.write(changed)
      do {
        let contents = try disk.open().contents()
        #expect(contents == expected, "byte \(index)")
      } catch is ArchiveError {
        found += 1
      }
    }
    // dates, versions, descriptors and the like are harmless; most bytes are not
    #expect(found > bytes.count / 2)
  }
}
