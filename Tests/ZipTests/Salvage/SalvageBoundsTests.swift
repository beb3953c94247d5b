import Checksums
import TestSupport
import Testing

@testable import Zip

/// A file that was made to keep the search busy is done with in bounded time.
@Suite struct SalvageBoundsTests {
  /// A trap: a header, as often as the file has room for it.
  enum Trap: String, CaseIterable, CustomTestStringConvertible {
    case stored = "stored entries that all claim the rest of the file"
    case deflated = "deflated entries that all claim the rest of the file"
    case streamed = "deflated entries that say no size"
    case streamedStored = "stored entries that say no size"

    var testDescription: String { rawValue }

    func header(rest: Int) -> [UInt8] {
      var member = ZipMember.stored("x")
      member.local.method = self == .stored || self == .streamedStored ? 0 : 8
      member.local.flags = self == .streamed || self == .streamedStored ? 8 : 0
      if self == .stored || self == .deflated {
        member.local.crc32 = 1
        member.local.size = UInt32(rest)
        member.local.compressedSize = UInt32(rest)
      }
      var zip = ZipBuilder([member])
      zip.end.comment = []
      // a block of deflate that goes on and on
      return Array(zip.bytes[..<31]) + [0, 0xFF, 0xFF, 0, 0]
    }
  }

  @Test(arguments: Trap.allCases) func falseHeadersEverywhere(_ trap: Trap) throws {
    let size = 1 << 20
    var bytes: [UInt8] = []
    while bytes.count < size - 64 { bytes += trap.header(rest: size - bytes.count - 31) }
    bytes += [UInt8](repeating: 7, count: size - bytes.count)
    let file = try ArchiveOnDisk(bytes)
    let work = Counter()
    let salvage = try Salvage(path: file.path) { work.bytes += $0 }
    #expect(salvage.archive.entries.count { !salvage.unproven.contains($0.index) } == 0)
    // the search, and what was read in vain; one attempt for each header would be 15 GB
    #expect(work.bytes <= size * 10 + 66 << 20)
  }

  final class Counter {
    var bytes = 0
  }

  @Test func asManyEntriesAsTheLimitsAllow() throws {
    let members = (0..<20).map { ZipMember.stored("\($0)", "content \($0)") }
    let file = try ArchiveOnDisk(SalvageSample(members, prefix: [0]).bytes)
    #expect(throws: ArchiveError.tooManyEntries(file.path, count: 20, limit: 19)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumEntries, 19))
    }
    #expect(throws: ArchiveError.tooManyBytes(file.path, limit: 100)) {
      try Salvage(path: file.path, limits: Limits().with(\.maximumBytes, 100))
    }
  }

  /// Where the header and the directory disagree about the name, there are two entries to read.
  @Test func anEntryUnderTwoNamesCountsTwice() throws {
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

  /// Directory records that overlap: each lies in the name of the one before.
  @Test func namesOfOverlappingRecordsAreBounded() throws {
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

  /// A name of a few bytes, for which an extra field gives a longer one.
  @Test func namesInExtraFieldsCount() throws {
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

  /// A record that claims all the bytes there can be, and ends where the file has hardly begun.
  @Test func sizesThatNoFileHas() throws {
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

  /// Encrypted entries that all claim the rest of the file, for whoever would read them with a password.
  @Test func encryptedHeadersEverywhere() throws {
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
    #expect(salvage.unproven.count == salvage.archive.entries.count)
    #expect(salvage.archive.entries.reduce(0) { $0 + $1.compressedSize } <= size * 8 + 64 << 20)
    #expect(salvage.needsPassword)
  }

  /// A header that nobody can take for an entry's, whatever its method, costs nothing of what follows it.
  @Test(arguments: [12, 14, 0, 8] as [UInt16], [0, 1] as [UInt16])
  func oneImpossibleHeader(method: UInt16, flags: UInt16) throws {
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
    let sample = SalvageSample([trap, .stored("photo", "whole")])
    let file = try ArchiveOnDisk(Array(sample.bytes[..<sample.directory]))
    let archive = try Salvage(path: file.path).archive
    // but for the sizes it is right, and its checksum tells how long its data is
    let isFound = method == 0 && flags == 0
    #expect(archive.entries.map(\.name) == (isFound ? ["trap", "photo"] : ["photo"]))
    var reader = try EntryReader(archive)
    #expect(try reader.bytes(of: #require(archive.entries.last), limit: 5) == Array("whole".utf8))
  }

  /// The same before a descriptor.
  @Test func oneImpossibleDescriptor() throws {
    let trap = ZipMember(Array("trap".utf8), content: [], data: Array("data".utf8), method: 12).streamed.with
    {
      $0.local.flags |= 1
      var record: [UInt8] = [0x50, 0x4B, 7, 8, 0, 0, 0, 0]
      for number in [4, UInt64(Int.max)] { withUnsafeBytes(of: number.littleEndian) { record += $0 } }
      $0.afterData = record
    }
    let sample = SalvageSample([trap, .stored("photo", "whole")])
    let file = try ArchiveOnDisk(Array(sample.bytes[..<sample.directory]))
    #expect(try Salvage(path: file.path).archive.entries.map(\.name) == ["photo"])
  }

  /// The directory is wrong about one entry's size, and that one's own header says none.
  @Test(arguments: [0x8000_0000, 1] as [UInt32]) func aWrongSizeInTheDirectoryAlone(change: UInt32) throws {
    var members = SalvageSample.members
    let index = try #require(members.firstIndex { $0.local.flags & 8 != 0 && $0.local.method == 8 })
    members[index].central.compressedSize ^= change
    let file = try ArchiveOnDisk(SalvageSample(members).bytes)
    let salvage = try Salvage(path: file.path)
    #expect(salvage.archive.entries.count == members.count && salvage.unproven.isEmpty)
    #expect(salvage.losses.isEmpty)
  }

  /// An entry that says no sizes is cut off within what looks like an archive: nothing in there is the backup's.
  @Test(arguments: [true, false]) func whatLiesInAnEntryWithoutAnEnd(isDeflated: Bool) throws {
    var photo = SalvageSample.nested
    if isDeflated {
      // one block of stored bytes: RFC 1951, 3.2.4
      let count = UInt16(photo.data.count)
      photo.data =
        [1, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + photo.data
      photo.both { $0.method = 8 }
    }
    let sample = SalvageSample([.stored("photos/0.jpg", "whole"), photo.streamed])
    let part = sample.parts[1]
    // within the inner archive, and behind it
    for end in [part.data.lowerBound + 80, part.data.upperBound - 2] {
      let file = try ArchiveOnDisk(Array(sample.bytes[..<end]))
      let salvage = try Salvage(path: file.path)
      let sure = salvage.archive.entries.filter { !salvage.unproven.contains($0.index) }
      #expect(sure.map(\.name) == ["photos/0.jpg"], "cut at \(end)")
    }
  }

  /// Somebody cuts the file while it is searched.
  @Test func aFileThatShrinksEndsTheSearch() throws {
    let streamed = ZipMember.stored("x", String(repeating: "photo", count: 600_000)).streamed
    let bytes = Array(SalvageSample([streamed]).bytes.dropLast(200))
    let file = try ArchiveOnDisk(bytes)
    var pieces = 0
    #expect(throws: ArchiveError.changed(file.path)) {
      try Salvage(path: file.path) { _ in
        pieces += 1
        // the file has been looked through for marks, and now the end of this entry is looked for
        if pieces == 4 { try file.write(Array(bytes.prefix(1 << 20))) }
      }
    }
  }

  @Test func givingUpStopsTheSearch() throws {
    struct Stop: Error {}
    let file = try ArchiveOnDisk([1] + SalvageSample().bytes)
    #expect(throws: Stop.self) { try Salvage(path: file.path) { _ in throw Stop() } }
  }
}
