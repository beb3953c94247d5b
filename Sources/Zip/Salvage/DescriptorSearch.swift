import FileSystem
import Operations

/// Finds the end of data that does not end by itself and whose header has no sizes, by the descriptor after it.
struct DescriptorSearch {
  private let file: ArchiveFile
  private let header: SalvagedHeader
  private let name: String
  private let site: Int
  private let limits: Limits
  private let probe: DataProbe
  private static let window = 1 << 20
  /// The number of headers before which it searches for a descriptor without a signature.
  static let maximumHeaders = 64

  init(
    _ file: ArchiveFile, _ header: SalvagedHeader, name: String, at site: Int, _ limits: Limits,
    _ probe: DataProbe
  ) {
    self.file = file
    self.header = header
    self.name = name
    self.site = site
    self.limits = limits
    self.probe = probe
  }

  /// An entry and the end of its descriptor.
  typealias Match = (entry: Entry, end: Int)

  /// Searches, up to the end of the file if necessary.
  func find(before headers: ArraySlice<Int>) throws -> WorkBudget.Attempt<Match?> {
    var series = WorkBudget.Series()
    let unmarked = try findWithoutSignature(before: headers.prefix(Self.maximumHeaders))
    if let found = series.value(of: unmarked) ?? nil { return .done(found) }
    if let found = series.value(of: try findWithSignature()) ?? nil { return .done(found) }
    return series.nothing()
  }

  private func findWithoutSignature(before headers: ArraySlice<Int>) throws -> WorkBudget.Attempt<Match?> {
    var series = WorkBudget.Series()
    for end in headers {
      for length in [12, 20] where end - length >= header.dataOffset {
        guard case .done = probe.budget.pay(1024, for: .search) else { return .unaffordable }
        let bytes = try probe.bytes(length, at: end - length)
        if let found = try match(bytes, at: end - length, &series) { return .done(found) }
      }
    }
    return series.nothing()
  }

  private func findWithSignature() throws -> WorkBudget.Attempt<Match?> {
    // a search that succeeds costs nothing, so it is made even if the budget does not cover one that fails
    guard probe.budget.canAfford(0, for: .search) else { return .unaffordable }
    var series = WorkBudget.Series()
    var buffer = RecordBuffer(capacity: Self.window)
    var start = header.dataOffset
    while start < file.status.size {
      try ArchiveError.onFile { () throws(FileError) in
        try buffer.fill(Self.window, from: file.file, at: start)
      }
      guard buffer.count == min(Self.window, file.status.size - start) else {
        throw ArchiveError.changed(file.file.path)
      }
      try probe.whileReading(buffer.count)
      var position = 0
      while let found = buffer.bytes.firstSignature(from: position) {
        position = found
        let bytes = Array(buffer.bytes[position...].prefix(DataDescriptor.maximumLength))
        let place = start + position
        if bytes.count < DataDescriptor.maximumLength,
          place + DataDescriptor.maximumLength <= file.status.size
        {
          break
        }
        if bytes.starts(with: [0x50, 0x4B, 7, 8]), let found = try match(bytes, at: place, &series) {
          return .done(found)
        }
        position += 1
      }
      guard start + buffer.count < file.status.size else { break }
      start += buffer.count - DataDescriptor.maximumLength
    }
    probe.budget.charge(file.status.size - header.dataOffset, for: .search)
    return series.nothing()
  }

  /// Returns the entry whose descriptor is at `place`, if length and checksum match.
  private func match(_ bytes: [UInt8], at place: Int, _ series: inout WorkBudget.Series) throws -> Match? {
    let length = place - header.dataOffset
    let descriptors = bytes.withUnsafeBytes { DataDescriptor.all(in: $0) }
    for descriptor in descriptors where descriptor.compressedSize == length {
      let entry = Entry(
        header, name: name, at: site, crc32: descriptor.crc32, compressedSize: length,
        size: descriptor.size)
      guard entry.isPossible(limits) else { continue }
      let isValid =
        try entry.isEncrypted || series.value(of: probe.check(entry, for: .search))?.hasEnded ?? false
      if isValid { return (entry, place + descriptor.length) }
    }
    return nil
  }
}
