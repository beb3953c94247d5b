import FileSystem
import Foundation
import Secrets
import SystemPackage

@testable import Zip

/// A temporary file for an archive, and eyes of other programs to look at it.
final class WriterScratch {
  let folder: URL
  let file: File

  var path: FilePath { FilePath(folder.path + "/a.zip") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("zip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = try File.open(FilePath(folder.path + "/a.zip"), .create)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  func write(
    _ entries: [(String, [UInt8])], texts: [(String, [UInt8])] = [], password: Secret? = nil
  ) throws -> Int {
    var writer = try ArchiveWriter(password: password)
    for (name, bytes) in entries {
      try writer.addStored(name, size: bytes.count, modified: 1_700_000_000_000)
    }
    for (name, bytes) in texts {
      try writer.addText(name, modified: 1_700_000_000_000) { try bytes.withUnsafeBytes($0) }
    }
    return try writer.write(to: file, stored: MemoryContents(entries.map(\.1)))
  }

  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("a.zip"))) }

  struct LocalHeader {
    var flags, method, time, date: UInt16
    var crc, compressedSize, size: UInt32
    var name: String
    var extraLength: Int
  }

  /// The local headers, found by walking over them: what a reader sees that goes forward.
  func localHeaders() throws -> [LocalHeader] {
    let bytes = try bytes()
    var headers: [LocalHeader] = []
    var position = 0
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
      bytes.withUnsafeBytes {
        Number(littleEndian: $0.loadUnaligned(fromByteOffset: position + offset, as: Number.self))
      }
    }
    while number(0, UInt32.self) == 0x0403_4B50 {
      let nameLength = Int(number(26, UInt16.self))
      let header = LocalHeader(
        flags: number(6, UInt16.self), method: number(8, UInt16.self), time: number(10, UInt16.self),
        date: number(12, UInt16.self), crc: number(14, UInt32.self), compressedSize: number(18, UInt32.self),
        size: number(22, UInt32.self),
        name: String(decoding: bytes[position + 30..<position + 30 + nameLength], as: UTF8.self),
        extraLength: Int(number(28, UInt16.self)))
      headers.append(header)
      position += 30 + nameLength + header.extraLength + Int(header.compressedSize)
    }
    return headers
  }

  /// The programs on this machine that find a fault in the archive, with what they say.
  func toolFailures() throws -> [String] {
    let tools = [
      ["unzip", "-tq"], ["7z", "t"], ["bsdtar", "-tf"], ["python3", "-m", "zipfile", "-t"],
    ]
    return try tools.compactMap { tool in
      guard let path = Self.find(tool[0]) else { return nil }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = tool.dropFirst() + [folder.path + "/a.zip"]
      process.standardInput = FileHandle.nullDevice
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let text = String(decoding: output, as: UTF8.self)
      // python's zipfile reports a bad entry and exits 0
      if process.terminationStatus == 0 && !text.contains("corrupted") { return nil }
      return "\(tool[0]): \(text.suffix(500))"
    }
  }

  private static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// Stored contents out of memory: each entry in two pieces where it has that many bytes.
final class MemoryContents: StoredContents {
  private let storage: [UnsafeMutableRawBufferPointer]
  private var pieces: [StoredPiece] = []

  init(_ entries: [[UInt8]]) {
    storage = entries.map { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
      copy.copyBytes(from: bytes)
      return UnsafeMutableRawBufferPointer(rebasing: copy[..<bytes.count])
    }
    pieces = storage.enumerated().flatMap { index, bytes in
      let half = bytes.count / 2
      return [
        StoredPiece(entry: index, UnsafeRawBufferPointer(rebasing: bytes[..<half]), isLast: false),
        StoredPiece(entry: index, UnsafeRawBufferPointer(rebasing: bytes[half...]), isLast: true),
      ].filter { !$0.bytes.isEmpty || $0.isLast }
    }
  }

  deinit { for buffer in storage { buffer.baseAddress?.deallocate() } }

  var isAtEnd: Bool { pieces.isEmpty }

  func next() -> [StoredPiece]? { pieces.isEmpty ? nil : [pieces.removeFirst()] }
}
