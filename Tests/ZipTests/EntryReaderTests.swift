import Checksums
import FileSystem
import Glibc
import Operations
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

/// Reading returns the original bytes, or fails.
struct EntryReaderTests {
  private static let text = "some content that is there"

  /// An archive of one entry "a", and how opening the archive or reading the entry fails.
  struct Damaged: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    /// The field that opening the archive reports; nil if the archive can be opened.
    let field: HeaderField?
    /// What reading the entry reports; nil if the archive cannot be opened.
    let reason: Damage?

    init(_ description: String, _ member: ZipMember, _ reason: Damage) {
      (testDescription, bytes) = (description, ZipBuilder([member]).bytes)
      (field, self.reason) = (nil, reason)
    }

    init(_ description: String, _ member: ZipMember, whenOpened field: HeaderField) {
      (testDescription, bytes) = (description, ZipBuilder([member]).bytes)
      (self.field, reason) = (field, nil)
    }
  }

  private static let stored = ZipMember.stored("a", text)
  private static let deflated = ZipMember.deflated("a", text)

  @Test(
    "Entry reader: damage is detected with its reason",
    arguments: [
      Damaged("stored, another checksum", stored.with { $0.both { $0.crc32 ^= 1 } }, .checksum),
      Damaged("deflated, another checksum", deflated.with { $0.both { $0.crc32 ^= 1 } }, .checksum),
      Damaged("stored, another byte", stored.with { $0.data[3] ^= 4 }, .checksum),
      Damaged("deflated, too long", deflated.with { $0.both { $0.size -= 1 } }, .long(declared: 25)),
      Damaged(
        "deflated, too long, with the checksum of the beginning",
        deflated.with {
          $0.both {
            $0.size = 4; $0.crc32 = CRC32.of("some".utf8)
          }
        }, .long(declared: 4)),
      Damaged(
        "deflated, ends early", deflated.with { $0.both { $0.size += 1 } },
        .short(declared: 27, delivered: 26)),
      Damaged("deflated, no such block", deflated.with { $0.data[0] = 0xFF }, .compressedData),
      Damaged("deflated, truncated", deflated.with { cut(&$0, to: 20) }, .short(declared: 26, delivered: 15)),
      Damaged(
        "deflated, without data", deflated.with { cut(&$0, to: 1) }, .short(declared: 26, delivered: 0)),
      Damaged(
        "deflated, more bytes after its end",
        deflated.with {
          $0.data += [1, 2, 3]
          let count = UInt32($0.data.count)
          $0.both { $0.compressedSize = count }
        }, .surplus(bytes: 3)),
      // such an entry may never be read
      Damaged(
        "stored and empty, another checksum", ZipMember.stored("a").with { $0.both { $0.crc32 = 1 } },
        whenOpened: .crc32),
      Damaged(
        "deflated and empty, another checksum", ZipMember.deflated("a", "").with { $0.both { $0.crc32 = 1 } },
        whenOpened: .crc32),
      Damaged(
        "deflated and empty, without data, another checksum",
        ZipMember.deflated("a", "").with {
          cut(&$0, to: 0)
          $0.both { $0.crc32 = 1 }
        }, whenOpened: .crc32),
    ])
  func damage(_ damaged: Damaged) throws {
    let disk = try ArchiveOnDisk(damaged.bytes)
    if let field = damaged.field {
      let error = #expect(throws: ArchiveError.self) { try disk.open() }
      #expect(error == .inconsistentHeader(disk.path, entry: "a", field: field))
      #expect(error?.description == "\(disk.path) is damaged at “a”: \(field.rawValue) is wrong")
      return
    }
    let reason = try #require(damaged.reason)
    let archive = try disk.open()
    var reader = try EntryReader(archive)
    var delivered = 0
    var thrown: ArchiveError?
    do {
      try reader.read(archive.entries[0]) { delivered += $0.count }
    } catch {
      thrown = error as? ArchiveError
    }
    #expect(thrown == .damaged(disk.path, entry: "a", reason: reason))
    #expect(delivered <= archive.entries[0].size)
  }

  private static func cut(_ member: inout ZipMember, to count: Int) {
    member.data.removeLast(member.data.count - count)
    member.both { $0.compressedSize = UInt32(count) }
  }

  @Test("Entry reader: a large entry is read in pieces")
  func pieces() throws {
    let content = String(repeating: "0123456789abcdef", count: 50_000)
    let archive = try ArchiveOnDisk(ZipBuilder([.stored("large", content)]).bytes).open()
    var reader = try EntryReader(archive)
    var pieces: [Int] = []
    var bytes: [UInt8] = []
    try reader.read(archive.entries[0]) {
      pieces.append($0.count)
      bytes += $0
    }
    #expect(bytes == Array(content.utf8))
    #expect(pieces.count > 1)
    #expect(pieces.allSatisfy { $0 <= EntryReader.pieceSize })
  }

  @Test("Entry reader: an entry over the limit is not read")
  func limit() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([Self.stored]).bytes)
    let archive = try disk.open()
    var reader = try EntryReader(archive)
    #expect(throws: ArchiveError.entryTooLarge(disk.path, entry: "a", bytes: 26, limit: 25)) {
      try reader.bytes(of: archive.entries[0], limit: 25)
    }
    #expect(try reader.bytes(of: archive.entries[0], limit: 26).count == 26)
  }

  @Test("Entry reader: too little memory is an error")
  func memory() throws {
    let size = UInt64(1 << 60)
    let large = ZipMember.stored("a", "data").with { member in
      member.both {
        $0.method = 12
        $0.size = .max
        $0.extra = .zip64Field(size)
      }
    }
    let disk = try ArchiveOnDisk(ZipBuilder([large]).bytes)
    let archive = try disk.open(limits: Limits().with(\.maximumBytes, .max))
    var reader = try EntryReader(archive)
    #expect(throws: ArchiveError.file(FileError("allocate memory to read", disk.path, .noMemory))) {
      try reader.bytes(of: archive.entries[0], limit: .max)
    }
  }

  @Test("Archive error: errors that concern every entry differ from damage")
  func errorsOfEveryEntry() {
    let file = FileError("read", "a", .noMemory)
    let obstacles: [ArchiveError] = [
      .file(file), .changed("a"), .libzip("a", code: 14, text: "Malloc failure"),
      .libzip("a", code: 0, text: "No error"),
    ]
    #expect(obstacles.filter(\.cause.isOfContent) == [])
    #expect(obstacles.filter { $0.cause != .environment } == [.changed("a")])
    let others: [ArchiveError] = [
      .damaged("a", entry: "b", reason: .checksum), .wrongPassword("a", entry: "b"),
      .libzip("a", code: 28, text: "Operation not supported"), .truncated("a"),
      .entryTooLarge("a", entry: "b", bytes: 2, limit: 1),
    ]
    #expect(others.filter { !$0.cause.isOfContent } == [])
  }

  @Test("Entry reader: an error of the caller is thrown, and the reader stays usable")
  func callerError() throws {
    struct Stop: Error, Equatable {}
    let archive = try ArchiveOnDisk(ZipBuilder([Self.deflated]).bytes).open()
    var reader = try EntryReader(archive)
    #expect(throws: Stop()) { try reader.read(archive.entries[0]) { _ throws(Stop) in throw Stop() } }
    #expect(try reader.bytes(of: archive.entries[0], limit: 100) == Array(Self.text.utf8))
  }

  @Test("Entry reader: a damaged entry does not affect the others")
  func otherEntries() throws {
    let zip = ZipBuilder([Self.deflated.with { $0.data[0] = 0xFF }, .deflated("b", "fine")])
    let disk = try ArchiveOnDisk(zip.bytes)
    let archive = try disk.open()
    var reader = try EntryReader(archive)
    #expect(throws: ArchiveError.damaged(disk.path, entry: "a", reason: .compressedData)) {
      try reader.bytes(of: archive.entries[0], limit: 100)
    }
    #expect(try reader.bytes(of: archive.entries[1], limit: 100) == Array("fine".utf8))
  }

  @Test("Entry reader: an entry of another archive is refused")
  func otherArchive() throws {
    let one = try ArchiveOnDisk(ZipBuilder([.stored("a", "1")]).bytes)
    let other = try ArchiveOnDisk(ZipBuilder([.stored("a", "2")]).bytes)
    var reader = try EntryReader(one.open())
    let entry = try other.open().entries[0]
    #expect(throws: ArchiveError.changed(one.path)) { try reader.bytes(of: entry, limit: 10) }
  }

  @Test("Entry reader: an archive that was replaced on disk is read unchanged")
  func replaced() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([.stored("a", "old")]).bytes)
    let archive = try disk.open()
    let other = try ArchiveOnDisk(ZipBuilder([.stored("a", "new")]).bytes)
    #expect(rename(other.path.string, disk.path.string) == 0)
    #expect(try archive.contents() == ["a": Array("old".utf8)])
  }

  @Test("Entry reader: an encrypted entry needs a password")
  func password() throws {
    let member = ZipMember.stored("a", "twelve bytes and more").with {
      $0.both {
        $0.flags |= 1; $0.size = 9
      }
    }
    let disk = try ArchiveOnDisk(ZipBuilder([member]).bytes)
    let archive = try disk.open()
    #expect(archive.entries[0].isEncrypted)
    for password in [nil, ""] as [Secret?] {
      var reader = try EntryReader(archive, password: password)
      #expect(throws: ArchiveError.passwordNeeded(disk.path, entry: "a")) {
        try reader.bytes(of: archive.entries[0], limit: 100)
      }
    }
  }

  @Test("Entry reader: several readers work in parallel")
  func parallel() async throws {
    let names = (0..<40).map { "photo \($0)" }
    let content = String(repeating: "x", count: 70_000)
    let zip = ZipBuilder(names.map { .stored($0, $0 + content) })
    let disk = try ArchiveOnDisk(zip.bytes)
    let archive = try disk.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let contents = try archive.contents()
          #expect(contents.count == names.count)
          #expect(contents.allSatisfy { $1 == Array(($0 + content).utf8) })
        }
      }
      try await group.waitForAll()
    }
  }
}
