import Foundation
import Secrets
import SystemPackage
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

  @Test(
    "ZIP of Info-ZIP", .enabled(if: Programs.has("zip")),
    arguments: ["-r", "-0 -r", "-9 -X -r", "-r -fz", "-r -fd"])
  func infoZIP(_ options: String) throws {
    try check { "zip -q \(options) '\($0)' ." }
  }

  @Test("ZIP of Info-ZIP, streamed", .enabled(if: Programs.has("zip")))
  func infoZIPStreamed() throws {
    try check { "zip -q -r - . | cat > '\($0)'" }
  }

  @Test("ZIP of Info-ZIP, encrypted", .enabled(if: Programs.has("zip")), arguments: ["-r", "-0 -r"])
  func infoZIPEncrypted(_ options: String) throws {
    try check(password: "secret") { "zip -q -P secret \(options) '\($0)' ." }
  }

  /// The password check of streamed entries uses the date, since the checksum is not known in advance.
  @Test("ZIP of Info-ZIP, encrypted and streamed", .enabled(if: Programs.has("zip")))
  func infoZIPEncryptedAndStreamed() throws {
    try check(password: "secret") { "zip -q -P secret -r - . | cat > '\($0)'" }
  }

  @Test(
    "ZIP of 7-Zip", .enabled(if: Programs.has("7z")),
    arguments: ["", "-mx0", "-mm=BZip2", "-mx9 -mmt1"])
  func sevenZip(_ options: String) throws {
    try check { "7z a -bd -y \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of 7-Zip, encrypted", .enabled(if: Programs.has("7z")),
    arguments: ["", "-mx0 "].flatMap { level in
      ["AES128", "AES192", "AES256", "ZipCrypto"].map { "\(level)-mem=\($0)" }
    })
  func sevenZipEncrypted(_ options: String) throws {
    try check(password: "secret") { "7z a -bd -y -psecret \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of bsdtar", .enabled(if: Programs.has("bsdtar")),
    arguments: ["zip:compression=deflate", "zip:compression=store", "zip:zip64", "zip:!zip64"])
  func bsdtar(_ options: String) throws {
    try check { "bsdtar --format zip --options \(options) -cf '\($0)' ." }
    try check { "bsdtar --format zip --options \(options) -cf - . | cat > '\($0)'" }
  }

  @Test(
    "ZIP of bsdtar, encrypted", .enabled(if: Programs.has("bsdtar")),
    arguments: ["aes128", "aes256", "zipcrypt"])
  func bsdtarEncrypted(_ method: String) throws {
    try check(password: "secret") {
      "bsdtar --format zip --options zip:encryption=\(method) --passphrase secret -cf '\($0)' ."
    }
  }

  @Test("ZIP of jar", .enabled(if: Programs.has("jar")), arguments: ["cMf", "c0Mf"])
  func jar(_ options: String) throws {
    try check { "jar \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of Python", .enabled(if: Programs.has("python3")), arguments: ["STORED", "DEFLATED"], [false, true])
  func python(_ method: String, _ isStreamed: Bool) throws {
    let output = isStreamed ? "sys.stdout.buffer" : "sys.argv[1]"
    let script = """
      import os, sys, zipfile
      with zipfile.ZipFile(\(output), "w", zipfile.ZIP_\(method)) as z:
        for folder, _, files in os.walk("."):
          for file in files:
            path = os.path.join(folder, file)
            with z.open(os.path.relpath(path), "w", force_zip64=True) as target:
              target.write(open(path, "rb").read())
      """
    try check {
      "PYTHONUTF8=1 python3 -c '\(script)' '\($0)'" + (isStreamed ? " | cat > '\($0)'" : "")
    }
  }

  /// Packs the files with a command, reads the archive, and compares. Then tries a wrong password.
  private func check(password: Secret? = nil, _ command: (String) -> String) throws {
    let disk = try ArchiveOnDisk()
    try disk.folder.remove("archive.zip")
    for (name, bytes) in Self.files { try disk.folder.write(bytes, to: "source/\(name)") }
    try Programs.shell(command(disk.path.string), in: disk.folder.path("source"))

    let archive = try disk.open()
    var contents: [String: [UInt8]] = [:]
    for (name, bytes) in try archive.contents(password: password) where !name.hasSuffix("/") {
      contents[name.hasPrefix("./") ? String(name.dropFirst(2)) : name] = bytes
    }
    #expect(contents == Self.files)
    guard password != nil else { return }

    for entry in archive.entries where entry.size > 100 {
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

  /// A changed byte of encrypted data is detected by a checksum or an authentication code. A changed code with a
  /// matching checksum is harmless.
  private func checkChanges(_ entry: Entry, _ disk: ArchiveOnDisk) throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: disk.path.string))
    defer { try? disk.write(Array(original)) }
    for offset in [entry.dataOffset + 40, entry.dataOffset + entry.compressedSize - 1] {
      var changed = Array(original)
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
