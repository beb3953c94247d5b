import CLibZip

/// The libzip source of one entry of an encrypted archive.
final class EntrySource: LibzipSource {
  private let session: WriteSession
  /// The number of the entry. The stored ones are the first.
  private let number: Int
  private let contents: NewEntry.Contents
  /// Nil until libzip asks for it.
  private var size: Int?
  private var text: [UInt8] = []
  private var given = 0

  init(_ session: WriteSession, _ number: Int, _ contents: NewEntry.Contents) {
    (self.session, self.number, self.contents) = (session, number, contents)
    super.init()
    // the session has the actual error
    zip_error_set(&error, ZIP_ER_INTERNAL, 0)
  }

  /// Returns the size to report to libzip; nil to report none, which makes libzip use ZIP64. libzip asks before it
  /// writes the local header, and again afterwards.
  private func reportedSize() throws -> Int? {
    switch contents {
    case .stored(let size):
      let numbers = EntryNumbers(encrypting: size)
      if self.size == nil { try session.prepare(number, numbers) }
      self.size = size
      return numbers.needsForcedZip64 ? nil : size
    case .text(let render, _):
      if let size { return size }
      try session.endStored()
      try session.checkCancelled()
      try render { text += $0 }
      guard text.count < ExtraFields.zip64Limit else {
        throw ArchiveWriteError.textTooLong(bytes: text.count)
      }
      size = text.count
      try session.prepare(number, EntryNumbers(size: text.count, compressedSize: 0))
      return text.count
    }
  }

  private func read(_ destination: UnsafeMutableRawBufferPointer) throws -> Int {
    switch contents {
    case .stored(let size):
      let wanted = min(destination.count, size - given)
      if wanted == 0 { return 0 }
      let count = try session.readStored(
        number, into: UnsafeMutableRawBufferPointer(rebasing: destination[..<wanted]), after: given)
      given += count
      return count
    case .text:
      let count = min(destination.count, text.count - given)
      text.withUnsafeBytes { destination.copyMemory(from: .init(rebasing: $0[given..<given + count])) }
      given += count
      return count
    }
  }

  override func perform(
    _ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: Int
  ) throws -> Int {
    switch command {
    case ZIP_SOURCE_READ:
      return try read(UnsafeMutableRawBufferPointer(start: data, count: length))
    case ZIP_SOURCE_OPEN:
      // libzip has written a header; it writes only the entry's bytes until CLOSE
      given = 0
      session.sink.isWritingData = true
      return 0
    case ZIP_SOURCE_CLOSE:
      session.sink.isWritingData = false
      text = []
      return 0
    case ZIP_SOURCE_STAT:
      let size = try reportedSize()
      guard let stat = data?.assumingMemoryBound(to: zip_stat_t.self) else { return -1 }
      if let size {
        stat.pointee.size = UInt64(size)
        stat.pointee.valid |= UInt64(ZIP_STAT_SIZE)
      }
      return MemoryLayout<zip_stat_t>.size
    default:
      return -1
    }
  }

  override func fail(_ error: any Error) { session.fail(error) }
}
