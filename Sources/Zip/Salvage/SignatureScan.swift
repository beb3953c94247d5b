import FileSystem
import Glibc
import Operations

/// Reads a whole file once and collects what may be records of an archive: the offsets of local headers, the fields of
/// directory records, and descriptors with a signature. It trusts none of them.
struct SignatureScan {
  /// The offsets of local headers, in order.
  private(set) var headers: [Int] = []
  /// Directory records, in the order of the file.
  private(set) var records: [SalvagedRecord] = []
  /// Descriptors with a signature, each with its offset and in each of its readings that can be right.
  private(set) var descriptors: [(offset: Int, descriptor: DataDescriptor)] = []
  /// The checksums of the file's beginning.
  private(set) var checksums: PrefixChecksums
  /// How far the offsets in the directory may be shifted, according to the end records.
  private(set) var shifts: [Int] = []
  /// What the end records directly behind a directory record declare, by their offsets.
  private var declared: [Int: (count: Int, size: Int)] = [:]

  private static let window = 1 << 20
  /// Bytes that two windows share, so that the fixed part of every record is in one window.
  private static let overlap = 64
  private let limits: Limits
  /// The memory of the records' names. The next record may begin in the middle of a name: without a bound, a file of
  /// such records would take a hundred times its size.
  private var nameBytes = 0
  private let maximumNameBytes: Int
  /// The bytes of names and extra fields that were parsed to recognize records. The next record may begin in the middle
  /// of them.
  private var variableBytes = 0

  init(_ file: OpenFile, limits: Limits, whileReading: (Int) throws -> Void) throws {
    self.limits = limits
    checksums = PrefixChecksums(fileSize: file.status.size)
    maximumNameBytes = min(256 << 20, limits.maximumDirectoryBytes)
    let size = file.status.size
    var buffer = RecordBuffer(capacity: Self.window)
    var start = 0
    while start < size {
      try buffer.fill(min(Self.window, size - start), from: file.file, at: start)
      guard buffer.count == min(Self.window, size - start) else { throw ArchiveError.changed(file.file.path) }
      let isLast = start + buffer.count >= size
      let end = isLast ? buffer.count : buffer.count - Self.overlap
      try search(buffer.bytes, upTo: end, at: start, file)
      checksums.append(buffer.bytes.slice(0, end))
      try whileReading(end)
      start += end
    }
  }

  private mutating func search(
    _ bytes: UnsafeRawBufferPointer, upTo end: Int, at start: Int, _ file: OpenFile
  ) throws {
    var position = 0
    while let found = bytes.firstSignature(from: position), found < end {
      position = found
      defer { position += 1 }
      guard position <= bytes.count - 4 else { return }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      switch rest.u32(0) {
      case Signature.localHeader where rest.count >= RecordLength.localHeader:
        guard HeaderFields(localHeader: rest).canBeLocalHeader else { continue }
        headers.append(start + position)
      case Signature.descriptor:
        for descriptor in DataDescriptor.all(in: rest) where descriptor.hasSignature {
          // a descriptor that counts more bytes than precede it counts nothing
          guard descriptor.compressedSize <= start + position else { continue }
          descriptors.append((start + position, descriptor))
        }
      case Signature.directoryRecord where rest.count >= RecordLength.directoryRecord:
        let record = DirectoryRecord(rest)
        guard record.isPlausible else { continue }
        if let record = try SalvagedRecord(record, rest, at: start + position, in: file) {
          nameBytes += record.entry.rawName.count + record.entry.name.utf8.count
          guard nameBytes <= maximumNameBytes else {
            throw ArchiveError.tooManyNameBytes(file.file.path, limit: maximumNameBytes)
          }
          records.append(record)
        }
        variableBytes += record.fields.variableLength
        let limit = limits.maximumDirectoryBytes
        guard variableBytes <= limit else {
          throw ArchiveError.directoryTooLarge(file.file.path, bytes: variableBytes, limit: limit)
        }
      case Signature.end where rest.count >= RecordLength.end:
        note(
          count: UInt64(rest.u16(10)), size: UInt64(rest.u32(12)), offset: UInt64(rest.u32(16)),
          endsAt: start + position)
      case Signature.zip64End where rest.count >= RecordLength.zip64End:
        note(count: rest.u64(32), size: rest.u64(40), offset: rest.u64(48), endsAt: start + position)
      default: continue
      }
      let count = max(headers.count, records.count, descriptors.count / 2)
      guard count <= limits.maximumEntries else {
        throw ArchiveError.tooManyEntries(file.file.path, count: count, limit: limits.maximumEntries)
      }
    }
  }

  /// Records the shift of a directory of `size` bytes that ends here and declares to begin at `offset`. Keeps the last
  /// eight: the end records of archives within photos precede that of the archive.
  private mutating func note(count: UInt64, size: UInt64, offset: UInt64, endsAt end: Int) {
    guard let size = Int(exactly: size), let offset = Int(exactly: offset), size <= end else { return }
    if records.last?.end == end { declared[end] = (Int(clamping: count), size) }
    let shift = end - size - offset
    if shifts.contains(shift) { return }
    shifts.append(shift)
    if shifts.count > 8 { shifts.removeFirst() }
  }

  /// Returns true if a range of records is a complete directory: an end record follows and declares its count and size.
  func isComplete(_ run: Range<Int>) -> Bool {
    let (first, last) = (records[run.lowerBound], records[run.upperBound - 1])
    guard let declared = declared[last.end] else { return false }
    return declared == (run.count, last.end - first.position)
  }

  /// Returns the ranges of records without a gap between them.
  func runs() -> [Range<Int>] {
    guard !records.isEmpty else { return [] }
    var runs: [Range<Int>] = []
    var start = 0
    for index in 1...records.count
    where index == records.count || records[index].position != records[index - 1].end {
      runs.append(start..<index)
      start = index
    }
    return runs
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the position of the first "PK", with which every signature begins.
  func firstSignature(from position: Int) -> Int? {
    guard let baseAddress else { return nil }
    var position = position
    while position < count - 1,
      let found = memchr(baseAddress + position, CInt(UInt8(ascii: "P")), count - 1 - position)
    {
      position = UnsafeRawPointer(found) - baseAddress
      if self[position + 1] == UInt8(ascii: "K") { return position }
      position += 1
    }
    return nil
  }
}
