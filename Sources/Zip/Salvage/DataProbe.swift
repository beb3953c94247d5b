import CLibZip
import Checksums
import FileSystem
import SystemPackage

/// Looks at data whose headers cannot be trusted: where deflated data ends, and whether data has the checksum
/// that somebody says. What is expanded is counted and thrown away.
///
/// What is read and expanded in vain is paid for, and stops where nothing is left.
final class DataProbe {
  /// Out of what it is paid. Proofs have a purse of their own, so that searching behind a few damaged headers does not
  /// keep whole entries from being found where the directory or a header has them.
  enum Purse {
    /// For finding out whether data is what a header or the directory says of it.
    case proofs
    /// For finding out where data ends.
    case searches
  }

  /// How data was found to end.
  enum Outcome: Equatable {
    /// At its own end.
    case ended(compressedSize: Int, size: Int, crc32: UInt32)
    /// The file ends first.
    case truncated
    /// It is no such data, or it expands beyond reason.
    case broken
  }

  /// Something was not done, or not to its end, for want of means. Whoever asks clears it before.
  var hasRefused = false

  /// Bytes that may still be read or expanded in vain.
  private var left: (proofs: Int, searches: Int)

  private let file: ArchiveFile
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  let whileReading: (Int) throws -> Void
  /// Expanding to more than so many times the data is no photo, and no metadata either; but for its beginning.
  private static let maximumRatio = 256
  private static let maximumBeginning = 32 << 20
  /// What is read first of deflated data. Then it is as much as before: little of what is short is read in vain.
  private static let firstPiece = 4096

  init(_ file: ArchiveFile, whileReading: @escaping (Int) throws -> Void) {
    self.file = file
    self.whileReading = whileReading
    let (product, overflow) = file.status.size.multipliedReportingOverflow(by: 8)
    let purse = overflow ? .max : product + 64 << 20
    left = (purse, purse)
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Whether there are means for so much work, should it lead nowhere.
  func canSpend(_ bytes: Int, from purse: Purse) -> Bool {
    if bytes < left(in: purse) { return true }
    hasRefused = true
    return false
  }

  /// Pays for work that led nowhere.
  func spend(_ bytes: Int, from purse: Purse) {
    switch purse {
    case .proofs: left.proofs -= min(left.proofs, bytes)
    case .searches: left.searches -= min(left.searches, bytes)
    }
  }

  private func left(in purse: Purse) -> Int {
    switch purse {
    case .proofs: left.proofs
    case .searches: left.searches
    }
  }

  /// Expands deflated data until it ends by itself. With `within`, it has that many bytes. Where it has ended, whoever
  /// does not believe that it is the right data pays for it.
  func inflate(
    at offset: Int, within length: Int? = nil, maximumSize: Int? = nil, from purse: Purse
  ) throws -> Outcome {
    guard canSpend(0, from: purse) else { return .broken }
    guard var inflation = Inflation() else {
      throw ArchiveError.libzip(file.file.path, code: ZIP_ER_MEMORY, text: "out of memory")
    }
    var (taken, size) = (0, 0)
    var checksum = CRC32()
    while true {
      let piece = min(input.count, max(Self.firstPiece, taken))
      let count = try read(min(piece, (length ?? .max) - taken), at: offset + taken)
      if count == 0 { return fail(.truncated, taken + size, from: purse) }
      taken += count
      try whileReading(count)
      var waiting = UnsafeRawBufferPointer(rebasing: input[..<count])
      var isFull = true
      while isFull, inflation.state == .running {
        let (used, produced) = inflation.expand(waiting, into: output)
        waiting = UnsafeRawBufferPointer(rebasing: waiting[used...])
        checksum.update(UnsafeRawBufferPointer(rebasing: output[..<produced]))
        size += produced
        try whileReading(produced)
        isFull = produced == output.count
        let limit = maximumSize ?? taken * Self.maximumRatio + Self.maximumBeginning
        guard inflation.state != .broken, size <= limit, canSpend(taken + size, from: purse) else {
          return fail(.broken, taken + size, from: purse)
        }
      }
      if inflation.state == .ended {
        return .ended(compressedSize: taken - waiting.count, size: size, crc32: checksum.value)
      }
    }
  }

  /// Whether the bytes of a range have a checksum.
  private func has(_ crc32: UInt32, at offset: Int, length: Int, from purse: Purse) throws -> Outcome {
    guard canSpend(length, from: purse) else { return .broken }
    var checksum = CRC32()
    var taken = 0
    while taken < length {
      let count = try read(min(input.count, length - taken), at: offset + taken)
      if count == 0 { return fail(.truncated, taken, from: purse) }
      checksum.update(UnsafeRawBufferPointer(rebasing: input[..<count]))
      taken += count
      try whileReading(count)
    }
    guard checksum.value == crc32 else { return fail(.broken, taken, from: purse) }
    return .ended(compressedSize: length, size: length, crc32: crc32)
  }

  /// Looks for data that begins at an offset and has a checksum, and ends at one of these places: with nothing behind
  /// it, or a descriptor.
  func search(for crc32: UInt32, at offset: Int, ends: [Int]) throws -> Outcome {
    // each place takes time too, however near it is
    let overhead = ends.count << 10
    guard canSpend(overhead, from: .searches) else { return .broken }
    let candidates = Set(ends.flatMap { end in ([0] + DataDescriptor.lengths).map { end - $0 - offset } })
    var checksum = CRC32()
    var taken = 0
    for length in candidates.sorted() where length > 0 {
      while taken < length {
        let count = try read(min(input.count, length - taken), at: offset + taken)
        checksum.update(UnsafeRawBufferPointer(rebasing: input[..<count]))
        taken += count
        try whileReading(count)
        guard count > 0, canSpend(overhead + taken, from: .searches) else {
          return fail(.broken, overhead + taken, from: .searches)
        }
      }
      if checksum.value == crc32 {
        return .ended(compressedSize: length, size: length, crc32: crc32)
      }
    }
    return fail(.broken, overhead + taken, from: .searches)
  }

  /// Whether an entry's data is what its headers say, as far as that can be told without a password.
  func check(_ entry: Entry, from purse: Purse = .proofs) throws -> Outcome {
    guard entry.compressedSize <= file.status.size - entry.dataOffset else { return .truncated }
    let expected = Outcome.ended(
      compressedSize: entry.compressedSize, size: entry.size, crc32: entry.crc32)
    switch entry.method {
    case _ where entry.isEncrypted: return .broken
    case 0:
      guard entry.size == entry.compressedSize else { return .broken }
      return try has(entry.crc32, at: entry.dataOffset, length: entry.size, from: purse)
    case 8:
      let outcome = try inflate(
        at: entry.dataOffset, within: entry.compressedSize, maximumSize: entry.size, from: purse)
      if outcome == expected { return expected }
      disbelieve(outcome, from: purse)
      return .broken
    default:
      return try checkByLibrary(entry, from: purse) ? expected : .broken
    }
  }

  private func checkByLibrary(_ entry: Entry, from purse: Purse) throws -> Bool {
    struct Unaffordable: Error {}
    // libzip looks for the end of an archive before it opens one
    var work = 128 << 10 + entry.compressedSize
    guard canSpend(work, from: purse) else { return false }
    do {
      let single = Archive(salvagedFrom: file, entries: [entry])
      var reader = try EntryReader(single)
      try reader.read(entry) { bytes in
        work += bytes.count
        try whileReading(bytes.count)
        guard canSpend(work, from: purse) else { throw Unaffordable() }
      }
      return true
    } catch let error as ArchiveError {
      if error.isEnvironmentFailure { throw error }
    } catch is Unaffordable {}
    spend(work, from: purse)
    return false
  }

  /// Pays for data that has ended, and is not what was looked for.
  func disbelieve(_ outcome: Outcome, from purse: Purse) {
    guard case .ended(let compressedSize, let size, _) = outcome else { return }
    spend(Self.firstPiece + 2 * compressedSize + size, from: purse)
  }

  /// Some bytes of the file, fewer at its end.
  func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
    try ArchiveError.onFile { () throws(FileError) in try file.file.read(count, at: offset) }
  }

  private func read(_ count: Int, at offset: Int) throws -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
    return try ArchiveError.onFile { () throws(FileError) in try file.file.read(into: part, at: offset) }
  }

  private func fail(_ outcome: Outcome, _ bytes: Int, from purse: Purse) -> Outcome {
    spend(bytes, from: purse)
    return outcome
  }
}
