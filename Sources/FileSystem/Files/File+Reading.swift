extension File {
  /// Reads the whole file, whose size another user may have chosen. Blocks.
  ///
  /// - Returns: nil if the file has more than `limit` bytes. Then nothing was read.
  package func contents(atMost limit: Int) throws(FileError) -> [UInt8]? {
    let size = try status().size
    return size <= limit ? try read(size, at: 0) : nil
  }

  /// Reads the file to its end, in pieces of up to 256 KiB, and returns the number of bytes. Blocks.
  ///
  /// - Throws: `FileError`; `MemoryShortage`; what `body` throws.
  package func readPieces(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
    let buffer = try UnsafeMutableRawBufferPointer.pages(byteCount: 1 << 18)
    defer { buffer.freePages() }
    var offset = 0
    while true {
      let count = try read(into: buffer, at: offset)
      if count > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      offset += count
      if count < buffer.count { return offset }
    }
  }

  /// A file cannot be read, as opposed to an error of the function that receives its bytes.
  package struct Unreadable: Error {
    /// The reason.
    package let error: FileError
  }

  /// Opens a file and reads it to its end, in pieces of up to 256 KiB. Blocks.
  ///
  /// - Returns: the status of the file after its last byte was read.
  /// - Throws: `Unreadable` if it cannot be opened or read; `FileError` if the process or the system lacks a resource,
  ///   which tells nothing about the file; what `body` throws.
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
  ) throws -> Value {
    do {
      return try body()
    } catch {
      if error.cause == .environment { throw error }
      throw Unreadable(error: error)
    }
  }
}
