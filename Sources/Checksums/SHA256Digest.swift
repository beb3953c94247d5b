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
    var hash = SHA256()
    _ = try file.readPieces { piece in
      hash.update(bufferPointer: piece)
      try whileReading(piece.count)
    }
    bytes = Array(hash.finalize())
  }
}
