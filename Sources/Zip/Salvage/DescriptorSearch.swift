import FileSystem
import Operations

/// Finds where data ends that does not end by itself and whose header does not tell its length: before a
/// descriptor that does.
struct DescriptorSearch {
  private let file: ArchiveFile
  private let header: SalvagedHeader
  private let name: String
  private let site: Int
  private let limits: Limits
  private let probe: DataProbe
  private static let window = 1 << 20
  /// Headers before which a descriptor without a mark is looked for.
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

  /// The entry, and where its descriptor ends. Reads on to the end of the file if there is none.
  mutating func find(before headers: ArraySlice<Int>) throws -> (Entry, end: Int)? {
    if let found = try findUnmarked(before: headers.prefix(Self.maximumHeaders)) { return found }
    return try findMarked()
  }

  private func findUnmarked(before headers: ArraySlice<Int>) throws -> (Entry, end: Int)? {
    for end in headers {
      for length in [12, 20] where end - length >= header.dataOffset {
        guard probe.canSpend(1024, from: .searches) else { return nil }
        probe.spend(1024, from: .searches)
        let bytes = try probe.bytes(length, at: end - length)
        if let found = try entry(bytes, at: end - length) { return found }
      }
    }
    return nil
  }

  private func findMarked() throws -> (Entry, end: Int)? {
    // what is found costs nothing: not to have the means for the worst is no reason not to look
    guard probe.canSpend(0, from: .searches) else { return nil }
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
      while let found = buffer.bytes.firstMark(from: position) {
        position = found
        let bytes = Array(buffer.bytes[position...].prefix(DataDescriptor.maximumLength))
        let place = start + position
        if bytes.count < DataDescriptor.maximumLength,
          place + DataDescriptor.maximumLength <= file.status.size
        {
          break
        }
        if bytes.starts(with: [0x50, 0x4B, 7, 8]), let found = try entry(bytes, at: place) { return found }
        position += 1
      }
      guard start + buffer.count < file.status.size else { break }
      start += buffer.count - DataDescriptor.maximumLength
    }
    probe.spend(file.status.size - header.dataOffset, from: .searches)
    return nil
  }

  /// The entry whose descriptor stands at `place`, if its length and its checksum say so.
  private func entry(_ bytes: [UInt8], at place: Int) throws -> (Entry, end: Int)? {
    let length = place - header.dataOffset
    let descriptors = bytes.withUnsafeBytes { DataDescriptor.all(in: $0) }
    for descriptor in descriptors where descriptor.compressedSize == length {
      let entry = Entry(
        header, name: name, at: site, crc32: descriptor.crc32, compressedSize: length,
        size: descriptor.size)
      guard entry.isPossible(limits) else { continue }
      if try entry.isEncrypted || probe.check(entry, from: .searches).hasEnded {
        return (entry, place + descriptor.length)
      }
    }
    return nil
  }
}
