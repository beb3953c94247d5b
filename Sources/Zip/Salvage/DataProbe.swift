import Checksums
import FileSystem

/// Examines data whose headers cannot be trusted: where deflated data ends, and whether data has an expected checksum.
/// It discards what it inflates.
///
/// It charges its budget for everything that it reads and inflates without result, and stops when the budget is used
/// up.
final class DataProbe {
  /// What the data at an offset is.
  enum Outcome: Equatable {
    /// Valid data with these numbers.
    case ended(compressedSize: Int, size: Int, crc32: UInt32)
    /// The file ends before the data does.
    case truncated
    /// Data of another kind or with another checksum, or data that inflates to an implausible size.
    case invalid
    /// The budget is used up.
    case refused

    var hasEnded: Bool {
      if case .ended = self { true } else { false }
    }
  }

  var budget: WorkBudget

  private let file: OpenFile
  private let checksums: PrefixChecksums
  private var startBlock = Block()
  private var endBlock = Block()
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  let whileReading: (Int) throws -> Void
  /// Neither photos nor metadata inflate to more than this multiple of their size, apart from their beginning.
  private static let maximumRatio = 256
  private static let maximumBeginning = 32 << 20
  /// The first read of deflated data. Each further read doubles the total, so that short data costs little.
  private static let firstPiece = 4096

  init(_ file: OpenFile, _ checksums: PrefixChecksums, whileReading: @escaping (Int) throws -> Void) {
    self.file = file
    self.checksums = checksums
    self.whileReading = whileReading
    budget = WorkBudget(fileSize: file.status.size)
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Inflates data until it ends by itself. It costs nothing if the data ends; a caller that does not accept the
  /// outcome calls `reject`.
  ///
  /// - Parameter length: how many bytes of the file the data has; nil for up to the end of the file.
  func inflate(
    at offset: Int, within length: Int? = nil, maximumSize: Int? = nil, for purpose: WorkBudget.Purpose
  ) throws -> Outcome {
    guard budget.canAfford(0, for: purpose) else { return .refused }
    var inflation = try Inflation(from: file.file.path)
    var (taken, size) = (0, 0)
    var checksum = CRC32()
    while true {
      let piece = min(input.count, max(Self.firstPiece, taken))
      let count = try read(min(piece, (length ?? .max) - taken), at: offset + taken)
      if count == 0 { return fail(.truncated, taken + size, for: purpose) }
      taken += count
      try whileReading(count)
      var waiting = UnsafeRawBufferPointer(rebasing: input[..<count])
      var isFull = true
      while isFull, inflation.state == .running {
        let (used, produced) = try inflation.expand(waiting, into: output)
        waiting = UnsafeRawBufferPointer(rebasing: waiting[used...])
        checksum.update(UnsafeRawBufferPointer(rebasing: output[..<produced]))
        size += produced
        try whileReading(produced)
        isFull = produced == output.count
        let limit = maximumSize ?? taken * Self.maximumRatio + Self.maximumBeginning
        guard inflation.state != .broken, size <= limit else {
          return fail(.invalid, taken + size, for: purpose)
        }
        guard budget.canAfford(taken + size, for: purpose) else {
          return fail(.refused, taken + size, for: purpose)
        }
      }
      if inflation.state == .ended {
        return .ended(compressedSize: taken - waiting.count, size: size, crc32: checksum.value)
      }
    }
  }

  /// Returns the checksum of a range of the file, which must not exceed the file. Reads at most two blocks of
  /// `PrefixChecksums`, and none if the last ones are needed again.
  func checksum(of range: Range<Int>) throws -> UInt32 {
    let start = try prefix(range.lowerBound, &startBlock)
    let end = try prefix(range.upperBound, &endBlock)
    return PrefixChecksums.checksum(after: start, of: end, length: range.count)
  }

  /// A block of the file that was read.
  private struct Block {
    var offset = -1
    var bytes: [UInt8] = []
  }

  private func prefix(_ offset: Int, _ block: inout Block) throws -> UInt32 {
    let (checksum, start) = checksums.before(offset)
    if start == offset { return checksum }
    if block.offset != start {
      block = Block(offset: start, bytes: try bytes(checksums.block, at: start))
      try whileReading(block.bytes.count)
    }
    guard offset - start <= block.bytes.count else { throw ArchiveError.changed(file.file.path) }
    var running = CRC32(checksum)
    block.bytes.withUnsafeBytes { running.update($0.slice(0, offset - start)) }
    return running.value
  }

  /// Compares the checksum of an entry's stored data.
  private func checkStored(_ entry: Entry) throws -> Outcome {
    // an attempt takes time, however little it reads
    guard budget.canAfford(Self.failedCheck, for: .verification) else { return .refused }
    guard try checksum(of: entry.dataOffset..<entry.dataEnd) == entry.crc32 else {
      return fail(.invalid, Self.failedCheck, for: .verification)
    }
    return .ended(compressedSize: entry.size, size: entry.size, crc32: entry.crc32)
  }

  private static let failedCheck = 1 << 10

  /// Searches for stored data with one of these checksums that begins at an offset, and ends at one of these ends or
  /// at a descriptor before one.
  func search(for crc32s: Set<UInt32>, at offset: Int, ends: [Int]) throws -> Outcome {
    let overhead = ends.count << 10
    guard budget.canAfford(overhead, for: .search) else { return .refused }
    let candidates = Set(ends.flatMap { end in ([0] + DataDescriptor.lengths).map { end - $0 } })
    // of several lengths the longest: a matching checksum of more data is better evidence
    for end in candidates.sorted(by: >) where end > offset && end <= file.status.size {
      let checksum = try checksum(of: offset..<end)
      if crc32s.contains(checksum) {
        return .ended(compressedSize: end - offset, size: end - offset, crc32: checksum)
      }
    }
    return fail(.invalid, overhead, for: .search)
  }

  /// Searches a range for stored data of this length and checksum at any offset. Reads the range once. Returns nil if it
  /// finds none, or if the budget is used up.
  func find(_ crc32: UInt32, length: Int, in range: Range<Int>) throws -> Int? {
    guard length > 0, range.count >= length, budget.pay(2 * range.count, for: .search) else { return nil }
    var window = PrefixChecksums.Window(length: length)
    // two readers of the same bytes: one at the end of the window, one at its start
    var (ahead, behind) = (Block(), Block())
    func byte(_ offset: Int, _ block: inout Block) throws -> UInt8 {
      if offset < block.offset || offset >= block.offset + block.bytes.count || block.offset < 0 {
        block = Block(offset: offset, bytes: try bytes(64 << 10, at: offset))
        try whileReading(block.bytes.count)
        guard !block.bytes.isEmpty else { throw ArchiveError.changed(file.file.path) }
      }
      return block.bytes[offset - block.offset]
    }
    for offset in range {
      window.append(try byte(offset, &ahead))
      let start = offset + 1 - length
      if start > range.lowerBound { window.remove(try byte(start - 1, &behind)) }
      if start >= range.lowerBound, window.checksum == crc32 { return start }
    }
    return nil
  }

  /// Checks that an entry's data has the sizes and the checksum of its headers. Encrypted data is invalid, since it
  /// cannot be checked without the password.
  func check(_ entry: Entry) throws -> Outcome {
    guard entry.compressedSize <= file.status.size - entry.dataOffset else { return .truncated }
    let expected = Outcome.ended(
      compressedSize: entry.compressedSize, size: entry.size, crc32: entry.crc32)
    switch entry.method {
    case _ where entry.isEncrypted: return .invalid
    case 0: return entry.size == entry.compressedSize ? try checkStored(entry) : .invalid
    case 8:
      let outcome = try inflate(
        at: entry.dataOffset, within: entry.compressedSize, maximumSize: entry.size, for: .verification)
      if outcome == expected || outcome == .refused { return outcome }
      reject(outcome, for: .verification)
      return .invalid
    default: return try checkByLibrary(entry) ?? expected
    }
  }

  /// Returns nil if libzip reads an entry to its end.
  private func checkByLibrary(_ entry: Entry) throws -> Outcome? {
    struct Refusal: Error {}
    // libzip searches for the end of an archive before it opens one
    var work = 128 << 10 + entry.compressedSize
    guard budget.canAfford(work, for: .verification) else { return .refused }
    do {
      let single = Archive(salvagedFrom: file, entries: [entry])
      var reader = try EntryReader(single)
      try reader.read(entry) { bytes in
        work += bytes.count
        try whileReading(bytes.count)
        guard budget.canAfford(work, for: .verification) else { throw Refusal() }
      }
      return nil
    } catch let error as ArchiveError {
      if !error.cause.isOfContent { throw error }
      return fail(.invalid, work, for: .verification)
    } catch is Refusal {
      return fail(.refused, work, for: .verification)
    }
  }

  /// Charges for data that ended and is not what the caller searched for.
  func reject(_ outcome: Outcome, for purpose: WorkBudget.Purpose) {
    guard case .ended(let compressedSize, let size, _) = outcome else { return }
    budget.charge(Self.firstPiece + 2 * compressedSize + size, for: purpose)
  }

  /// Reads bytes of the file, fewer at its end.
  func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
    try ArchiveError.onFile { () throws(FileError) in try file.file.read(count, at: offset) }
  }

  private func read(_ count: Int, at offset: Int) throws -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
    return try ArchiveError.onFile { () throws(FileError) in try file.file.read(into: part, at: offset) }
  }

  /// Charges for an attempt, and returns its outcome.
  private func fail(_ outcome: Outcome, _ bytes: Int, for purpose: WorkBudget.Purpose) -> Outcome {
    budget.charge(bytes, for: purpose)
    return outcome
  }
}
