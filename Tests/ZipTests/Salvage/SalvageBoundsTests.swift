import Checksums
import FileSystem
import Foundation
import Operations
import TestSupport
import Testing

@testable import Zip

/// The work of a search is bounded, even if a file was made to keep it busy.
@Suite struct SalvageBoundsTests {
  /// A header that is repeated until the file is full.
  enum Trap: String, CaseIterable, CustomTestStringConvertible {
    case stored = "stored entries that all declare the rest of the file"
    case deflated = "deflated entries that all declare the rest of the file"
    case streamed = "deflated entries without sizes"
    case streamedStored = "stored entries without sizes"
    case short = "deflated entries that end at once, with another checksum"
    case extra = "entries with extra fields of the greatest length"

    var testDescription: String { rawValue }

    func header(rest: Int) -> [UInt8] {
      var member = ZipMember.stored("x")
      member.local.method = self == .stored || self == .streamedStored ? 0 : 8
      if self == .short { (member.local.crc32, member.local.compressedSize) = (1, .max - 1) }
      if self == .extra { member.local.extraLength = .max }
      member.local.flags = self == .streamed || self == .streamedStored ? 8 : 0
      if self == .stored || self == .deflated {
        member.local.crc32 = 1
        member.local.size = UInt32(rest)
        member.local.compressedSize = UInt32(rest)
      }
      var zip = ZipBuilder([member])
      zip.end.comment = []
      // a deflated block without end, or an empty one
      return Array(zip.bytes[..<31]) + (self == .short ? [3, 0] : [0, 0xFF, 0xFF, 0, 0])
    }
  }

  @Test("Salvage bounds: false headers everywhere", arguments: Trap.allCases)
  func falseHeaders(_ trap: Trap) throws {
    let size = 1 << 20
    var bytes: [UInt8] = []
    while bytes.count < size - 64 { bytes += trap.header(rest: size - bytes.count - 31) }
    bytes += [UInt8](repeating: 7, count: size - bytes.count)
    let file = try ArchiveOnDisk(bytes)
    let work = Counter()
    let salvage = try Salvage(path: file.path) { work.bytes += $0 }
    #expect(salvage.archive.entries.count { !salvage.unverified.contains($0.index) } == 0)
    // one attempt for each header would be 15 GB
    work.expectBounded(by: size)
  }

  final class Counter {
    var bytes = 0

    /// The bytes of the scan, and those that were read and inflated without result.
    func expectBounded(by size: Int, at location: SourceLocation = #_sourceLocation) {
      #expect(bytes <= size * 18 + 130 << 20, sourceLocation: location)
    }
  }

  /// The wrong fields of headers that all inflate the same data.
  enum WrongField: String, CaseIterable, CustomTestStringConvertible {
    case length = "an impossible length"
    case checksum = "a wrong checksum"
    case none = "no sizes, and wrong ones in the directory"

    var testDescription: String { rawValue }
  }

  /// Each entry contains the header of the next one in a stored block, and the data of the last one ends all of them.
  /// So each entry inflates to all following ones, and none to what it declares.
  @Test("Salvage bounds: headers that contain each other in stored blocks", arguments: WrongField.allCases)
  func nestedHeaders(_ field: WrongField) throws {
    let (count, header) = (200, 31)
    let zeros = [UInt8](repeating: 0, count: 16 << 20)
    var kernel: [UInt8] = []
    guard var deflation = Deflation() else { throw FileError("get memory for", "zlib", .noMemory) }
    zeros.withUnsafeBytes { deflation.deflate($0) { kernel += $0 } }
    deflation.deflate(nil) { kernel += $0 }
    let members = (0..<count).map { index in
      let next = count - 1 - index
      let block: [UInt8] = [0, UInt8(header), 0, ~UInt8(header), 0xFF]
      let size = UInt32(zeros.count + next * header)
      let compressedSize = UInt32(kernel.count + next * (header + block.count))
      return ZipMember([120], content: [], data: next == 0 ? kernel : block, method: 8).with {
        $0.both { $0.crc32 = 1 }
        switch field {
        case .length: ($0.local.size, $0.local.compressedSize) = (.max - 1, .max - 1)
        case .checksum: ($0.local.size, $0.local.compressedSize) = (size, compressedSize)
        case .none: $0.local.crc32 = 0
        }
        if field == .none {
          $0.both { $0.flags = 8 }
          ($0.central.size, $0.central.compressedSize) = (.max - 1, .max - 1)
        } else {
          $0.central.signature = 0
        }
      }
    }
    var zip = ZipBuilder(members)
    // no record follows that would confirm a length
    zip.beforeDirectory = [7, 7, 7, 7]
    let bytes = zip.bytes
    let file = try ArchiveOnDisk(bytes)
    let work = Counter()
    let salvage = try Salvage(path: file.path) { work.bytes += $0 }
    #expect(salvage.archive.entries == [])
    #expect(work.bytes > zeros.count)
    // 3 GB in all
    work.expectBounded(by: bytes.count)
  }

  /// bzip2 compresses 200 MiB of zeros to 177 bytes; the header declares more.
  @Test("Salvage bounds: a bzip2 bomb")
  func bomb() throws {
    let data = try #require(
      Data(
        base64Encoded:
          "QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBN"
          + "RkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAgg"
          + "ADCATUZCoCWpCoCXMUFZJlNZ8TGEcADIDEBAwAAAQAAIIAAwzAUpphQCLYigEXi7kinChIIup43Q"
      ))
    let bomb = ZipMember([120], content: [], data: Array(data), method: 12).with {
      $0.both { ($0.crc32, $0.size) = (1, .max - 1) }
      $0.central.signature = 0
    }
    var zip = ZipBuilder([bomb])
    zip.beforeDirectory = [7]
    let file = try ArchiveOnDisk(zip.bytes)
    let work = Counter()
    #expect(try Salvage(path: file.path) { work.bytes += $0 }.archive.entries == [])
    work.expectBounded(by: zip.bytes.count)
  }

  /// The disk has lost the end of every second photo, and the header of the next one. The directory still has all of
  /// them, however long the search for the ends of the damaged ones takes.
  @Test("Salvage: many damaged photos do not prevent finding the intact ones")
  func manyDamagedPhotos() throws {
    let (count, size) = (200, 100 << 10)
    let members = (0..<count).map { index in
      let data = [UInt8](repeating: UInt8(index % 250 + 1), count: size)
      return ZipMember(Array("photos/\(index + 100).jpg".utf8), content: data, data: data, method: 0)
    }
    let sample = SalvageSample(members)
    var bytes = sample.bytes
    for part in sample.parts.enumerated() where part.offset % 2 == 1 {
      let range = part.element.range.lowerBound - 2048..<part.element.data.lowerBound
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
    let file = try ArchiveOnDisk(bytes)
    let work = Counter()
    let salvage = try Salvage(path: file.path) { work.bytes += $0 }
    let intact = sample.parts.indices.filter { $0 % 2 == 1 }.map { sample.parts[$0].name }
    #expect(salvage.archive.entries.map(\.name) == intact)
    #expect(salvage.losses.count == count / 2)
    #expect(salvage.losses.allSatisfy { $0.reason == .damaged })
    work.expectBounded(by: bytes.count)
  }

  /// A search for the end of data that succeeds is made even if the budget is nearly used up.
  @Test("Salvage: many damaged streamed photos do not prevent finding the intact ones")
  func manyDamagedStreams() throws {
    let (count, size, damaged) = (100, 200 << 10, 11)
    let members = (0..<count).map { index in
      let data = [UInt8](repeating: UInt8(index % 64 + 1), count: size)
      return ZipMember(Array("photos/\(index + 100).jpg".utf8), content: data, data: data, method: 0).streamed
    }
    let sample = SalvageSample(members)
    var bytes = Array(sample.bytes[..<sample.directory])
    for part in sample.parts.prefix(damaged) { bytes[part.data.lowerBound] ^= 0x80 }
    let file = try ArchiveOnDisk(bytes)
    let work = Counter()
    let salvage = try Salvage(path: file.path) { work.bytes += $0 }
    #expect(salvage.archive.entries.map(\.name) == sample.parts.dropFirst(damaged).map(\.name))
    work.expectBounded(by: bytes.count)
  }

  @Test("Salvage bounds: limits of entries and bytes")
  func limits() throws {
    let members = (0..<20).map { ZipMember.stored("\($0)", "content \($0)") }
    let file = try ArchiveOnDisk(SalvageSample(members, prefix: [0]).bytes)
    #expect(throws: ArchiveError.tooManyEntries(file.path, count: 20, limit: 19)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumEntries, 19))
    }
    #expect(throws: ArchiveError.tooManyBytes(file.path, limit: 100)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumBytes, 100))
    }
  }

  @Test("Salvage bounds: an entry with different names in header and directory counts twice")
  func twoNames() throws {
    let photo = ZipMember.stored("photos/1_a.jpg", String(repeating: "x", count: 100)).with {
      $0.central.name = Array("photos/1_b.jpg".utf8)
    }
    let file = try ArchiveOnDisk(SalvageSample([photo, .stored("photos/2.jpg", "y")]).bytes)
    #expect(try Salvage(path: file.path).archive.entries.count == 3)
    #expect(throws: ArchiveError.tooManyBytes(file.path, limit: 200)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumBytes, 200))
    }
    #expect(throws: Never.self) { try Salvage(path: file.path, limits: Limits().with(\.maximumBytes, 201)) }
  }

  /// Each directory record is within the name of the previous one.
  @Test("Salvage bounds: names of overlapping directory records")
  func overlappingNames() throws {
    let (step, nameLength, count) = (64, 4096, 200)
    var zip = ZipBuilder([.stored("x")])
    zip.members[0].central.name = Array(repeating: UInt8(ascii: "n"), count: step - 46)
    let directory = SalvageSample(zip.members).directory
    var record = Array(zip.bytes[directory..<directory + step])
    record.replaceSubrange(28..<30, with: [UInt8(nameLength & 0xFF), UInt8(nameLength >> 8)])
    let records = Array(repeating: record, count: count).flatMap { $0 }
    let file = try ArchiveOnDisk(records + Array(repeating: UInt8(ascii: "n"), count: nameLength))
    let limits = Limits().with(\.maximumDirectoryBytes, 16 * nameLength)
    #expect(throws: ArchiveError.tooManyNameBytes(file.path, limit: 16 * nameLength)) {
      try Salvage(path: file.path, limits: limits)
    }
    // the name is kept as bytes and as text, and code page 437 may make it longer
    let enough = Limits().with(\.maximumDirectoryBytes, count * nameLength * 4)
    #expect(try Salvage(path: file.path, limits: enough).archive.entries == [])
  }

  @Test("Salvage bounds: extra fields of overlapping directory records")
  func overlappingExtraFields() throws {
    var zip = ZipBuilder([.stored("x")])
    zip.members[0].central.extraLength = .max
    let directory = SalvageSample(zip.members).directory
    let records = Array(repeating: zip.bytes[directory..<directory + 47], count: 2000).flatMap { $0 }
    let file = try ArchiveOnDisk(records + Array(repeating: 7, count: 200_000))
    #expect {
      try Salvage(path: file.path, limits: Limits().with(\.maximumDirectoryBytes, 1 << 20))
    } throws: { error in
      if case ArchiveError.directoryTooLarge = error { true } else { false }
    }
    // bytes that were read already are not read again for each record
    let reads = ArmedFault(.error(.ioError), at: .max, of: [.read], below: file.path)
    defer { reads.disarm() }
    _ = try Salvage(path: file.path)
    #expect((1..<50).contains(reads.count))
  }

  @Test("Salvage bounds: long names in extra fields")
  func namesInExtraFields() throws {
    let name = Array(repeating: UInt8(ascii: "n"), count: 60_000)
    let members = (0..<4).map { index in
      ZipMember.stored("\(index)").with {
        var field: [UInt8] = [1]
        field.append(littleEndian: CRC32.of($0.central.name))
        $0.central.extra = .extraField(0x7075, field + name)
      }
    }
    let file = try ArchiveOnDisk(Array(SalvageSample(members).bytes.dropLast(22)))
    #expect(throws: ArchiveError.tooManyNameBytes(file.path, limit: 200_000)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumDirectoryBytes, 200_000))
    }
  }

  @Test("Salvage bounds: a directory record with a size of 2⁶³−1")
  func impossibleSizes() throws {
    let members = [0, 1].map { offset in
      ZipMember.stored("x\(offset)", String(repeating: "data", count: 20)).with {
        $0.local.signature = 0
        $0.central.offset = UInt32(offset)
        $0.central.flags = 8
        $0.central.compressedSize = .max
        $0.central.extra = .zip64Field(UInt64(Int.max))
      }
    }
    let file = try ArchiveOnDisk(SalvageSample(members).bytes)
    #expect(try Salvage(path: file.path).archive.entries == [])
  }

  /// Encrypted entries that all declare the rest of the file are kept for a caller with a password.
  @Test("Salvage bounds: false encrypted headers everywhere")
  func encryptedHeaders() throws {
    let size = 1 << 20
    var bytes: [UInt8] = []
    while bytes.count < size - 64 {
      var header = Trap.stored.header(rest: size - bytes.count - 31)
      header[6] = 1
      let rest = UInt32(size - bytes.count - 31 - 12)
      withUnsafeBytes(of: rest.littleEndian) { header.replaceSubrange(22..<26, with: $0) }
      bytes += header
    }
    bytes += [UInt8](repeating: 7, count: size - bytes.count)
    let file = try ArchiveOnDisk(bytes)
    let salvage = try Salvage(path: file.path)
    #expect(salvage.unverified.count == salvage.archive.entries.count)
    #expect(salvage.archive.entries.reduce(0) { $0 + $1.compressedSize } <= size * 8 + 64 << 20)
    #expect(salvage.needsPassword)
  }

  @Test(
    "Salvage: an impossible header does not affect the next entry", arguments: [12, 14, 0, 8] as [UInt16],
    [0, 1] as [UInt16])
  func impossibleHeader(method: UInt16, flags: UInt16) throws {
    let trap = ZipMember.stored("trap", "data").with {
      $0.local.method = method
      $0.local.flags = flags
      $0.local.size = .max
      $0.local.compressedSize = .max
      let fields = [UInt64(Int.max), 4].flatMap { number in
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
      }
      $0.local.extra = .extraField(1, fields)
    }
    let sample = SalvageSample([trap, .stored("photo", "intact")])
    let file = try ArchiveOnDisk(Array(sample.bytes[..<sample.directory]))
    let archive = try Salvage(path: file.path).archive
    // everything but the sizes is right, and the checksum determines the length of the data
    let isFound = method == 0 && flags == 0
    #expect(archive.entries.map(\.name) == (isFound ? ["trap", "photo"] : ["photo"]))
    var reader = try EntryReader(archive)
    #expect(try reader.bytes(of: #require(archive.entries.last), limit: 6) == Array("intact".utf8))
  }

  @Test("Salvage: an impossible descriptor does not affect the next entry")
  func impossibleDescriptor() throws {
    let trap = ZipMember(Array("trap".utf8), content: [], data: Array("data".utf8), method: 12).streamed.with
    {
      $0.local.flags |= 1
      var record: [UInt8] = [0x50, 0x4B, 7, 8, 0, 0, 0, 0]
      for number in [4, UInt64(Int.max)] { withUnsafeBytes(of: number.littleEndian) { record += $0 } }
      $0.afterData = record
    }
    let sample = SalvageSample([trap, .stored("photo", "intact")])
    let file = try ArchiveOnDisk(Array(sample.bytes[..<sample.directory]))
    #expect(try Salvage(path: file.path).archive.entries.map(\.name) == ["photo"])
  }

  @Test(
    "Salvage: a streamed entry is found although the directory has a wrong size",
    arguments: [0x8000_0000, 1] as [UInt32])
  func wrongSizeInDirectory(change: UInt32) throws {
    var members = SalvageSample.members
    let index = try #require(members.firstIndex { $0.local.flags & 8 != 0 && $0.local.method == 8 })
    members[index].central.compressedSize ^= change
    let file = try ArchiveOnDisk(SalvageSample(members).bytes)
    let salvage = try Salvage(path: file.path)
    #expect(salvage.archive.entries.count == members.count)
    #expect(salvage.unverified.isEmpty)
    #expect(salvage.losses.isEmpty)
  }

  /// The photo has no sizes in its header, contains an archive, and is truncated.
  @Test("Salvage: entries within a truncated entry are unverified", arguments: [true, false])
  func insideTruncatedEntry(isDeflated: Bool) throws {
    var photo = SalvageSample.nested
    if isDeflated {
      // one block of stored bytes: RFC 1951, 3.2.4
      let count = UInt16(photo.data.count)
      photo.data =
        [1, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + photo.data
      photo.both { $0.method = 8 }
    }
    let sample = SalvageSample([.stored("photos/0.jpg", "intact"), photo.streamed])
    let part = sample.parts[1]
    // within the inner archive, and after it
    for end in [part.data.lowerBound + 80, part.data.upperBound - 2] {
      let file = try ArchiveOnDisk(Array(sample.bytes[..<end]))
      let salvage = try Salvage(path: file.path)
      let sure = salvage.archive.entries.filter { !salvage.unverified.contains($0.index) }
      #expect(sure.map(\.name) == ["photos/0.jpg"], "cut at \(end)")
    }
  }

  @Test("Salvage: a file that is truncated during the search ends it")
  func shrinkingFile() throws {
    let streamed = ZipMember.stored("x", String(repeating: "photo", count: 600_000)).streamed
    let bytes = Array(SalvageSample([streamed]).bytes.dropLast(200))
    let file = try ArchiveOnDisk(bytes)
    var pieces = 0
    #expect(throws: ArchiveError.changed(file.path)) {
      try Salvage(path: file.path) { _ in
        pieces += 1
        // the scan is not complete
        if pieces == 2 { try file.write(Array(bytes.prefix(1 << 20))) }
      }
    }
  }

  @Test("Salvage: an error of the callback stops the search")
  func callbackError() throws {
    struct Stop: Error {}
    let file = try ArchiveOnDisk([1] + SalvageSample().bytes)
    #expect(throws: Stop.self) { try Salvage(path: file.path) { _ in throw Stop() } }
  }
}
