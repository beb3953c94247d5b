import FileSystem
import SystemPackage
import TestSupport

@testable import Backup

/// A temporary folder with photos of given sizes, and an empty file for an archive.
final class PhotoFolder {
  let scratch: ScratchFolder
  let archive: File
  let contents: [[UInt8]]
  let items: [PipelineItem]

  init(sizes: [Int]) throws {
    let scratch = ScratchFolder()
    self.scratch = scratch
    archive = try File.open(scratch.path("archive.zip"), .create)
    var generator = SeededNumbers(seed: 3)
    contents = sizes.map { size in
      let words = (0..<(size + 7) / 8).map { _ in generator.next() }
      return words.withUnsafeBytes { Array($0.prefix(size)) }
    }
    items = try contents.enumerated().map { index, bytes in
      let path = try scratch.write(bytes, to: "\(index)")
      return PipelineItem(
        entryName: "photos/\(index).jpg", size: bytes.count, modified: 1_700_000_000_000,
        bytes: .file(path) { () throws(FileError) in try File.open(path, .read) })
    }
  }

  func remove(_ index: Int) throws { try scratch.remove("\(index)") }

  func resize(_ index: Int, to size: Int) throws {
    try File.open(scratch.path("\(index)"), .readWrite).resize(to: size)
  }

  func archive(options: PhotoPipeline.Options) throws -> PhotoPipeline.Result {
    let text = PipelineText(entryName: "metadata.json", modified: 0) { digests, write in
      try Array(digests.map(\.description).joined(separator: "\n").utf8).withUnsafeBytes(write)
    }
    return try PhotoPipeline(items: items, options: options).write([text], to: archive)
  }

  /// The bytes of the stored entries, found through the local headers.
  func entries() throws -> [[UInt8]] {
    let bytes = try scratch.bytes("archive.zip")
    return LocalHeader.all(in: bytes).filter { $0.method == 0 }.map { Array(bytes[$0.data]) }
  }

  /// What the installed archive programs complain about.
  func complaints() throws -> [String] { try Programs.complaints(about: scratch.path("archive.zip")) }
}
