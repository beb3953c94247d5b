extension File {
  /// A file that was to be read cannot be, as opposed to whatever its bytes are for.
  package struct Unreadable: Error {
    /// Why.
    package let error: FileError
  }

  /// Opens a file and reads it to its end, in pieces of up to 256 KiB. Blocks.
  ///
  /// - Returns: what the kernel knows of the file after its last byte was read.
  /// - Throws: `Unreadable` if it cannot be opened or read; what `body` throws.
  @discardableResult
  package static func readPieces(
    opening open: () throws(FileError) -> File, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> FileStatus {
    let file = try orUnreadable(open)
    let buffer = try UnsafeMutableRawBufferPointer.pages(byteCount: 1 << 18)
    defer { buffer.freePages() }
    var offset = 0
    while true {
      let count = try orUnreadable { () throws(FileError) in try file.read(into: buffer, at: offset) }
      if count == 0 { return try orUnreadable { () throws(FileError) in try file.status() } }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  private static func orUnreadable<Value: ~Copyable>(
    _ body: () throws(FileError) -> Value
  ) throws(Unreadable) -> Value {
    do {
      return try body()
    } catch {
      throw Unreadable(error: error)
    }
  }
}
