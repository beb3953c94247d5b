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
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }

  @Test(
    "ZIP of Info-ZIP", .enabled(if: Tool.zip.isInstalled),
    arguments: ["-r", "-0 -r", "-9 -X -r", "-r -fz", "-r -fd"])
  func infoZIP(_ options: String) throws {
    try check { "\(Tool.zip.name) -q \(options) '\($0)' ." }
  }

  @Test("ZIP of Info-ZIP, streamed", .enabled(if: Tool.zip.isInstalled))
  func infoZIPStreamed() throws {
    try check { "\(Tool.zip.name) -q -r - . | cat > '\($0)'" }
  }

  @Test("ZIP of Info-ZIP, encrypted", .enabled(if: Tool.zip.isInstalled), arguments: ["-r", "-0 -r"])
  func infoZIPEncrypted(_ options: String) throws {
    try check(password: "secret") { "\(Tool.zip.name) -q -P secret \(options) '\($0)' ." }
  }

  /// The password check of streamed entries uses the date, since the checksum is not known in advance.
  @Test("ZIP of Info-ZIP, encrypted and streamed", .enabled(if: Tool.zip.isInstalled))
  func infoZIPEncryptedAndStreamed() throws {
    try check(password: "secret") { "\(Tool.zip.name) -q -P secret -r - . | cat > '\($0)'" }
  }

  @Test(
    "ZIP of 7-Zip", .enabled(if: Tool.sevenZip.isInstalled),
    arguments: ["", "-mx0", "-mm=BZip2", "-mx9 -mmt1"])
  func sevenZip(_ options: String) throws {
    try check { "\(Tool.sevenZip.name) a -bd -y \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of 7-Zip, encrypted", .enabled(if: Tool.sevenZip.isInstalled),
    arguments: ["", "-mx0 "].flatMap { level in
      ["AES128", "AES192", "AES256", "ZipCrypto"].map { "\(level)-mem=\($0)" }
    })
  func sevenZipEncrypted(_ options: String) throws {
    try check(password: "secret") { "\(Tool.sevenZip.name) a -bd -y -psecret \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of bsdtar", .enabled(if: Tool.bsdtar.isInstalled),
    arguments: ["zip:compression=deflate", "zip:compression=store", "zip:zip64", "zip:!zip64"])
  func bsdtar(_ options: String) throws {
    try check { "\(Tool.bsdtar.name) --format zip --options \(options) -cf '\($0)' ." }
    try check { "\(Tool.bsdtar.name) --format zip --options \(options) -cf - . | cat > '\($0)'" }
  }

  @Test(
    "ZIP of bsdtar, encrypted", .enabled(if: Tool.bsdtar.isInstalled),
    arguments: ["aes128", "aes256", "zipcrypt"])
  func bsdtarEncrypted(_ method: String) throws {
    try check(password: "secret") {
      "\(Tool.bsdtar.name) --format zip --options zip:encryption=\(method) --passphrase secret -cf '\($0)' ."
    }
  }

  @Test("ZIP of jar", .enabled(if: Tool.jar.isInstalled), arguments: ["cMf", "c0Mf"])
  func jar(_ options: String) throws {
    try check { "\(Tool.jar.name) \(options) '\($0)' ." }
  }

  @Test(
    "ZIP of Python", .enabled(if: Tool.python.isInstalled), arguments: ["STORED", "DEFLATED"], [false, true])
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
      "PYTHONUTF8=1 \(Tool.python.name) -c '\(script)' '\($0)'" + (isStreamed ? " | cat > '\($0)'" : "")
    }
  }

  /// Packs the files with a command, reads the archive, and compares. Then tries a wrong password.
  private func check(password: Secret? = nil, _ command: (String) -> String) throws {
    let disk = try ArchiveOnDisk()
    try FileManager.default.removeItem(atPath: disk.path.string)
    let source = disk.folder.appending("source")
    for (name, bytes) in Self.files {
      let url = URL(fileURLWithPath: source.appending(name).string)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
    try Tool.run(command(disk.path.string), in: source)

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

/// A program that may be installed.
struct Tool: Sendable {
  /// A command ended with a status other than 0.
  struct Failure: Error, Equatable {
    let command: String
    let status: Int32
  }

  let name: String

  static let zip = Tool(name: "zip")
  static let sevenZip = Tool(name: "7z")
  static let bsdtar = Tool(name: "bsdtar")
  static let python = Tool(name: "python3")
  static let jar = Tool(name: "jar")

  /// True if it is in one of the folders of PATH.
  var isInstalled: Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs a command of the shell, and throws if it fails.
  static func run(_ command: String, in folder: FilePath) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.string)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: command, status: process.terminationStatus)
    }
  }
}
