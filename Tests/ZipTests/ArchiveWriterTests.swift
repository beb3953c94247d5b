import FileSystem
import Foundation
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Zip

@Suite struct ArchiveWriterTests {
  @Test("ZIP writer: other programs read the archive")
  func otherPrograms() throws {
    let scratch = try WriterScratch()
    let entries: [(String, [UInt8])] = [
      ("photos/1_a.jpg", Array(repeating: 0xA5, count: 100_000)),
      ("photos/2_empty.jpg", []),
      ("photos/3_Größe 写真.jpg", Array("small".utf8)),
    ]
    let size = try scratch.write(entries, texts: [("metadata.json", Array(repeating: 0x20, count: 70_000))])
    let bytes = try scratch.bytes()
    #expect(bytes.count == size)
    #expect(try Programs.complaints(about: scratch.path) == [])
  }

  @Test("ZIP writer: local headers have sizes and checksum")
  func localHeaders() throws {
    let scratch = try WriterScratch()
    try scratch.write([("a", Array("123456789".utf8)), ("bild-ä", [])], texts: [("t", [1, 2, 3])])
    let headers = try scratch.localHeaders()
    #expect(headers.map(\.name) == ["a", "bild-ä", "t"])
    #expect(headers.allSatisfy { $0.flags & 0x0008 == 0 })
    #expect(headers[1].flags & 0x0800 != 0, "a name beyond ASCII is flagged as UTF-8")
    // the check value of CRC-32
    #expect(headers[0].crc32 == 0xCBF4_3926)
    #expect(headers[0].size == 9)
    #expect(headers[0].compressedSize == 9)
    #expect(headers[0].method == 0)
    #expect(headers[1].size == 0)
    #expect(headers[1].crc32 == 0)
    #expect(headers[2].size == 3)
    #expect(headers[2].method == 8)
    #expect(headers.allSatisfy { $0.extraLength == 0 }, "no number needs ZIP64")
  }

  @Test("ZIP writer: texts are rendered after the stored entries")
  func textOrder() throws {
    let scratch = try WriterScratch()
    let contents = MemoryContents([[1, 2, 3], [4]])
    var writer = try ArchiveWriter()
    try writer.addStored("a", size: 3, modified: 0)
    try writer.addStored("b", size: 1, modified: 0)
    try writer.addText("t", modified: 0) { _ in #expect(contents.isAtEnd) }
    _ = try writer.write(to: scratch.file, stored: contents)
  }

  @Test("ZIP writer: an archive may consist of a text")
  func textOnly() throws {
    let scratch = try WriterScratch()
    try scratch.write([], texts: [("metadata.json", Array("{}".utf8))])
    #expect(try Programs.complaints(about: scratch.path) == [])
  }

  @Test("ZIP writer: an archive without entries is refused")
  func noEntries() throws {
    let scratch = try WriterScratch()
    #expect(throws: ArchiveWriteError.empty) { try scratch.write([], texts: []) }
  }

  @Test(
    "ZIP writer: an invalid name is refused",
    arguments: ["", "photos/", "a\0b", String(repeating: "x", count: 70_000)])
  func invalidName(_ name: String) throws {
    #expect(throws: ArchiveWriteError.name(name)) {
      var writer = try ArchiveWriter()
      try writer.addStored(name, size: 1, modified: 0)
    }
  }

  @Test("ZIP writer: a duplicate name is refused")
  func duplicateName() throws {
    #expect(throws: ArchiveWriteError.duplicate("a")) {
      var writer = try ArchiveWriter()
      try writer.addStored("a", size: 1, modified: 0)
      try writer.addStored("a", size: 1, modified: 0)
    }
  }

  @Test("ZIP writer: an error of the caller is thrown unchanged")
  func callerError() throws {
    struct Mine: Error {}
    let scratch = try WriterScratch()
    #expect(throws: Mine.self) {
      var writer = try ArchiveWriter()
      try writer.addText("t", modified: 0) { _ in throw Mine() }
      _ = try writer.write(to: scratch.file, stored: MemoryContents([]))
    }
  }

  @Test(
    "ZIP writer: a stored entry of the wrong length is an error",
    arguments: [nil, "correct horse battery"] as [Secret?])
  func wrongLength(password: Secret?) throws {
    let scratch = try WriterScratch()
    #expect(throws: ArchiveWriteError.length(entry: 0, expected: 4, given: 3)) {
      var writer = try ArchiveWriter(password: password)
      try writer.addStored("short", size: 4, modified: 0)
      _ = try writer.write(to: scratch.file, stored: MemoryContents([[1, 2, 3]]))
    }
    #expect(throws: ArchiveWriteError.length(entry: 0, expected: 2, given: 3)) {
      var writer = try ArchiveWriter(password: password)
      try writer.addStored("long", size: 2, modified: 0)
      _ = try writer.write(to: scratch.file, stored: MemoryContents([[1, 2, 3]]))
    }
  }

  @Test("ZIP writer: it can be cancelled")
  func cancellation() throws {
    let scratch = try WriterScratch()
    #expect(throws: CancellationError.self) {
      var writer = try ArchiveWriter()
      try writer.addText("t", modified: 0) { try [UInt8(1)].withUnsafeBytes($0) }
      _ = try writer.write(to: scratch.file, stored: MemoryContents([]), isCancelled: { true })
    }
  }

  @Test("ZIP writer: a failed write is a file error")
  func writeError() throws {
    let scratch = try WriterScratch()
    #expect(throws: FileError("write", scratch.path, .badFileDescriptor)) {
      let readOnly = try File.open(scratch.path, .read)
      var writer = try ArchiveWriter()
      try writer.addText("t", modified: 0) { try [UInt8(1)].withUnsafeBytes($0) }
      _ = try writer.write(to: readOnly, stored: MemoryContents([]))
    }
  }

  @Test("ZIP writer: an earlier, longer archive is truncated")
  func truncation() throws {
    let scratch = try WriterScratch()
    try scratch.write([("a", Array(repeating: 1, count: 1000))], texts: [])
    let size = try scratch.write([("a", [1])], texts: [])
    #expect(try scratch.bytes().count == size)
  }

  @Test(
    "ZIP writer: from 65,535 entries on there is a ZIP64 end record", arguments: [65_534, 65_535, 65_536])
  func manyEntries(_ count: Int) throws {
    let scratch = try WriterScratch()
    var writer = try ArchiveWriter()
    for index in 0..<count { try writer.addStored("\(index)", size: 0, modified: 0) }
    let size = try writer.write(
      to: scratch.file, stored: MemoryContents(Array(repeating: [], count: count)))
    let tail = try scratch.bytes().suffix(98)
    #expect(tail.prefix(4).elementsEqual([0x50, 0x4B, 6, 6]) == (count >= 65_535))
    #expect(tail.dropFirst(56).prefix(4).elementsEqual([0x50, 0x4B, 6, 7]) == (count >= 65_535))
    #expect(try scratch.file.status().size == size)
    #expect(try Programs.complaints(about: scratch.path) == [])
  }

  @Test(
    "ZIP writer: every date is written within the range of ZIP",
    arguments: [Int64.min, -1, 0, 1_700_000_000_000, 5_000_000_000_000, Int64.max])
  func dates(_ modified: Int64) throws {
    let scratch = try WriterScratch()
    var writer = try ArchiveWriter()
    try writer.addStored("a", size: 0, modified: .init(rawValue: modified))
    _ = try writer.write(to: scratch.file, stored: MemoryContents([[]]))
    let date = try scratch.localHeaders()[0].date
    #expect((1...12).contains(date >> 5 & 15))
    #expect((1...31).contains(date & 31))
    if modified < 0 { #expect(date >> 9 == 0) }
    if modified > 4_400_000_000_000 { #expect(date >> 9 == 127) }
  }
}
