import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

@testable import Backup

/// Pseudo-random numbers that are the same on every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

/// A temporary folder with photos of given sizes, and an empty file for an archive.
final class PhotoFolder {
  let url: URL
  let archive: File
  let contents: [[UInt8]]
  let items: [PipelineItem]

  init(sizes: [Int]) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("pipeline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    self.url = url
    archive = try File.open(FilePath(url.path + "/archive.zip"), .create)
    var generator = SeededGenerator(state: 3)
    contents = sizes.map { size in
      let words = (0..<(size + 7) / 8).map { _ in generator.next() }
      return words.withUnsafeBytes { Array($0.prefix(size)) }
    }
    for (index, bytes) in contents.enumerated() {
      try Data(bytes).write(to: url.appendingPathComponent("\(index)"))
    }
    items = contents.enumerated().map { index, bytes in
      let path = FilePath(url.path + "/\(index)")
      return PipelineItem(
        entryName: "photos/\(index).jpg", size: bytes.count, modified: 1_700_000_000_000
      ) { () throws(FileError) in try File.open(path, .read) }
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  static func digest(_ bytes: [UInt8]) -> MD5Digest {
    var hash = RunningMD5()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.digest
  }

  func remove(_ index: Int) throws {
    try FileManager.default.removeItem(at: url.appendingPathComponent("\(index)"))
  }

  func resize(_ index: Int, to size: Int) throws {
    try File.open(FilePath(url.path + "/\(index)"), .readWrite).resize(to: size)
  }

  func archive(options: PhotoPipeline.Options) throws -> PhotoPipeline.Result {
    let text = PipelineText(entryName: "metadata.json", modified: 0) { digests, write in
      try Array(digests.map(\.description).joined(separator: "\n").utf8).withUnsafeBytes(write)
    }
    return try PhotoPipeline(items: items, options: options).write([text], to: archive)
  }

  /// The bytes of the stored entries, found through the local headers.
  func entries() throws -> [[UInt8]] {
    let bytes = Array(try Data(contentsOf: url.appendingPathComponent("archive.zip")))
    var entries: [[UInt8]] = []
    var position = 0
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[position + offset + $1]) << (8 * $1) }
    }
    while number(0, 4) == 0x0403_4B50 {
      let start = position + 30 + number(26, 2) + number(28, 2)
      let size = number(18, 4)
      if number(8, 2) == 0 { entries.append(Array(bytes[start..<start + size])) }
      position = start + size
    }
    return entries
  }

  /// The installed archive programs that report a fault in the archive.
  func failuresOfTools() throws -> [String] {
    try [["unzip", "-tq"], ["7z", "t"], ["bsdtar", "-tf"]].compactMap { tool in
      let path = "/usr/bin/\(tool[0])"
      guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = tool.dropFirst() + [url.path + "/archive.zip"]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0 ? nil : tool[0]
    }
  }
}
