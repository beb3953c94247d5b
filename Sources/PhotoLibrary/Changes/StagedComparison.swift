import Checksums
import FileSystem
import Glibc

/// Compares bytes with those of a staged file while they are read, and computes their content tag.
///
/// A leftover file is found by its MD5 and size, which another photo may have too. So it is used only after this
/// comparison.
package struct StagedComparison: ~Copyable {
  private let file: File
  private let buffer: UnsafeMutableRawBufferPointer
  private var tag: RunningContentTag
  private var position = 0
  /// False as soon as a byte differs.
  package private(set) var isEqual = true

  init(with file: consuming File, _ key: ContentTagKey) throws {
    buffer = try .pages(byteCount: 1 << 18)
    self.file = file
    tag = RunningContentTag(key)
  }

  deinit { buffer.freePages() }

  /// Compares the next bytes. Blocks.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes
    while isEqual, !rest.isEmpty {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, rest.count)])
      let count = try file.read(into: piece, at: position)
      let part = UnsafeRawBufferPointer(rebasing: rest[..<piece.count])
      guard count == piece.count, part.elementsEqualBytes(of: UnsafeRawBufferPointer(piece)) else {
        isEqual = false
        return
      }
      tag.update(part)
      position += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Returns the content tag of the bytes; nil if they differ from the file or are fewer. Blocks.
  package func finish() throws(FileError) -> ContentTag? {
    guard isEqual, try file.status().size == position else { return nil }
    return tag.value
  }
}

extension UnsafeRawBufferPointer {
  /// Compares as many bytes as this buffer has.
  fileprivate func elementsEqualBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = baseAddress, let end = other.baseAddress else {
      return count == other.count
    }
    return memcmp(start, end, count) == 0
  }
}
