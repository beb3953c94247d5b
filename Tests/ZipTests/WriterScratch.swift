import FileSystem
import Secrets
import SystemPackage
import TestSupport

@testable import Zip

/// A temporary file for an archive.
final class WriterScratch {
  let folder = ScratchFolder()
  let file: File

  var path: FilePath { folder.path("a.zip") }

  init() throws {
    file = try File.open(folder.path("a.zip"), .create)
  }

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

  func bytes() throws -> [UInt8] { try folder.bytes("a.zip") }

  func localHeaders() throws -> [LocalHeader] { LocalHeader.all(in: try bytes()) }
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
