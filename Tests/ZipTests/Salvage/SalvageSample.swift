import TestSupport

@testable import Zip

/// A small archive with an entry of each kind, and the range of each.
struct SalvageSample {
  /// An entry, and the range of the file that it needs.
  struct Part {
    var name: String
    var content: [UInt8]
    /// From its local header to the end of its data, or of the descriptor after it.
    var range: Range<Int>
    /// Only its data.
    var data: Range<Int>
  }

  let bytes: [UInt8]
  let parts: [Part]
  /// The offset of the directory.
  let directory: Int

  /// A photo that contains an archive, as others contain a thumbnail. Its entries have names of a backup.
  static let nested: ZipMember = {
    let archive = ZipBuilder([.stored("photos/1_a.jpg", "WRONG"), .stored("metadata.json", "{WRONG}")])
    let photo = Array("head".utf8) + archive.bytes + Array("tail of the fourth photo".utf8)
    return ZipMember(Array("photos/4_d.jpg".utf8), content: photo, data: photo, method: 0)
  }()

  /// Stored, deflated, streamed, empty, with ZIP64 fields, and with an archive inside.
  static let members: [ZipMember] = [
    .stored("metadata.json", "{\"photos\": []}"),
    .stored("photos/1_a.jpg", "the first photo, stored as it is"),
    .deflated("photos/2_b.jpg", "the second photo, deflated"),
    .deflated("photos/3_c.jpg", "the third photo, written by a phone").streamed,
    nested,
    .stored("photos/5_e.jpg", ""),
    .stored("photos/6_f.jpg", "the sixth photo, with wide sizes").with { member in
      let size = UInt64(member.data.count)
      member.local.extra =
        [1, 0, 16, 0]
        + [size, size].flatMap { value in
          (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
      member.local.size = .max
      member.local.compressedSize = .max
    },
    .stored("photos/7_g.jpg", "the seventh photo, stored and streamed").streamed,
    .stored("photos/8_h.jpg", "the last photo"),
  ]

  init(_ members: [ZipMember] = Self.members, prefix: [UInt8] = []) {
    var builder = ZipBuilder(members)
    builder.prefix = prefix
    bytes = builder.bytes
    var offset = prefix.count
    var parts: [Part] = []
    for member in members {
      let header = 30 + member.local.name.count + member.local.extra.count
      let start = offset + header
      let data = start..<start + member.data.count
      offset = data.upperBound + member.afterData.count
      // deflate's stored block begins with five bytes
      let content = member.local.method == 8 ? Array(member.data.dropFirst(5)) : member.data
      parts.append(
        Part(
          name: String(decoding: member.local.name, as: UTF8.self), content: content,
          range: start - header..<offset, data: data))
    }
    self.parts = parts
    directory = offset
  }

  /// Searches bytes, and returns the bytes of each entry that can be read to its end, by name.
  static func found(
    in bytes: [UInt8]
  ) throws -> (verified: [String: [[UInt8]]], unverified: [String: [[UInt8]]], losses: [Salvage.Loss]) {
    guard !bytes.isEmpty else { return ([:], [:], []) }
    let file = try ArchiveOnDisk(bytes)
    let salvage = try Salvage(path: file.path)
    var reader = try EntryReader(salvage.archive)
    var verified: [String: [[UInt8]]] = [:]
    var unverified: [String: [[UInt8]]] = [:]
    for entry in salvage.archive.entries {
      let content: [UInt8]
      do {
        content = try reader.bytes(of: entry, limit: 1 << 24)
      } catch ArchiveError.damaged {
        continue
      }
      if salvage.unverified.contains(entry.index) {
        unverified[entry.name, default: []].append(content)
      } else {
        verified[entry.name, default: []].append(content)
      }
    }
    return (verified, unverified, salvage.losses)
  }
}
