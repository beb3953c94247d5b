import FileSystem
import SystemPackage
import TestSupport
import Testing
import Zip

/// Valid archives, among them unusual ones.
struct ArchiveTests {
  private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent()
    .removingLastComponent()

  @Test(
    "ZIP: a backup of each app is read",
    arguments: [
      ("android_v2_smilepile_backup_20251003_140000.zip", 9, "metadata.json"),
      (
        "ios_v2_SmilePileBackup_2025-10-03_140000.zip", 11,
        "backup_temp_1759500000123/photos/été à la plage.jpg"
      ),
    ])
  func appBackups(_ name: String, _ count: Int, _ member: String) throws {
    let archive = try Archive(path: Self.root.appending("Fixtures/valid").appending(name))
    #expect(archive.entries.count == count)
    #expect(archive.entries.map(\.index) == Array(0..<count))
    let contents = try archive.contents()
    #expect(contents[member]?.isEmpty == false)
    for entry in archive.entries { #expect(contents[entry.name]?.count == entry.size) }
  }

  @Test("ZIP: an empty archive has no entries")
  func empty() throws {
    #expect(try ArchiveOnDisk(ZipBuilder().bytes).open().entries.isEmpty)
  }

  /// An archive with one entry "a.jpg" of "content", after a change.
  struct Unusual: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ description: String, _ change: (inout ZipBuilder) -> Void) {
      testDescription = description
      var zip = ZipBuilder([.stored("a.jpg", "content")])
      change(&zip)
      bytes = zip.bytes
    }
  }

  /// The zeros that extend an archive to a length.
  static func zeros(_ zip: ZipBuilder, upTo length: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: length - zip.bytes.count)
  }

  @Test(
    "ZIP: an unusual but valid archive is read",
    arguments: [
      Unusual("nothing unusual") { _ in },
      Unusual("deflated") { $0.members[0] = .deflated("a.jpg", "content") },
      Unusual("comment") { $0.end.comment = Array("made by hand".utf8) },
      Unusual("the longest comment") { $0.end.comment = [UInt8](repeating: 32, count: 65_535) },
      Unusual("mark of an end in the comment") { $0.end.comment = [0x50, 0x4B, 5, 6] + Array("text".utf8) },
      Unusual("end that does not fit in the comment") {
        $0.end.comment = ZipBuilder([.stored("b")]).bytes
      },
      Unusual("zeros to the end of a block") { $0.suffix = zeros($0, upTo: 10_240) },
      Unusual("zeros to the end of the second block") {
        $0.end.comment = [UInt8](repeating: 32, count: 10_240)
        $0.suffix = zeros($0, upTo: 20_480)
      },
      Unusual("descriptor") { $0.members[0] = $0.members[0].streamed },
      Unusual("descriptor without its mark") {
        $0.members[0] = $0.members[0].streamed.with { $0.afterData.removeFirst(4) }
      },
      Unusual("descriptor that repeats what the header has") {
        $0.members[0].both { $0.flags |= 1 << 3 }
      },
      Unusual("zeros after the data") { $0.members[0].afterData = [0, 0, 0] },
      Unusual("zeros before the directory") { $0.beforeDirectory = [0, 0, 0] },
      Unusual("ZIP64 end") { $0.zip64End = .init() },
      Unusual("ZIP64 end alone") {
        $0.zip64End = .init()
        $0.end.entries = .max
        $0.end.directorySize = .max
        $0.end.directoryOffset = .max
      },
      Unusual("ZIP64 fields") {
        $0.members[0].both {
          $0.size = .max; $0.compressedSize = .max; $0.extra = .zip64Field(7, 7)
        }
      },
      Unusual("ZIP64 field with the offset alone") {
        $0.members[0].central.offset = .max
        $0.members[0].central.extra = .zip64Field(0)
      },
      Unusual("ZIP64 fields before a descriptor") {
        $0.members[0] = $0.members[0].streamed
        $0.members[0].local.size = .max
        $0.members[0].local.compressedSize = .max
        $0.members[0].local.extra = .zip64Field(0, 0)
      },
      Unusual("mark of splitting") { $0.prefix = [0x50, 0x4B, 7, 8] },
      Unusual("temporary mark of splitting") { $0.prefix = [0x50, 0x4B, 0x30, 0x30] },
      Unusual("padded extra field") { $0.members[0].both { $0.extra = [0, 0, 0] } },
      Unusual("unknown extra field") { $0.members[0].both { $0.extra = .extraField(0x7875, [1, 2, 3]) } },
      Unusual("made by DOS") {
        $0.members[0].central.madeBy = 20; $0.members[0].central.externalAttributes = 32
      },
      Unusual("no mode") { $0.members[0].central.externalAttributes = 0 },
      Unusual("UTF-8 flag on ASCII") { $0.members[0].both { $0.flags |= 1 << 11 } },
      Unusual("UTF-8 flag in the directory alone") { $0.members[0].central.flags |= 1 << 11 },
      Unusual("Unicode path of another name") {
        $0.members[0].central.extra = HostileArchives.unicodePath("b.jpg", for: "c.jpg")
      },
      Unusual("Unicode path") {
        $0.members[0].both { $0.name = Array("_".utf8) }
        $0.members[0].central.extra = HostileArchives.unicodePath("a.jpg", for: "_")
      },
    ])
  func unusual(_ unusual: Unusual) throws {
    let contents = try ArchiveOnDisk(unusual.bytes).open().contents()
    #expect(contents == ["a.jpg": Array("content".utf8)])
  }

  @Test("ZIP: the directory may have another order than the data")
  func directoryOrder() throws {
    var zip = ZipBuilder([.stored("a", "1"), .directory("d/"), .stored("d/b", "22"), .stored("c", "")])
    zip.directoryOrder = [2, 0, 3, 1]
    let archive = try ArchiveOnDisk(zip.bytes).open()
    #expect(archive.entries.map(\.name) == ["d/b", "a", "c", "d/"])
    #expect(try archive.contents() == ["d/b": [0x32, 0x32], "a": [0x31], "c": [], "d/": []])
    #expect(archive.entries.map(\.isDirectory) == [false, false, false, true])
  }

  @Test(
    "ZIP: a name without the UTF-8 flag is UTF-8 or code page 437",
    arguments: [
      ([0x82, 0x74, 0x82], "été"), ([0xE3, 0x83, 0x86], "テ"), (Array("a".utf8), "a"),
      ([0x61, 0xFF], "a\u{A0}"),
    ] as [([UInt8], String)])
  func nameWithoutFlag(_ raw: [UInt8], _ name: String) throws {
    let member = ZipMember(raw, content: [], data: [], method: 0).with { $0.both { $0.flags = 0 } }
    let entry = try #require(ArchiveOnDisk(ZipBuilder([member]).bytes).open().entries.first)
    #expect(entry.name == name)
    #expect(entry.rawName == raw)
  }

  @Test("ZIP: dates are read from extra fields")
  func dates() throws {
    var ntfs: [UInt8] = [0, 0, 0, 0, 1, 0, 24, 0]
    ntfs.append(littleEndian: UInt64(133_000_000_001_230_000))
    ntfs += [UInt8](repeating: 0, count: 16)
    let zip = ZipBuilder([
      .stored("unix").with { $0.central.extra = .extraField(0x5455, [1, 0xFF, 0xFF, 0xFF, 0xFF]) },
      .stored("ntfs").with { $0.central.extra = .extraField(0x000A, ntfs) },
      .stored("none"),
    ])
    let dates = try ArchiveOnDisk(zip.bytes).open().entries.map(\.modified)
    #expect(dates == [-1000, 1_655_526_400_123, nil])
  }

  @Test(
    "ZIP: an archive is recognized by its content",
    arguments: [
      (ZipBuilder([.stored("a")]).bytes, true), (ZipBuilder().bytes, true),
      ([0x50, 0x4B, 7, 8] + ZipBuilder([.stored("a")]).bytes, true), ([0x50, 0x4B, 7, 8, 0, 0, 0, 0], false),
      (Array("PK is no mark".utf8), false), (Array("{}".utf8), false), ([], false),
    ] as [([UInt8], Bool)])
  func isArchive(_ bytes: [UInt8], _ isArchive: Bool) throws {
    let disk = try ArchiveOnDisk(bytes)
    let file = try File.open(disk.path, .read)
    #expect(try Archive.isArchive(file) == isArchive)
  }
}
