import Secrets
import TestSupport
import Testing
import Zip

/// Archives of other programs. Each test is skipped if its program is not installed.
@Suite(.waitsForPrograms) struct ForeignArchiveTests {
  /// Files with names that need UTF-8, an empty one, a compressible one and an incompressible one.
  private static let files: [String: [UInt8]] = [
    "text.txt": Array(String(repeating: "the same line again and again\n", count: 20_000).utf8),
    "noise.jpg": noise(300_000), "empty.txt": [], "photos/été.txt": Array("hi".utf8),
  ]

  private static func noise(_ count: Int) -> [UInt8] {
    var numbers = SeededNumbers(seed: 1)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
  }

  @Test("ZIP of another program: every entry is read", arguments: Packer.installed)
  func plain(_ packer: Packer) throws { _ = try contents(packer, password: nil) }

  @Test(
    "ZIP of another program, encrypted: every entry is read, and a wrong password refused",
    arguments: Packer.encrypting)
  func encrypted(_ packer: Packer) throws {
    let disk = try contents(packer, password: "secret")
    for entry in try disk.open().entries where entry.size > 100 {
      #expect(entry.isEncrypted)
      var reader = try EntryReader(disk.open(), password: "wrong")
      let error = try #require(throws: ArchiveError.self) { try reader.bytes(of: entry, limit: 1 << 20) }
      // a wrong password passes the check of the traditional encryption with a probability of 1/256
      #expect(
        error == .wrongPassword(disk.path, entry: entry.name)
          || error == .damaged(disk.path, entry: entry.name, reason: .checksumOrPassword))
      try checkChanges(entry, disk)
    }
  }

  /// Packs the files, reads the archive, and compares. Returns the archive.
  private func contents(_ packer: Packer, password: Secret?) throws -> ArchiveOnDisk {
    let disk = try ArchiveOnDisk()
    try packer.pack(Self.files, in: disk.folder)
    try disk.write(disk.folder.bytes("a.zip"))
    var contents: [String: [UInt8]] = [:]
    for (name, bytes) in try disk.open().contents(password: password) where !name.hasSuffix("/") {
      contents[name.hasPrefix("./") ? String(name.dropFirst(2)) : name] = bytes
    }
    #expect(contents == Self.files)
    return disk
  }

  /// A changed byte of encrypted data is detected by a checksum or an authentication code. A changed code with a
  /// matching checksum is harmless.
  private func checkChanges(_ entry: Entry, _ disk: ArchiveOnDisk) throws {
    let original = try disk.folder.bytes("archive.zip")
    defer { try? disk.write(original) }
    for offset in [entry.dataOffset + 40, entry.dataOffset + entry.compressedSize - 1] {
      var changed = original
      changed[offset] ^= 1
      try disk.write(changed)
      var reader = try EntryReader(disk.open(), password: "secret")
      do {
        let bytes = try reader.bytes(of: entry, limit: 1 << 20)
        #expect(entry.encryption != .aes(keyBits: 256, hasCRC: false))
        #expect(bytes == Self.files.first { entry.name.hasSuffix($0.key) }?.value)
      } catch is ArchiveError {}
    }
  }
}
