import CLibZip
import FileSystem
import SystemPackage

/// One entry, shown to libzip as an archive of its own: a local header and directory written here from what
/// the scan found, around the entry's data in the file.
///
/// So libzip expands and decrypts, and decides nothing: it never sees the names, extra fields, comments and
/// end records of a foreign archive, of which it takes another view than the scan in several corners, and a
/// reader does not parse a directory of 100,000 entries for each of its threads.
///
/// Not thread safe; it belongs to one `EntryReader`, and libzip holds it while an entry is open.
final class EntryView {
  /// How libzip is to see the entry.
  enum Disguise {
    /// As it is.
    case none
    /// As one of unknown checksum. libzip 1.7.3 looks for a checksum in AE-2 entries of 20 bytes and more,
    /// which have none, and reports them as damaged; it leaves smaller ones alone.
    case withoutChecksum
    /// As compressed, so that libzip can be asked for the decrypted bytes as they are.
    case deflated
  }

  private let file: ArchiveFile
  /// What is shown before, of and after the entry's data.
  private var head: [UInt8] = []
  private var data = 0..<0
  private var tail: [UInt8] = []
  private var position = 0
  private var error = zip_error_t()
  /// Why the file could not be read, if it could not.
  private(set) var failure: FileError?

  /// Bytes read ahead, since libzip expands from pieces of 8 KiB.
  private let ahead: UnsafeMutableRawBufferPointer
  private var aheadRange = 0..<0

  /// libzip looks for end records in the last 65,577 bytes. That many zeros between the data and the
  /// directory keep it from finding any in the data.
  private static let gap = 66_000

  /// `ahead` belongs to the reader, and outlives every entry that it opens.
  init(_ file: ArchiveFile, ahead: UnsafeMutableRawBufferPointer) {
    self.file = file
    self.ahead = ahead
  }

  /// Shows another entry.
  func show(_ entry: Entry, as disguise: Disguise) {
    let archive = SingleEntryArchive(entry, disguise)
    head = archive.head
    data = entry.dataOffset..<entry.dataOffset + entry.compressedSize
    tail = archive.tail(at: head.count + data.count + Self.gap)
    position = 0
    failure = nil
    // the file may have been shown long ago
    aheadRange = 0..<0
  }

  /// A libzip source over the view; libzip frees it, and holds the view until then.
  func source() -> OpaquePointer? {
    let context = Unmanaged.passRetained(self)
    let source = zip_source_function_create(
      { context, data, length, command in
        guard let context else { return -1 }
        let view = Unmanaged<EntryView>.fromOpaque(context)
        if command == ZIP_SOURCE_FREE {
          view.release()
          return 0
        }
        return view.takeUnretainedValue().answer(command, data, Int(length))
      }, context.toOpaque(), nil)
    if source == nil { context.release() }
    return source
  }

  private var length: Int { head.count + data.count + Self.gap + tail.count }

  private static let commands = [
    ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
    ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
  ].reduce(zip_int64_t(0)) { $0 | 1 << $1.rawValue }

  private func answer(
    _ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ count: Int
  ) -> zip_int64_t {
    switch command {
    case ZIP_SOURCE_OPEN:
      position = 0
      return 0
    case ZIP_SOURCE_READ:
      return read(into: UnsafeMutableRawBufferPointer(start: data, count: count))
    case ZIP_SOURCE_CLOSE: return 0
    case ZIP_SOURCE_STAT:
      guard let status = data?.assumingMemoryBound(to: zip_stat_t.self) else { return -1 }
      zip_stat_init(status)
      status.pointee.size = zip_uint64_t(length)
      status.pointee.valid = zip_uint64_t(ZIP_STAT_SIZE)
      return zip_int64_t(MemoryLayout<zip_stat_t>.size)
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&error, data, zip_uint64_t(count))
    case ZIP_SOURCE_SEEK:
      let target = zip_source_seek_compute_offset(
        zip_uint64_t(position), zip_uint64_t(length), data, zip_uint64_t(count), &error)
      guard target >= 0 else { return -1 }
      position = Int(target)
      return 0
    case ZIP_SOURCE_TELL: return zip_int64_t(position)
    case ZIP_SOURCE_SUPPORTS: return Self.commands
    default:
      zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0)
      return -1
    }
  }

  /// Reads from the part that `position` is in; less than asked for where the part ends.
  private func read(into buffer: UnsafeMutableRawBufferPointer) -> zip_int64_t {
    let dataStart = head.count
    let gapStart = dataStart + data.count
    let tailStart = gapStart + Self.gap
    let count: Int
    if position < dataStart {
      count = min(buffer.count, dataStart - position)
      buffer.copyBytes(from: head[position..<position + count])
    } else if position < gapStart {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(gapStart - position))
      do {
        count = try readData(into: part, at: data.lowerBound + position - dataStart)
      } catch {
        failure = error
        zip_error_set(&self.error, ZIP_ER_READ, error.errno.rawValue)
        return -1
      }
    } else if position < tailStart {
      count = min(buffer.count, tailStart - position)
      buffer.prefix(count).initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      count = min(buffer.count, length - position)
      buffer.copyBytes(from: tail[(position - tailStart)..<(position - tailStart + count)])
    }
    position += count
    return zip_int64_t(count)
  }

  private func readData(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    if buffer.count >= ahead.count { return try file.file.read(into: buffer, at: offset) }
    if !aheadRange.contains(offset) {
      aheadRange = 0..<0
      let wanted = UnsafeMutableRawBufferPointer(rebasing: ahead.prefix(data.upperBound - offset))
      let count = try file.file.read(into: wanted, at: offset)
      aheadRange = offset..<offset + count
    }
    let count = min(buffer.count, aheadRange.upperBound - offset)
    guard count > 0 else { return 0 }
    let from = offset - aheadRange.lowerBound
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: ahead[from..<from + count]))
    return count
  }
}
