import TestSupport
import Testing

@testable import Zip

@Suite struct SalvageTests {
  private let sample = SalvageSample()

  /// Every verified entry is one of the archive's, with its bytes.
  private func expectOnlyEntries(
    _ verified: [String: [[UInt8]]], _ comment: Comment, at location: SourceLocation = #_sourceLocation
  ) {
    for (name, contents) in verified {
      let right = sample.parts.first { $0.name == name }?.content
      #expect(contents == [right], comment, sourceLocation: location)
    }
  }

  @Test("Salvage: an intact archive is not searched")
  func intact() throws {
    let file = try ArchiveOnDisk(sample.bytes)
    let salvage = try Salvage(path: file.path) { _ in Issue.record("searched") }
    #expect(salvage.fault == nil)
    #expect(salvage.losses == [])
    #expect(salvage.unverified == [])
    #expect(salvage.archive.entries.map(\.name) == sample.parts.map(\.name))
  }

  @Test("Salvage: of an archive truncated anywhere, the complete entries are found")
  func truncated() throws {
    let ends = sample.parts.flatMap { [$0.range.lowerBound, $0.data.lowerBound, $0.data.upperBound] }
    let near = (ends + [sample.directory, sample.bytes.count - 22]).flatMap { $0 - 4...$0 + 4 }
    let lengths = Set(near + stride(from: 1, to: sample.bytes.count, by: 13))
    for length in lengths.sorted() where (1..<sample.bytes.count).contains(length) {
      let found = try SalvageSample.found(in: Array(sample.bytes[..<length]))
      expectOnlyEntries(found.verified, "cut at \(length)")
      for part in sample.parts where part.range.upperBound <= length {
        #expect(found.verified[part.name] == [part.content], "\(part.name) cut at \(length)")
      }
      // the entry that is truncated, if its name is left
      for part in sample.parts where part.range.contains(length) && part.data.lowerBound <= length {
        let isFound = found.verified[part.name] != nil || found.unverified[part.name] == [part.content]
        #expect(isFound || found.losses.contains { $0.name == part.name }, "\(part.name) cut at \(length)")
      }
    }
  }

  @Test("Salvage: of an archive without its beginning, the complete entries are found")
  func missingBeginning() throws {
    for length in stride(from: 1, to: sample.directory, by: 7) {
      let found = try SalvageSample.found(in: Array(sample.bytes[length...]))
      // what is left of the photo that contains an archive is a gap
      for part in sample.parts where part.range.lowerBound >= length {
        #expect(found.verified[part.name]?.contains(part.content) == true, "\(part.name) without \(length)")
      }
    }
  }

  /// The directory, the checksum and the data agree about the entry, whatever its descriptor says.
  @Test(
    "Salvage: an entry with any changed byte in its descriptor is found", arguments: [0x01, 0x10, 0x80, 0xFF])
  func changedDescriptor(change: UInt8) throws {
    var count = 0
    for part in sample.parts {
      for offset in part.data.upperBound..<part.range.upperBound {
        var bytes = sample.bytes
        bytes[offset] ^= change
        let found = try SalvageSample.found(in: bytes)
        for part in sample.parts {
          #expect(found.verified[part.name]?.contains(part.content) == true, "\(part.name), \(offset)")
        }
        count += 1
      }
    }
    #expect(count > 16)
  }

  @Test(
    "Salvage: without a directory, an entry with a wrong size is found by its checksum",
    arguments: [18, 22, 21])
  func wrongSize(field: Int) throws {
    for length in [sample.directory, sample.directory + 60, sample.bytes.count - 22] {
      for part in sample.parts where part.content.count > 0 && part.range.upperBound <= length {
        var bytes = Array(sample.bytes[..<length])
        // streamed entries have no sizes in the header, and ZIP64 entries have them in the extra field
        let start = part.range.lowerBound
        guard bytes[start + 6] & 8 == 0 else { continue }
        bytes[start + field] ^= 0x40
        let found = try SalvageSample.found(in: bytes)
        expectOnlyEntries(found.verified, "\(part.name)")
        for part in sample.parts where part.range.upperBound <= length {
          #expect(found.verified[part.name] == [part.content], "\(part.name), field \(field), of \(length)")
        }
      }
    }
  }

  @Test("Salvage: an entry that refers to a missing ZIP64 field is found")
  func missingSizes() throws {
    var bytes = Array(sample.bytes[..<sample.directory])
    let part = sample.parts[1]
    for offset in 18..<26 { bytes[part.range.lowerBound + offset] = 0xFF }
    let found = try SalvageSample.found(in: bytes)
    expectOnlyEntries(found.verified, "")
    for part in sample.parts { #expect(found.verified[part.name] == [part.content], "\(part.name)") }
  }

  @Test("Salvage: with the directory, an entry is found if its data is intact", arguments: [1, 4, 60, 200])
  func zeroed(length: Int) throws {
    for start in stride(from: 0, to: sample.directory - length, by: 5) {
      var bytes = sample.bytes
      for index in start..<start + length { bytes[index] = 0 }
      let found = try SalvageSample.found(in: bytes)
      expectOnlyEntries(found.verified, "zeros at \(start)")
      for part in sample.parts where !part.data.overlaps(start..<start + length) {
        let isFound =
          found.verified[part.name] == [part.content] || found.unverified[part.name] == [part.content]
        #expect(isFound, "\(part.name), zeros at \(start)")
      }
    }
  }

  @Test(
    "Salvage: without a directory, an entry is found if header and data are intact",
    arguments: [1, 4, 60, 200])
  func zeroedWithoutDirectory(length: Int) throws {
    for start in stride(from: 0, to: sample.directory - length, by: 5) {
      var bytes = Array(sample.bytes[..<sample.directory])
      for index in start..<start + length { bytes[index] = 0 }
      let found = try SalvageSample.found(in: bytes)
      for part in sample.parts where !part.range.overlaps(start..<start + length) {
        #expect(
          found.verified[part.name]?.contains(part.content) == true
            || found.unverified[part.name]?.contains(part.content) == true, "\(part.name), zeros at \(start)")
      }
      // entries within the photo that contains an archive are found only if its header is missing
      let nested = sample.parts[4]
      if !(start..<start + length).overlaps(nested.range.lowerBound..<nested.data.lowerBound) {
        expectOnlyEntries(found.verified, "zeros at \(start)")
      }
    }
  }

  @Test("Salvage: all entries are found if the directory is overwritten")
  func overwrittenDirectory() throws {
    var bytes = sample.bytes
    for index in sample.directory..<bytes.count { bytes[index] = 0xAA }
    let found = try SalvageSample.found(in: bytes)
    expectOnlyEntries(found.verified, "directory overwritten")
    #expect(Set(found.verified.keys) == Set(sample.parts.map(\.name)))
    #expect(found.losses == [])
  }

  @Test(
    "Salvage: a changed byte costs at most one entry, and never yields wrong data",
    arguments: [0xFF, 0x01, 0x80] as [UInt8])
  func flippedBytes(mask: UInt8) throws {
    for index in stride(from: Int(mask) % 3, to: sample.bytes.count, by: 3) {
      var bytes = sample.bytes
      bytes[index] ^= mask
      let found = try SalvageSample.found(in: bytes)
      let known = Set(sample.parts.map { $0.content })
      for (name, contents) in found.verified {
        #expect(contents.allSatisfy(known.contains), "\(name), byte \(index)")
      }
      // one byte costs one photo at most
      let lost = sample.parts.filter { part in
        found.verified[part.name]?.contains(part.content) != true
          && found.unverified[part.name]?.contains(part.content) != true
      }
      #expect(lost.count <= 1, "byte \(index): \(lost.map(\.name))")
    }
  }

  @Test("Salvage: bytes before and after an archive are skipped", arguments: [true, false])
  func surroundingBytes(isCounted: Bool) throws {
    for (prefix, suffix) in [(1000, 0), (0, 1000), (1000, 100_000), (70_000, 70_000)] {
      var builder = ZipBuilder(SalvageSample.members)
      builder.prefix = Array(repeating: 0x50, count: prefix)
      builder.countsPrefix = isCounted
      builder.suffix = Array(repeating: 0x4B, count: suffix)
      let found = try SalvageSample.found(in: builder.bytes)
      expectOnlyEntries(found.verified, "\(prefix) before, \(suffix) behind")
      #expect(Set(found.verified.keys) == Set(sample.parts.map(\.name)))
      #expect(found.losses == [])
    }
  }

  @Test("Salvage: every form of data descriptor is found (APPNOTE 4.3.9)", arguments: [true, false], [4, 8])
  func descriptors(hasMark: Bool, width: Int) throws {
    let plain: [ZipMember] = [
      .stored("a", "one and two and three"), .deflated("b", "four"), .stored("c", ""), .stored("d", "x"),
    ]
    let members = plain.map { $0.streamed(hasMark: hasMark, width: width) } + [.stored("e", "the end")]
    let sample = SalvageSample(members)
    let found = try SalvageSample.found(in: Array(sample.bytes[..<sample.directory]))
    for part in sample.parts { #expect(found.verified[part.name] == [part.content], "\(part.name)") }
    #expect(found.losses == [])
  }

  @Test("Salvage: unsafe names and special files are refused")
  func refusals() throws {
    let link = ZipMember.stored("photos/link", "/etc/passwd").with {
      $0.central.externalAttributes = 0o120777 << 16
    }
    let members = [
      ZipMember.stored("../up", "1"), .stored("/root", "2"), .stored("a\\b", "3"), link,
      .stored("photos/x", "good").with { $0.both { $0.method = 97 } }, .stored("good", "good"),
    ]
    let found = try SalvageSample.found(in: SalvageSample(members, prefix: [1, 2, 3]).bytes)
    #expect(found.verified == ["good": [Array("good".utf8)]])
    #expect(found.losses.map(\.name) == ["../up", "/root", "a\\b", "photos/link", "photos/x"])
    let reasons: [Salvage.Reason] = [
      .unsafeName(.parentComponent), .unsafeName(.absolute), .unsafeName(.backslash),
      .notARegularFile(.symbolicLink), .unreadable,
    ]
    #expect(found.losses.map(\.reason) == reasons)
  }

  @Test("Salvage: all entries with the same name are found")
  func sameName() throws {
    let members = [ZipMember.stored("a", "one"), .stored("a", "two")]
    let found = try SalvageSample.found(in: SalvageSample(members).bytes)
    #expect(found.verified == ["a": [Array("one".utf8), Array("two".utf8)]])
  }
}

extension ZipMember {
  /// As `streamed`, with another form of the descriptor.
  fileprivate func streamed(hasMark: Bool, width: Int) -> ZipMember {
    func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: UInt64(value) >> (8 * UInt64($0))) }
    }
    var member = streamed
    member.afterData = hasMark ? [0x50, 0x4B, 7, 8] : []
    member.afterData += bytes(member.central.crc32, 4)
    member.afterData += bytes(member.central.compressedSize, width)
    member.afterData += bytes(member.central.size, width)
    return member
  }
}
