import Checksums
import Operations
import SystemPackage
import TestSupport
import Zip

/// Hostile entries: headers, names, kinds, and shared data.
extension HostileArchives {
  static let headers: [Hostile] = [
    Hostile("extra field beyond its block", { $0.members[0].central.extra = [1, 0, 9, 0] }) {
      lie($0, "a.jpg", .extraField)
    },
    Hostile("extra fields beyond the record", { $0.members[1].central.extraLength = 30 }) {
      lie($0, nil, .directorySize)
    },
    Hostile("local extra field beyond its block", { $0.members[0].local.extra = [1, 0, 9, 0] }) {
      lie($0, "a.jpg", .extraField)
    },
    Hostile("local extra fields up to the directory", { $0.members[1].local.extraLength = .max }) {
      lie($0, "b.jpg", .headerOffset)
    },
    Hostile(
      "ZIP64 field without the value",
      {
        $0.members[0].central.size = .max; $0.members[0].central.extra = .zip64Field()
      }
    ) { lie($0, "a.jpg", .extraField) },
    Hostile(
      "ZIP64 size of 2⁶³",
      {
        $0.members[0].central.size = .max; $0.members[0].central.extra = .zip64Field(1 << 63)
      }
    ) { lie($0, "a.jpg", .extraField) },
    Hostile(
      "bzip2 of 2⁶³−1 bytes",
      { archive in
        let count = UInt64(archive.members[0].data.count)
        archive.members[0].both {
          $0.method = 12
          $0.size = .max
          $0.compressedSize = .max
          $0.extra = .zip64Field(UInt64(Int.max), count)
        }
      }
    ) { .tooManyBytes($0, limit: Limits().maximumBytes) },
    Hostile(
      "two ZIP64 fields",
      { $0.members[0].central.extra = .zip64Field(1) + .zip64Field(2) }
    ) { lie($0, "a.jpg", .extraField) },
    Hostile("stored in another size", { $0.members[0].both { $0.size = 6 } }) { lie($0, "a.jpg", .size) },
    Hostile(
      "deflated a million to one",
      { $0.members[0] = .deflated("a.jpg", "x").with { $0.both { $0.size = 100_000_000 } } }
    ) { lie($0, "a.jpg", .size) },
    Hostile("checksum of nothing", { $0.members[0] = .stored("a.jpg").with { $0.both { $0.crc32 = 1 } } }) {
      lie($0, "a.jpg", .crc32)
    },
    Hostile("folder with content", { $0.members[0] = .stored("a/", "content") }) { lie($0, "a/", .size) },
    Hostile("local header without its mark", { $0.members[0].local.signature = 1 }) {
      lie($0, "a.jpg", .signature)
    },
    Hostile("another local name", { $0.members[0].local.name = Array("c.jpg".utf8) }) {
      lie($0, "a.jpg", .name)
    },
    Hostile("a longer local name", { $0.members[0].local.name = Array("a.jpgx".utf8) }) {
      lie($0, "a.jpg", .name)
    },
    Hostile("another local method", { $0.members[0].local.method = 8 }) { lie($0, "a.jpg", .method) },
    Hostile("encrypted only locally", { $0.members[0].local.flags = 1 }) { lie($0, "a.jpg", .flags) },
    Hostile("another local checksum", { $0.members[0].local.crc32 = 1 }) { lie($0, "a.jpg", .crc32) },
    Hostile("another local size", { $0.members[0].local.size = 1 }) { lie($0, "a.jpg", .size) },
    Hostile("another local compressed size", { $0.members[0].local.compressedSize = 1 }) {
      lie($0, "a.jpg", .compressedSize)
    },
    Hostile("zeros without a descriptor", { $0.members[0].local.compressedSize = 0 }) {
      lie($0, "a.jpg", .compressedSize)
    },
    Hostile(
      "another local size before a descriptor",
      { $0.members[0] = $0.members[0].streamed.with { $0.local.size = 4 } }
    ) { lie($0, "a.jpg", .size) },
    Hostile("header in the directory", { $0.members[1].central.offset = 80 }) {
      lie($0, "b.jpg", .headerOffset)
    },
    Hostile("header beyond the file", { $0.members[1].central.offset = .max }) {
      lie($0, "b.jpg", .headerOffset)
    },
    Hostile(
      "data up into the directory",
      {
        $0.members[1].both {
          $0.size = 20; $0.compressedSize = 20
        }
      }
    ) { lie($0, "b.jpg", .compressedSize) },
    Hostile("unknown method", { $0.members[0].both { $0.method = 77 } }) {
      .unsupportedMethod($0, entry: "a.jpg", method: 77)
    },
    Hostile("strong encryption", { $0.members[0].both { $0.flags = 1 | 1 << 6 } }) {
      .unsupportedEncryption($0, entry: "a.jpg")
    },
    Hostile("masked headers", { $0.members[0].both { $0.flags = 1 | 1 << 13 } }) {
      .unsupportedEncryption($0, entry: "a.jpg")
    },
    Hostile(
      "AES without its field",
      {
        $0.members[0].both {
          $0.flags = 1; $0.method = 99
        }
      }
    ) {
      lie($0, "a.jpg", .extraField)
    },
    Hostile(
      "AES of an unknown version",
      {
        $0.members[0].both {
          $0.flags = 1; $0.method = 99; $0.extra = .extraField(0x9901, [3, 0, 0x41, 0x45, 3, 0, 0])
        }
      }
    ) {
      .unsupportedEncryption($0, entry: "a.jpg")
    },
    Hostile("a patch to other data", { $0.members[0].both { $0.flags = 1 << 5 } }) {
      lie($0, "a.jpg", .flags)
    },
    Hostile("encrypted and shorter than the encryption", { $0.members[0].both { $0.flags = 1 } }) {
      lie($0, "a.jpg", .compressedSize)
    },
  ]

  static let contents: [Hostile] = [
    Hostile("parent folder", named: "photos/../../etc/passwd", .parentComponent),
    Hostile("absolute", named: "/etc/passwd", .absolute),
    Hostile("backslash", named: "..\\..\\boot.ini", .backslash),
    Hostile("drive letter", named: "C:autoexec.bat", .driveLetter),
    Hostile("NUL", named: "a.jpg\0.exe", .nul),
    Hostile("control character", named: "a\u{1B}[2J.jpg", .controlCharacter),
    Hostile("no name", named: "", .empty),
    Hostile("256 bytes", named: String(repeating: "x", count: 256), .longComponent),
    Hostile(
      "broken UTF-8",
      ZipBuilder([ZipMember([0x61, 0xFF], content: [], data: [], method: 0)]).bytes
    ) { .unsafeName($0, entry: "a\u{FFFD}", reason: .invalidUTF8) },
    Hostile(
      "parent folder in the Unicode path",
      { $0.members[0].central.extra = unicodePath("../x", for: "a.jpg") }
    ) { .unsafeName($0, entry: "../x", reason: .parentComponent) },
    Hostile("symbolic link", { $0.members[0].central.externalAttributes = 0o120777 << 16 }) {
      .notARegularFile($0, entry: "a.jpg", kind: .symbolicLink)
    },
    Hostile("device", { $0.members[0].central.externalAttributes = 0o060644 << 16 }) {
      .notARegularFile($0, entry: "a.jpg", kind: .device)
    },
    Hostile("pipe", { $0.members[0].central.externalAttributes = 0o010644 << 16 }) {
      .notARegularFile($0, entry: "a.jpg", kind: .pipe)
    },
    Hostile("folder without a slash", { $0.members[0].central.externalAttributes = 0o040755 << 16 }) {
      .notARegularFile($0, entry: "a.jpg", kind: .directory)
    },
    // unzip and other programs create links and pipes from the mode, whatever system the entry declares
    madeElsewhere("symbolic link, made by FAT", system: 0, mode: 0o120777, .symbolicLink),
    madeElsewhere("symbolic link, made by NTFS", system: 10, mode: 0o120777, .symbolicLink),
    madeElsewhere("symbolic link, made by VFAT", system: 14, mode: 0o120777, .symbolicLink),
    madeElsewhere("device, made by FAT", system: 0, mode: 0o060644, .device),
    madeElsewhere("pipe, made by NTFS", system: 10, mode: 0o010644, .pipe),
    madeElsewhere("socket, made by OS/2", system: 6, mode: 0o140644, .socket),
    Hostile("two of one name", { $0.members[1] = .stored("a.jpg") }) {
      .duplicateName($0, entry: "a.jpg")
    },
    Hostile(
      "one name in two normal forms", { $0.members = [.stored("caf\u{E9}"), .stored("cafe\u{301}")] }
    ) { .duplicateName($0, entry: "cafe\u{301}") },
    Hostile("two names of one place", { $0.members[1] = .stored("./a.jpg", "second") }) {
      .duplicateName($0, entry: "./a.jpg")
    },
    Hostile("file and folder of one name", { $0.members = [.stored("a"), .directory("a/")] }) {
      .duplicateName($0, entry: "a/")
    },
    Hostile(
      "two names for one entry",
      {
        $0.members[1].central = $0.members[0].central
        $0.members[1].central.name = Array("c.jpg".utf8)
        $0.members[1].central.offset = 0
      }
    ) { .overlapping($0, "a.jpg", "c.jpg") },
    Hostile(
      "an entry within an entry",
      {
        let inside = inner("in.jpg", "abc")
        $0.members = [
          ZipMember(Array("out.jpg".utf8), content: inside, data: inside, method: 0),
          .stored("in.jpg", "abc").with { $0.central.offset = 37 },
        ]
      }
    ) { .overlapping($0, "out.jpg", "in.jpg") },
    Hostile(
      "more data than the file has",
      {
        $0.directoryOrder = [Int](repeating: 0, count: 3); $0.members[0] = big
      }
    ) { .compressedBytesExceedFile($0) },
    Hostile("entries over the limit", limits: Limits().with(\.maximumEntries, 1), { _ in }) {
      .tooManyEntries($0, count: 2, limit: 1)
    },
    Hostile("directory over the limit", limits: Limits().with(\.maximumDirectoryBytes, 100), { _ in }) {
      .directoryTooLarge($0, bytes: 102, limit: 100)
    },
    Hostile("bytes over the limit", limits: Limits().with(\.maximumBytes, 10), { _ in }) {
      .tooManyBytes($0, limit: 10)
    },
  ]

  private static let big = ZipMember.stored("a.jpg", String(repeating: "x", count: 9_000))

  private static func madeElsewhere(
    _ name: String, system: UInt16, mode: UInt32, _ kind: SpecialFile
  ) -> Hostile {
    Hostile(
      name,
      {
        $0.members[0].central.madeBy = system << 8 | 20
        $0.members[0].central.externalAttributes = mode << 16
      }
    ) { .notARegularFile($0, entry: "a.jpg", kind: kind) }
  }

  static func inner(_ name: String, _ content: String) -> [UInt8] {
    let zip = ZipBuilder([.stored(name, content)])
    return Array(zip.bytes.prefix(30 + name.utf8.count + content.utf8.count))
  }

  static func unicodePath(_ path: String, for name: String) -> [UInt8] {
    var content: [UInt8] = [1]
    content.append(littleEndian: CRC32.of(name.utf8))
    return .extraField(0x7075, content + path.utf8)
  }
}
