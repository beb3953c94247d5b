import Checksums
import FileSystem
import Operations
import Zip

/// One photo on its way into the staging folder: every byte is counted and hashed as it passes.
final class ExtractedPhoto: HashableStream {
  /// This photo of the backup is not what it should be; the others are not concerned.
  struct Damage: Error {
    var reason: String
  }

  let item: Extraction.Item
  /// Its bytes that have been written.
  private(set) var count = 0
  private let output: File
  private let extraction: Extraction
  private let readNext: (UnsafeMutableRawBufferPointer) throws -> Int

  /// - Parameter readNext: gives the photo's next bytes, where it is read side by side with others.
  init(
    _ item: Extraction.Item, to output: consuming File, of extraction: Extraction,
    _ readNext: @escaping (UnsafeMutableRawBufferPointer) throws -> Int = { _ in 0 }
  ) {
    self.item = item
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
    guard count + bytes.count <= item.size else { throw Damage(reason: "it is longer than it should be") }
    try output.write(bytes, at: count)
    count += bytes.count
    extraction.counter.advance(bytes: bytes.count)
  }

  func finish(_ digest: MD5Digest) throws {
    guard count == item.size, digest == item.md5 else {
      return try fail(Damage(reason: "its MD5 is \(digest) and should be \(item.md5)"))
    }
    try output.setModified(milliseconds: item.modified)
    if extraction.change.syncs { output.startWriteBack(from: 0, count: count) }
    extraction.counter.advance(items: 1)
  }

  /// Notes what concerns this photo alone, and throws everything else.
  func fail(_ error: any Error) throws {
    let reason: String
    switch error {
    case let damage as Damage:
      reason = damage.reason
    case let error as ArchiveError:
      guard let fault = error.faultOfOneEntry else { throw error }
      reason = fault
    default:
      throw error
    }
    try extraction.giveUp(self, reason)
  }
}
