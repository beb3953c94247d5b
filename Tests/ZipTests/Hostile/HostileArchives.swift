import Operations
import SystemPackage
import TestSupport
import Testing
import Zip

/// An archive that must be refused, and the expected error.
struct Hostile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  let limits: Limits
  let expected: @Sendable (FilePath) -> ArchiveError

  init(
    _ description: String, _ bytes: [UInt8], limits: Limits = Limits(),
    _ expected: @escaping @Sendable (FilePath) -> ArchiveError
  ) {
    testDescription = description
    self.bytes = bytes
    self.limits = limits
    self.expected = expected
  }

  /// The ordinary archive of two entries after a change.
  init(
    _ description: String, limits: Limits = Limits(), _ change: (inout ZipBuilder) -> Void,
    _ expected: @escaping @Sendable (FilePath) -> ArchiveError
  ) {
    var zip = ZipBuilder([.stored("a.jpg", "first"), .stored("b.jpg", "second")])
    change(&zip)
    self.init(description, zip.bytes, limits: limits, expected)
  }

  /// An archive of one entry with this name.
  init(_ description: String, named name: String, _ reason: NameProblem) {
    self.init(description, ZipBuilder([.stored(name)]).bytes) {
      .unsafeName($0, entry: name, reason: reason)
    }
  }
}

enum HostileArchives {
  private static let ordinary = ZipBuilder([.stored("a.jpg", "first"), .stored("b.jpg", "second")]).bytes

  static let files: [Hostile] = [
    Hostile("empty file", []) { .emptyFile($0) },
    Hostile("one byte", [0x50]) { .notAnArchive($0) },
    Hostile("text", Array("{ \"version\": 1, \"photos\": [] }".utf8)) { .notAnArchive($0) },
    Hostile("JPEG", [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 90_000)) { .notAnArchive($0) },
    Hostile("half an archive", Array(ordinary.prefix(ordinary.count / 2))) { .truncated($0) },
    Hostile("end without its last byte", Array(ordinary.dropLast())) { .truncated($0) },
    Hostile(
      "cut in the comment",
      {
        $0.end.comment = [1, 2]; $0.end.commentLength = 3
      }
    ) { .truncated($0) },
    Hostile(
      "prefix that the offsets ignore",
      {
        $0.prefix = [1, 2, 3]; $0.countsPrefix = false
      }
    ) {
      .prefix($0, bytes: 3)
    },
    Hostile("prefix that the offsets count", { $0.prefix = [1, 2, 3] }) { .prefix($0, bytes: 3) },
    Hostile(
      "prefix before ZIP64",
      {
        $0.prefix = [1, 2, 3]; $0.countsPrefix = false; $0.zip64End = .init()
      }
    ) { .prefix($0, bytes: 3) },
    Hostile(
      "prefix before nothing",
      {
        $0.members = []; $0.prefix = [1, 2, 3]
      }
    ) { .prefix($0, bytes: 3) },
    Hostile("junk at the end", { $0.suffix = [9, 9] }) { .trailingBytes($0, bytes: 2) },
    Hostile("zeros at the end", { $0.suffix = [0, 0] }) { .trailingBytes($0, bytes: 2) },
    Hostile("a block of zeros more than bsdtar adds", ordinary + zeros(20_480 - ordinary.count)) {
      .trailingBytes($0, bytes: 20_480 - ordinary.count)
    },
    Hostile("junk among zeros", ordinary + zeros(10_239 - ordinary.count) + [9]) {
      .trailingBytes($0, bytes: 10_240 - ordinary.count)
    },
    Hostile("a second end in the comment", { $0.end.comment = secondEnd(at: ordinary.count) }) {
      .ambiguousEnd($0)
    },
  ]

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// An end record that is right for an empty archive in which everything before it is a prefix.
  private static func secondEnd(at offset: Int) -> [UInt8] {
    var zip = ZipBuilder()
    zip.end.directoryOffset = UInt32(offset)
    return zip.bytes
  }

  static let ends: [Hostile] = [
    Hostile("another disk", { $0.end.disk = 1 }) { .multiDisk($0) },
    Hostile("directory on another disk", { $0.end.directoryDisk = 1 }) { .multiDisk($0) },
    Hostile("entry on another disk", { $0.members[1].central.disk = 1 }) { .multiDisk($0) },
    Hostile("an entry too many", { $0.end.entries = 3 }) { lie($0, nil, .entryCount) },
    Hostile("65,535 entries", { $0.end.entries = 65_535 }) { lie($0, nil, .entryCount) },
    Hostile("an entry too few", { $0.end.entries = 1 }) { lie($0, nil, .entryCount) },
    Hostile("two numbers of entries", { $0.end.entriesOnDisk = 1 }) { lie($0, nil, .entryCount) },
    Hostile("directory larger than the file", { $0.end.directorySize = 70_000 }) {
      lie($0, nil, .directorySize)
    },
    Hostile("directory shorter than it is", { $0.end.directorySize = 92 }) {
      lie($0, nil, .directoryOffset)
    },
    Hostile("directory behind its end", { $0.end.directoryOffset = .max }) {
      lie($0, nil, .directoryOffset)
    },
    Hostile("directory record without its mark", { $0.members[1].central.signature = 0 }) {
      lie($0, nil, .signature)
    },
    Hostile(
      "ZIP64 end elsewhere",
      {
        $0.zip64End = .init(); $0.zip64End?.locatedAt = 5
      }
    ) {
      lie($0, nil, .zip64End)
    },
    Hostile(
      "ZIP64 end beyond the file",
      {
        $0.zip64End = .init(); $0.zip64End?.locatedAt = .max
      }
    ) {
      lie($0, nil, .zip64End)
    },
    Hostile(
      "ZIP64 end of another length",
      {
        $0.zip64End = .init(); $0.zip64End?.recordSize = 45
      }
    ) {
      lie($0, nil, .zip64End)
    },
    Hostile(
      "two ends that differ in the directory",
      {
        $0.zip64End = .init(); $0.end.entries = 1
      }
    ) { lie($0, nil, .zip64End) },
    Hostile(
      "2⁶⁴−1 entries",
      {
        $0.zip64End = .init(); $0.zip64End?.entries = .max; $0.end.entries = .max
      }
    ) { lie($0, nil, .entryCount) },
    Hostile(
      "2⁴⁰ entries",
      {
        $0.zip64End = .init(); $0.zip64End?.entries = 1 << 40; $0.end.entries = .max
      }
    ) { lie($0, nil, .entryCount) },
    Hostile(
      "directory of 2⁶³ bytes",
      {
        $0.zip64End = .init(); $0.zip64End?.directorySize = 1 << 63; $0.end.directorySize = .max
      }
    ) { lie($0, nil, .directorySize) },
    Hostile(
      "directory of 2⁶²  bytes",
      {
        $0.zip64End = .init(); $0.zip64End?.directorySize = 1 << 62; $0.end.directorySize = .max
      }
    ) { lie($0, nil, .directorySize) },
    Hostile(
      "directory at 2⁶³−1",
      {
        $0.zip64End = .init()
        $0.zip64End?.directoryOffset = UInt64(Int.max)
        $0.end.directoryOffset = .max
      }
    ) { lie($0, nil, .directoryOffset) },
    Hostile(
      "ZIP64 on several disks",
      {
        $0.zip64End = .init(); $0.zip64End?.disks = 2
      }
    ) { .multiDisk($0) },
  ]

  static func lie(_ path: FilePath, _ entry: String?, _ field: HeaderField) -> ArchiveError {
    .inconsistentHeader(path, entry: entry, field: field)
  }
}
