import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Puts the photos of a repaired archive in their places: each is written when its turn comes, expanded and
/// hashed on the way, and then read back from the file for `ArchiveWriter`, which computes the checksum of its entry.
final class RescuedContents: PlacedContents {
  private let items: [RepairPlan.Item]
  private let file: UnsafePointer<File>
  private let counter: ProgressCounter
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
  private var start = 0
  private var size = 0
  private var given = 0

  /// `file` is used until the archive is written.
  init(_ items: [RepairPlan.Item], _ file: UnsafePointer<File>, _ counter: ProgressCounter) {
    self.items = items
    self.file = file
    self.counter = counter
  }

  deinit { buffer.deallocate() }

  func open(_ index: Int, at offset: Int) throws {
    let item = items[index]
    (start, size, given) = (offset, item.size, 0)
    counter.advance(current: item.fileName)
    var hash = RunningMD5()
    var written = 0
    let fault = try item.bytes.read { bytes in
      try counter.checkCancellation()
      guard written + bytes.count <= item.size else { return written = .max / 2 }
      hash.update(bytes)
      try file.pointee.write(bytes, at: offset + written)
      written += bytes.count
      counter.advance(bytes: bytes.count)
    }
    // it was right a moment ago
    guard fault == nil, written == item.size, hash.digest == item.md5 else {
      throw BackupError.unstablePhoto("photos/\(item.fileName)", reason: fault ?? "its bytes have changed")
    }
    file.pointee.startWriteBack(from: offset, count: written)
    counter.advance(items: 1)
  }

  func next() throws -> UnsafeRawBufferPointer {
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - given)])
    let count = try file.pointee.read(into: wanted, at: start + given)
    given += count
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }

  func close() {}
}
