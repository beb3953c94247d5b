import Crypto
import FileSystem

/// The SHA-256 of a file's bytes. Identifies a file even if another person made two files with one MD5.
package struct SHA256Digest: Hashable, Sendable {
  /// The thirty-two bytes.
  package let bytes: [UInt8]

  /// The number of bytes.
  package static let byteCount = 32

  /// Makes a digest of thirty-two bytes; returns nil for any other number.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads a file to its end. Blocks.
  ///
  /// - Parameter whileReading: called with the number of bytes of each piece; may throw to give up.
  /// - Throws: `FileError`, `MemoryShortage`, or the errors of `whileReading`.
  package init(of file: borrowing File, whileReading: (Int) throws -> Void = { _ in }) throws {
    let buffer = try UnsafeMutableRawBufferPointer.pages(byteCount: 1 << 18)
    defer { buffer.freePages() }
    var hash = SHA256()
    var offset = 0
    while true {
      let count = try file.read(into: buffer, at: offset)
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
      try whileReading(count)
      if count < buffer.count { break }
    }
    bytes = Array(hash.finalize())
  }
}
