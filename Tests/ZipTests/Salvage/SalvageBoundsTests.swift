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

  @Test func givingUpStopsTheSearch() throws {
    struct Stop: Error {}
    let file = try ArchiveOnDisk([1] + SalvageSample().bytes)
    #expect(throws: Stop.self) { try Salvage(path: file.path) { _ in throw Stop() } }
  }
}
