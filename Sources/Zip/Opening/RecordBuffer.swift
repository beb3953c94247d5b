import FileSystem

/// A buffer for records that are read from a file.
struct RecordBuffer: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Reads up to `length` bytes, fewer at the end of the file.
  init(reading length: Int, of file: borrowing File, at offset: Int) throws(ArchiveError) {
    self.init(capacity: length)
    try fill(length, from: file, at: offset)
  }

  deinit { memory.deallocate() }

  /// The bytes that the last `fill` read. Valid until the next `fill`.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory).slice(0, count) }

  /// Reads up to `length` bytes, fewer at the end of the file. `length` must not exceed the capacity.
  mutating func fill(_ length: Int, from file: borrowing File, at offset: Int) throws(ArchiveError) {
    precondition(length >= 0 && length <= memory.count)
    count = 0
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<length])
    count = try ArchiveError.onFile { () throws(FileError) in try file.read(into: part, at: offset) }
  }
}
