import Checksums
import FileSystem
import Glibc
import Operations
import SystemPackage

/// Reads a whole file and collects what may be records of an archive: the offsets of local headers, and the fields of
/// directory records. It trusts none of them.
struct SignatureScan {
  /// The offsets of local headers, in order.
  private(set) var headers: [Int] = []
  /// The checksum of the name of each header, to compare with directory records.
  private var nameChecksums: [UInt32] = []
  /// Directory records, in the order of the file.
  private(set) var records: [SalvagedRecord] = []
  /// How far the offsets in the directory may be shifted, according to the end records.
  private(set) var shifts: [Int] = []

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

  init(_ file: ArchiveFile, limits: Limits, whileReading: (Int) throws -> Void) throws {
    self.limits = limits
    maximumNameBytes = min(256 << 20, limits.maximumDirectoryBytes)
    let size = file.status.size
    var buffer = RecordBuffer(capacity: Self.window)
    var start = 0
    while start < size {
      try ArchiveError.onFile { () throws(FileError) in
        try buffer.fill(min(Self.window, size - start), from: file.file, at: start)
      }
      guard buffer.count == min(Self.window, size - start) else { throw ArchiveError.changed(file.file.path) }
      let isLast = start + buffer.count >= size
      let end = isLast ? buffer.count : buffer.count - Self.overlap
      try search(buffer.bytes, upTo: end, at: start, file)
      try whileReading(end)
      start += end
    }
  }

  private mutating func search(
    _ bytes: UnsafeRawBufferPointer, upTo end: Int, at start: Int, _ file: ArchiveFile
  ) throws {
    var position = 0
    while let found = bytes.firstSignature(from: position), found < end {
      position = found
      defer { position += 1 }
      guard position <= bytes.count - 4 else { return }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      switch rest.u32(0) {
      case Signature.localHeader:
        guard SalvagedHeader.isPlausible(rest) else { continue }
        headers.append(start + position)
        nameChecksums.append(try nameChecksum(rest, at: start + position, in: file))
      case Signature.directoryRecord:
        guard let length = SalvagedRecord.variableLength(rest) else { continue }
        if let record = try SalvagedRecord(rest, at: start + position, in: file) { try keep(record, file) }
        variableBytes += length
        let limit = limits.maximumDirectoryBytes
        guard variableBytes <= limit else {
          throw ArchiveError.directoryTooLarge(file.file.path, bytes: variableBytes, limit: limit)
        }
      case Signature.end where rest.count >= RecordLength.end:
        note(size: UInt64(rest.u32(12)), offset: UInt64(rest.u32(16)), endsAt: start + position)
      case Signature.zip64End where rest.count >= RecordLength.zip64End:
        note(size: rest.u64(40), offset: rest.u64(48), endsAt: start + position)
      default: continue
      }
      let count = max(headers.count, records.count)
      guard count <= limits.maximumEntries else {
        throw ArchiveError.tooManyEntries(file.file.path, count: count, limit: limits.maximumEntries)
      }
    }
  }

  private mutating func keep(_ record: SalvagedRecord, _ file: ArchiveFile) throws(ArchiveError) {
    nameBytes += record.rawName.count + (record.name?.utf8.count ?? 0)
    guard nameBytes <= maximumNameBytes else {
      throw .tooManyNameBytes(file.file.path, limit: maximumNameBytes)
    }
    records.append(record)
  }

  private func nameChecksum(
    _ header: UnsafeRawBufferPointer, at offset: Int, in file: ArchiveFile
  ) throws -> UInt32 {
    let (fixed, length) = (RecordLength.localHeader, Int(header.u16(26)))
    if header.count >= fixed + length { return CRC32.of(header.slice(fixed, length)) }
    return CRC32.of(
      try ArchiveError.onFile { () throws(FileError) in try file.file.read(length, at: offset + fixed) })
  }

  /// Records the shift of a directory of `size` bytes that ends here and declares to begin at `offset`. Keeps the last
  /// eight: the end records of archives within photos precede that of the archive.
  private mutating func note(size: UInt64, offset: UInt64, endsAt end: Int) {
    guard let size = Int(exactly: size), let offset = Int(exactly: offset), size <= end else { return }
    let shift = end - size - offset
    if shifts.contains(shift) { return }
    shifts.append(shift)
    if shifts.count > 8 { shifts.removeFirst() }
  }

  /// A directory record that refers to an offset.
  struct Hint {
    var record: SalvagedRecord
    /// The greatest possible end of the entry: the next entry of the same directory, or the directory.
    var limit: Int
  }

  /// Returns the directory records by the offset of their entries. Corrects the offsets of each directory by the shift
  /// under which most of them lead to local headers: a prefix moves all entries by the same number of bytes.
  func hints() -> [Int: [Hint]] {
    guard !records.isEmpty else { return [:] }
    let names = Dictionary(zip(headers, nameChecksums), uniquingKeysWith: { first, _ in first })
    // the first few headers of each name, which yield a shift if no end record is left
    var places: [UInt32: [Int]] = [:]
    for (header, checksum) in zip(headers, nameChecksums) where places[checksum, default: []].count < 4 {
      places[checksum, default: []].append(header)
    }
    var hints: [Int: [Hint]] = [:]
    for run in runs() {
      // names are compared too: a directory within a photo would match offsets by chance
      func hits(_ shift: Int) -> Int {
        records[run].count { names[$0.headerOffset &+ shift] == CRC32.of($0.rawName) }
      }
      var best = (shift: 0, hits: hits(0))
      let first = records[run.lowerBound]
      let likely = places[CRC32.of(first.rawName)] ?? []
      for shift in shifts + likely.map({ $0 &- first.headerOffset }) {
        let hits = hits(shift)
        if hits > best.hits { best = (shift, hits) }
      }
      // if there are headers and no record leads to one, the directory belongs to another archive
      guard best.hits > 0 || headers.isEmpty else { continue }
      var limit = records[run.lowerBound].position
      var previous = limit
      for record in records[run].sorted(by: { $0.headerOffset > $1.headerOffset }) {
        let (site, overflow) = record.headerOffset.addingReportingOverflow(best.shift)
        guard !overflow, site < records[run.lowerBound].position else { continue }
        if site < previous { limit = previous }
        previous = site
        // two records of one offset: an older directory remains if entries were appended to the archive
        if hints[site, default: []].count < 2 {
          hints[site, default: []].append(Hint(record: record, limit: limit))
        }
      }
    }
    return hints
  }

  /// Returns the offsets of directories, in order.
  func directories() -> [Int] { runs().map { records[$0.lowerBound].position } }

  /// Returns the ranges of records without a gap between them.
  private func runs() -> [Range<Int>] {
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

extension SignatureScan.Hint {
  /// Returns where the data may begin of an entry whose local header is missing.
  func dataOffsets(at site: Int) -> [Int] {
    let start = site + RecordLength.localHeader + record.rawName.count
    // usual lengths of extra fields: that of the directory record, zero, Info-ZIP's, ZIP64's
    var offsets = [record.extraLength, 0, 28, 20].map { start + $0 }
    for descriptor in record.flags & Flag.descriptor == 0 ? [0] : [16, 12, 24, 20] {
      // the record's numbers may exceed every file, so the subtraction may wrap
      offsets.append(limit &- descriptor &- record.compressedSize)
    }
    var tried: Set<Int> = []
    return offsets.filter { $0 >= start && tried.insert($0).inserted }
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
