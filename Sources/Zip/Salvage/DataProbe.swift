import CLibZip
import Checksums
import FileSystem
import SystemPackage

/// Looks at data whose headers cannot be trusted: where deflated data ends, and whether data has the checksum
/// that somebody says. What is expanded is counted and thrown away.
final class DataProbe {
  /// How data was found to end.
  enum Outcome: Equatable {
    /// At its own end.
    case ended(compressedSize: Int, size: Int, crc32: UInt32)
    /// The file ends first.
    case cutOff
    /// It is no such data, or it expands beyond reason.
    case broken
  }

  /// Bytes that may still be read or expanded in vain.
  private(set) var budget: Int

  private let file: ArchiveFile
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  let whileReading: (Int) throws -> Void
  /// Expanding to more than so many times the data is no photo, and no metadata either.
  private static let maximumRatio = 256

  init(_ file: ArchiveFile, whileReading: @escaping (Int) throws -> Void) {
    self.file = file
    self.whileReading = whileReading
    let (product, overflow) = file.status.size.multipliedReportingOverflow(by: 8)
    budget = overflow ? .max : product + 64 << 20
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Pays for work that led nowhere; false once nothing is left.
  func spend(_ bytes: Int) -> Bool {
    budget -= min(budget, bytes)
    return budget > 0
  }

  /// Expands deflated data until it ends by itself. With `within`, it has that many bytes.
  func inflate(at offset: Int, within length: Int? = nil, maximumSize: Int? = nil) throws -> Outcome {
    guard var inflation = Inflation() else {
      throw ArchiveError.libzip(file.file.path, code: ZIP_ER_MEMORY, text: "out of memory")
    }
    var (taken, size) = (0, 0)
    var checksum = CRC32()
    while true {
      let count = try read(min(input.count, (length ?? .max) - taken), at: offset + taken)
      if count == 0 { return fail(.cutOff, taken + size) }
      taken += count
      try whileReading(count)
      var waiting = UnsafeRawBufferPointer(rebasing: input[..<count])
      var isFull = true
      while isFull, inflation.state == .running {
        let (used, produced) = inflation.expand(waiting, into: output)
        waiting = UnsafeRawBufferPointer(rebasing: waiting[used...])
        checksum.update(UnsafeRawBufferPointer(rebasing: output[..<produced]))
        size += produced
        isFull = produced == output.count
        let limit = maximumSize ?? taken * Self.maximumRatio + 1 << 20
        guard inflation.state != .broken, size <= limit else { return fail(.broken, taken + size) }
      }
      if inflation.state == .ended {
        return .ended(compressedSize: taken - waiting.count, size: size, crc32: checksum.value)
      }
    }
  }

  /// Whether the bytes of a range have a checksum.
  func has(_ crc32: UInt32, at offset: Int, length: Int) throws -> Outcome {
    var checksum = CRC32()
    var taken = 0
    while taken < length {
      let count = try read(min(input.count, length - taken), at: offset + taken)
      if count == 0 { return fail(.cutOff, taken) }
      checksum.update(UnsafeRawBufferPointer(rebasing: input[..<count]))
      taken += count
      try whileReading(count)
    }
    guard checksum.value == crc32 else { return fail(.broken, taken) }
    return .ended(compressedSize: length, size: length, crc32: crc32)
  }

  /// How long data is that begins at an offset and has a checksum, if it ends at one of these places: with nothing
  /// behind it, or a descriptor.
  func length(of crc32: UInt32, at offset: Int, ends: [Int]) throws -> Int? {
    let candidates = Set(ends.flatMap { end in ([0] + DataDescriptor.lengths).map { end - $0 - offset } })
    var checksum = CRC32()
    var taken = 0
    for length in candidates.sorted() where length > 0 {
      while taken < length {
        let count = try read(min(input.count, length - taken), at: offset + taken)
        guard count > 0, budget > taken else {
          _ = fail(.cutOff, taken)
          return nil
        }
        checksum.update(UnsafeRawBufferPointer(rebasing: input[..<count]))
        taken += count
        try whileReading(count)
      }
      if checksum.value == crc32 { return length }
    }
    _ = fail(.broken, taken)
    return nil
  }

  /// Whether an entry's data is what its headers say, as far as that can be told without a password.
  func check(_ entry: Entry) throws -> Outcome {
    guard entry.compressedSize <= file.status.size - entry.dataOffset else { return .cutOff }
    guard budget > 0 else { return .broken }
    let expected = Outcome.ended(
      compressedSize: entry.compressedSize, size: entry.size, crc32: entry.crc32)
    switch entry.method {
    case _ where entry.isEncrypted: return .broken
    case 0:
      guard entry.size == entry.compressedSize else { return .broken }
      return try has(entry.crc32, at: entry.dataOffset, length: entry.size)
    case 8:
      let outcome = try inflate(
        at: entry.dataOffset, within: entry.compressedSize, maximumSize: entry.size)
      return outcome == expected ? expected : fail(.broken, entry.compressedSize)
    default:
      var delivered = 0
      do {
        let single = Archive(salvagedFrom: file, entries: [entry])
        var reader = try EntryReader(single)
        try reader.read(entry) { bytes in
          delivered += bytes.count
          try whileReading(bytes.count)
        }
        return expected
      } catch let error as ArchiveError {
        if case .file = error { throw error }
        return fail(.broken, entry.compressedSize + delivered)
      }
    }
  }

  /// Some bytes of the file, fewer at its end.
  func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
    try ArchiveError.onFile { () throws(FileError) in try file.file.read(count, at: offset) }
  }

  private func read(_ count: Int, at offset: Int) throws -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
    return try ArchiveError.onFile { () throws(FileError) in try file.file.read(into: part, at: offset) }
  }

  private func fail(_ outcome: Outcome, _ bytes: Int) -> Outcome {
    _ = spend(bytes)
    return outcome
  }
}
