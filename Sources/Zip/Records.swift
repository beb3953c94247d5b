import FileSystem
import Glibc

/// The marks of the records of a ZIP file. APPNOTE 4.3.
enum Signature {
  static let localHeader: UInt32 = 0x0403_4B50
  static let descriptor: UInt32 = 0x0807_4B50
  static let directoryRecord: UInt32 = 0x0201_4B50
  static let end: UInt32 = 0x0605_4B50
  static let zip64End: UInt32 = 0x0606_4B50
  static let zip64Locator: UInt32 = 0x0706_4B50
  /// In front of an archive that was to be split and then fitted one file, beside `descriptor`. APPNOTE 8.5.4.
  static let temporarySpanning: UInt32 = 0x3030_4B50
}

/// The fixed lengths of the records, in bytes. APPNOTE 4.3.
enum RecordLength {
  static let localHeader = 30
  static let directoryRecord = 46
  static let end = 22
  static let zip64End = 56
  static let zip64Locator = 20
  static let maximumComment = 65_535
}

/// The general purpose flags that matter for reading. APPNOTE 4.4.4.
enum Flag {
  static let encrypted: UInt16 = 1 << 0
  static let descriptor: UInt16 = 1 << 3
  static let patchedData: UInt16 = 1 << 5
  static let strongEncryption: UInt16 = 1 << 6
  static let utf8: UInt16 = 1 << 11
  static let maskedHeaders: UInt16 = 1 << 13
}

/// Little-endian fields of a record. The caller has checked that they are inside; a mistake of ours stops
/// the program rather than reading foreign memory.
extension UnsafeRawBufferPointer {
  func u16(_ offset: Int) -> UInt16 {
    precondition(offset >= 0 && offset <= count - 2)
    return UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  func u32(_ offset: Int) -> UInt32 {
    precondition(offset >= 0 && offset <= count - 4)
    return UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  func u64(_ offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8)
    return UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  func slice(_ offset: Int, _ length: Int) -> UnsafeRawBufferPointer {
    precondition(offset >= 0 && length >= 0 && offset <= count - length)
    return UnsafeRawBufferPointer(rebasing: self[offset..<offset + length])
  }

  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let baseAddress, let start = other.baseAddress else { return count == 0 }
    return memcmp(baseAddress, start, count) == 0
  }
}

/// Little-endian fields of a record that is made.
extension [UInt8] {
  mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

/// Memory for records, freed with the value.
struct RecordBuffer: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// What the last `fill` read. Valid as long as the value lives and until the next `fill`.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory).slice(0, count) }

  /// Reads up to `length` bytes, fewer at the end of the file. `length` is within the capacity.
  mutating func fill(_ length: Int, from file: borrowing File, at offset: Int) throws(FileError) {
    precondition(length >= 0 && length <= memory.count)
    count = 0
    count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<length]), at: offset)
  }
}
