import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Writes a photo to the staging folder, and counts and hashes its bytes.
final class ExtractedPhoto: HashableStream {
  /// This photo is corrupt in the backup. Other photos are not affected.
  struct Damage: Error {
    var reason: String
    /// True if the disk could not read the photo, which says nothing about its bytes.
    var isOfDisk = false
  }

  let item: Placement.File
  /// The index of the photo in `Extraction.files`.
  let index: Int
  /// The number of written bytes.
  private(set) var count = 0
  private let output: File
  private let extraction: Extraction
  private let readNext: (UnsafeMutableRawBufferPointer) throws -> Int

  /// - Parameter readNext: reads the photo's next bytes, if the photo is read concurrently with others.
  init(
    _ item: Placement.File, at index: Int, to output: consuming File, of extraction: Extraction,
    _ readNext: @escaping (UnsafeMutableRawBufferPointer) throws -> Int = { _ in 0 }
  ) {
    (self.item, self.index) = (item, index)
    self.output = output
    self.extraction = extraction
    self.readNext = readNext
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try readNext(buffer)
    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Writes the next bytes.
  func take(_ bytes: UnsafeRawBufferPointer) throws {
    try extraction.counter.checkCancellation()
    guard count + bytes.count <= item.planned.content.size else {
      throw Damage(reason: "it is longer than it should be")
    }
    try output.write(bytes, at: count)
    count += bytes.count
    extraction.counter.advance(bytes: bytes.count)
  }

  func finish(_ digest: MD5Digest) throws {
    let content = item.planned.content
    guard FileContent(md5: digest, size: count) == content else {
      return try fail(Damage(reason: "its MD5 is \(digest) and should be \(content.md5)"))
    }
    try extraction.keep(output, of: item)
    extraction.reportIntact(at: index)
  }

  /// Records an error that concerns only this photo, and throws any other error.
  func fail(_ error: any Error) throws {
    switch error {
    case let damage as Damage:
      try extraction.reportCorrupt(self, damage)
    case let error as ArchiveError:
      guard let fault = error.faultOfOneEntry else { throw error }
      try extraction.reportCorrupt(self, Damage(reason: fault, isOfDisk: error.isOfDisk))
    default:
      throw error
    }
  }
}
