import FileSystem
import Foundation
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Zip

/// Archives that are written with a password.
struct EncryptedWriterTests {
  private static let password: Secret = "correct horse battery"

  /// Sizes around the boundaries of libzip: 0, a cipher block, the smallest size with a checksum, its buffer and ours.
  static let sizes = [0, 1, 15, 16, 17, 19, 20, 21, 8164, 8191, 8192, 8193, 300_000, 5 << 20]

  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SeededNumbers(seed: UInt64(count) + 1)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  @Test("Encrypted ZIP: the archive is read, and contains nothing in plain text", arguments: sizes)
  func roundTrip(_ size: Int) throws {
    let scratch = try WriterScratch()
    let (photo, text) = (Self.bytes(size), Array(String(repeating: "text ", count: size / 64).utf8))
    let length = try scratch.write(
      [("photos/1.jpg", photo), ("photos/2.jpg", [7])], texts: [("metadata.json", text)],
      password: Self.password)
    #expect(try scratch.file.status().size == length)
    let archive = try Archive(path: scratch.path)
    #expect(
      archive.entries.map(\.encryption).allSatisfy { if case .aes(256, _) = $0 { true } else { false } })
    let contents = try archive.contents(password: Self.password)
    #expect(contents == ["photos/1.jpg": photo, "photos/2.jpg": [7], "metadata.json": text])
    // the archive does not contain plain text
    let file = try scratch.bytes()
    if size >= 16 { #expect(file.firstRange(of: photo.prefix(16)) == nil) }
    #expect(file.firstRange(of: Self.password.withBytes { Array($0) }) == nil)
  }

  @Test("Encrypted ZIP: 7-Zip reads the archive", .enabled(if: Programs.has("7z")), arguments: sizes)
  func sevenZip(_ size: Int) throws {
    let scratch = try WriterScratch()
    let photo = Self.bytes(size)
    try scratch.write(
      [("photos/1.jpg", photo)], texts: [("metadata.json", Array("{}".utf8))], password: Self.password)
    let folder = scratch.folder
    try Programs.shell("7z x -bd -y '-pcorrect horse battery' a.zip -oout", in: folder.path)
    #expect(try folder.bytes("out/photos/1.jpg") == photo)
    #expect(try folder.bytes("out/metadata.json") == Array("{}".utf8))
    let test = try Programs.run("7z", ["t", "-bd", "-y", "-pwrong", "a.zip"], in: folder.path)
    #expect(test.status == 2, "\(test.text)")
  }

  @Test(
    "Encrypted ZIP: bsdtar reads the archive", .enabled(if: Programs.has("bsdtar")),
    arguments: [0, 19, 20, 300_000])
  func bsdtar(_ size: Int) throws {
    let scratch = try WriterScratch()
    let photo = Self.bytes(size)
    try scratch.write([("1.jpg", photo)], texts: [("t", [1])], password: Self.password)
    try Programs.shell("bsdtar --passphrase 'correct horse battery' -xf a.zip", in: scratch.folder.path)
    #expect(try scratch.folder.bytes("1.jpg") == photo)
  }

  @Test(
    "Encrypted ZIP: another password is refused",
    arguments: ["wrong", "correct horse batterY", "correct horse battery ", " correct horse battery"])
  func wrongPassword(_ other: String) throws {
    let scratch = try WriterScratch()
    try scratch.write(
      [("a", Self.bytes(1000)), ("b", [])], texts: [("t", [1, 2, 3])], password: Self.password)
    let archive = try Archive(path: scratch.path)
    var reader = try EntryReader(archive, password: Secret(other))
    for entry in archive.entries {
      #expect(throws: ArchiveError.self) { try reader.bytes(of: entry, limit: 1 << 20) }
    }
    let fitting = try archive.entries.filter { try reader.passwordFits($0) }
    // a wrong password passes the check with a probability of 1/65,536
    #expect(fitting.count < 3)
    var right = try EntryReader(archive, password: Self.password)
    for entry in archive.entries { #expect(try right.passwordFits(entry)) }
  }

  @Test("Encrypted ZIP: every entry has its own salt")
  func salts() throws {
    let (one, other) = (try WriterScratch(), try WriterScratch())
    let photo = Self.bytes(100)
    for scratch in [one, other] { try scratch.write([("a", photo), ("b", photo)], password: Self.password) }
    let files = try [one, other].flatMap { scratch in
      let bytes = try scratch.bytes()
      return try Archive(path: scratch.path).entries.map {
        Array(bytes[$0.dataOffset..<$0.dataOffset + $0.compressedSize])
      }
    }
    #expect(files.count == 4)
    #expect(Set(files).count == 4)
    #expect(Set(files.map { $0.prefix(16) }).count == 4)
  }

  @Test(
    "Encrypted ZIP: an empty password or one with a zero byte is refused", arguments: ["", "with a \0 zero"])
  func invalidPassword(_ password: String) throws {
    #expect(throws: ArchiveWriteError.password) {
      let writer = try ArchiveWriter(password: Secret(password))
      _ = consume writer
    }
  }

  @Test("Encrypted ZIP: a changed byte is detected or harmless", arguments: [0x01, 0x80, 0xFF] as [UInt8])
  func everyByte(_ pattern: UInt8) throws {
    let scratch = try WriterScratch()
    try scratch.write(
      [("photos/1.jpg", Self.bytes(40)), ("photos/2.jpg", Self.bytes(10)), ("photos/3.jpg", [])],
      texts: [("metadata.json", Array("{}".utf8))], password: Self.password)
    let original = try scratch.bytes()
    let archive = try Archive(path: scratch.path)
    let expected = try archive.contents(password: Self.password)
    let data = Set(archive.entries.flatMap { $0.dataOffset..<$0.dataOffset + $0.compressedSize })
    let disk = try ArchiveOnDisk()
    for index in original.indices {
      var changed = original
      changed[index] ^= pattern
      try disk.write(changed)
      do {
        let contents = try disk.open().contents(password: Self.password)
        #expect(contents == expected, "byte \(index)")
        #expect(!data.contains(index), "byte \(index) is encrypted, and its change was not found")
      } catch is ArchiveError {}
    }
  }

  @Test("Encrypted ZIP: a full disk is a file error")
  func fullDisk() throws {
    let error = #expect(throws: FileError.self) {
      let full = try File.open("/dev/full", .readWrite)
      var writer = try ArchiveWriter(password: Self.password)
      try writer.addStored("a", size: 1 << 20, modified: 0)
      _ = try writer.write(to: full, stored: MemoryContents([Self.bytes(1 << 20)]))
    }
    #expect(error?.errno == .noSpace)
  }

  @Test("Encrypted ZIP: encrypted bytes that look like a record are not corrected")
  func recordsInData() throws {
    let scratch = try WriterScratch()
    let looksLikeAField: [UInt8] = [0x01, 0x00, 0x00, 0x00]
    try withUnsafePointer(to: scratch.file) { file in
      var sink = WriteSink(file, startsWriteBack: true)
      sink.isWritingData = true
      try looksLikeAField.withUnsafeBytes { try sink.write($0) }
      sink.isWritingData = false
      try looksLikeAField.withUnsafeBytes { try sink.write($0) }
      try sink.flush()
    }
    #expect(try scratch.bytes() == looksLikeAField + [0x53, 0x50, 0x00, 0x00])
  }
}

/// The boundary of ZIP64 for entries that libzip writes. The archives would be too large, so only the numbers are
/// tested.
struct EntryNumbersTests {
  private static let limit = 0xFFFF_FFFF

  @Test(
    "ZIP64 boundary: the numbers that libzip omits are determined",
    arguments: [
      (limit - 29, false, []), (limit - 28, true, [limit]), (limit - 27, true, []), (limit - 1, true, []),
      (limit, true, []), (limit + 1, false, []), (limit + 29, false, []), (0, false, []),
    ])
  func omittedNumbers(_ size: Int, _ isForced: Bool, _ left: [Int]) {
    let numbers = EntryNumbers(encrypting: size)
    #expect(numbers.compressedSize == size + 28)
    #expect(numbers.needsForcedZip64 == isForced)
    #expect(numbers.directoryField(offset: 5) == left)
    // unless ZIP64 is forced, libzip decides equally by the size alone and by both sizes
    let (before, after) = (size >= Self.limit, numbers.compressedSize >= Self.limit)
    #expect(isForced || before == after)
  }

  @Test("ZIP64 boundary: an offset at the limit is added")
  func offsetAtLimit() {
    let numbers = EntryNumbers(encrypting: Self.limit - 28)
    #expect(numbers.directoryField(offset: Self.limit) == [Self.limit, Self.limit])
    #expect(numbers.directoryField(offset: Self.limit + 1) == [])
  }

  @Test("ZIP64 boundary: the end record at the limit is corrected", arguments: [(0xFFFF, 7), (3, limit)])
  func endRecord(_ count: Int, _ offset: Int) {
    let end = ArchiveEnd(count: count, size: 100, offset: offset)
    let mended = end.plain.withUnsafeBytes { Zip64Boundary.correct($0) }
    #expect(mended == end.bytes)
    #expect(mended?.count == 98)
    let small = ArchiveEnd(count: 3, size: 100, offset: 7)
    #expect(small.plain.withUnsafeBytes { Zip64Boundary.correct($0) } == nil)
    #expect(small.bytes == small.plain)
  }
}
