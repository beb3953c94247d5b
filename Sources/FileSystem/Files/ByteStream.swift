/// Bytes that a caller reads piece by piece to their end. Not thread safe.
package protocol ByteStream: AnyObject {
  /// Reads the next bytes into a buffer that is not empty, and returns their number. Returns 0 at the end, when the
  /// stream has compared the bytes with what its source declares. Blocks.
  ///
  /// - Throws: if the bytes cannot be read, or are corrupt.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Tells the kernel that the next bytes, at most `count`, will be read soon. Does nothing for other sources than
  /// files.
  func announceReading(count: Int)
}

extension ByteStream {
  package func announceReading(count: Int) {}

  /// Reads until the buffer is full or the stream ends, and returns the number of bytes.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}

/// The bytes of a file.
package final class FileStream: ByteStream {
  private let file: File
  private var position = 0
  private var isAtEnd = false

  /// Takes over a file that is open for reading.
  package init(_ file: consuming File) { self.file = file }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    if isAtEnd { return 0 }
    let count = try file.read(into: buffer, at: position)
    position += count
    isAtEnd = count < buffer.count
    return count
  }

  package func announceReading(count: Int) { file.announceReading(from: position, count: count) }
}
