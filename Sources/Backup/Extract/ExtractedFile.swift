import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage
import Zip

/// Writes one photo into a hidden file of its folder, and counts and hashes every byte. Removes the file if the
/// photo is not completed.
final class ExtractedFile: HashableStream {
  private let item: ExtractPlan.Item
  private let photo: ExtractPublication.Photo
  private let publication: ExtractPublication
  private let counter: ProgressCounter
  private let finishPhoto: (_ fault: String?) -> Void
  private let noteDate: (_ error: String) -> Void
  private let output: File
  private let readNext: (UnsafeMutableRawBufferPointer) throws -> Int
  private var count = 0
  private var isHandedOn = false

  /// - Parameters:
  ///   - finishPhoto: called once, with the fault of the photo, or nil if it is intact.
  ///   - noteDate: called with the error if the date could not be set.
  ///   - readNext: reads the photo's next bytes, if the photo is read concurrently with others.
  init(
    _ item: ExtractPlan.Item, as photo: ExtractPublication.Photo, to publication: ExtractPublication,
    _ counter: ProgressCounter, finishPhoto: @escaping (_ fault: String?) -> Void,
    noteDate: @escaping (_ error: String) -> Void,
    _ readNext: @escaping (UnsafeMutableRawBufferPointer) throws -> Int = { _ in 0 }
  ) throws {
    self.item = item
    self.photo = photo
    self.publication = publication
    self.counter = counter
    (self.finishPhoto, self.noteDate) = (finishPhoto, noteDate)
    self.readNext = readNext
    output = try publication.target.root.open(photo.hidden, .create)
  }

  deinit {
    if !isHandedOn { _ = try? publication.target.root.remove(photo.hidden) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try readNext(buffer)
    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Writes the next bytes.
  func take(_ bytes: UnsafeRawBufferPointer) throws {
    try counter.checkCancellation()
    try output.write(bytes, at: count)
    count += bytes.count
    counter.advance(bytes: bytes.count)
  }

  func finish(_ digest: MD5Digest) throws {
    guard count == item.size, item.md5.map({ $0 == digest }) ?? true else {
      return reportCorrupt(
        item.md5.map { "its MD5 is \(digest) and should be \($0)" }
          ?? "it has \(Count(count, "byte")) and should have \(item.size)")
    }
    do {
      try output.setModified(milliseconds: item.modified)
    } catch {
      noteDate("\(error)")
    }
    output.startWriteBack(from: 0, count: count)
    isHandedOn = true
    counter.advance(items: 1)
    finishPhoto(nil)
    try publication.add(photo)
  }

  /// Records an error that concerns only this photo, and throws any other error.
  func fail(_ error: any Error) throws {
    guard let reason = (error as? ArchiveError)?.faultOfOneEntry else { throw error }
    reportCorrupt(reason)
  }

  private func reportCorrupt(_ reason: String) {
    finishPhoto(reason)
    counter.advance(items: 1, bytes: item.size - count)
  }
}
