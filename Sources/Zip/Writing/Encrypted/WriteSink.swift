import FileSystem
import Glibc

/// The archive's file as libzip writes it: a position, and a buffer that merges libzip's small writes. libzip rewrites
/// each local header when the entry's CRC is known, which needs no system call if the header is still in the buffer.
struct WriteSink {
  /// The open archive file.
  private let file: UnsafePointer<File>
  /// True if libzip is writing an entry's data, which may look like a record.
  var isWritingData = false
  /// The offset of libzip's next write.
  private(set) var position = 0
  /// The archive's size so far.
  private(set) var end = 0

  /// The bytes of the file from `start` on that are not written yet.
  private var pending: [UInt8] = []
  private var start = 0
  private static let capacity = 256 << 10

  private var writeBack: WriteBack

  init(_ file: UnsafePointer<File>, startsWriteBack: Bool) {
    self.file = file
    writeBack = WriteBack(isOn: startsWriteBack)
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    if !isWritingData, let corrected = Zip64Boundary.correct(bytes) {
      try corrected.withUnsafeBytes { try store($0) }
    } else {
      try store(bytes)
    }
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws {
    let isContiguous = position >= start && position <= start + pending.count
    if !isContiguous || position - start + bytes.count > Self.capacity {
      try flush()
      start = position
    }
    if bytes.count > Self.capacity {
      try file.pointee.write(bytes, at: position)
      writeBack.add(position..<position + bytes.count)
      start = position + bytes.count
    } else {
      let index = position - start
      let overlap = min(pending.count - index, bytes.count)
      if overlap > 0 {
        pending.withUnsafeMutableBytes {
          UnsafeMutableRawBufferPointer(rebasing: $0[index..<index + overlap])
            .copyMemory(from: .init(rebasing: bytes[..<overlap]))
        }
      }
      pending.append(contentsOf: bytes[overlap...])
    }
    position += bytes.count
    end = max(end, position)
  }

  /// Moves the position as lseek(2) does.
  mutating func seek(_ offset: Int, from origin: CInt) -> Int {
    let base =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: end
      default: 0
      }
    guard base + offset >= 0 else { return -1 }
    position = base + offset
    return 0
  }

  mutating func flush() throws {
    if !pending.isEmpty { try file.pointee.write(pending, at: start) }
    writeBack.add(start..<start + pending.count)
    writeBack.start(in: file.pointee)
    start += pending.count
    pending.removeAll(keepingCapacity: true)
  }
}
