import FileSystem

/// Goes through a damaged file in order, from one place where an entry may begin to the next, and decides
/// what is an entry. What it takes never overlaps.
struct SalvageWalk {
  private(set) var entries: [Entry] = []
  private(set) var losses: [Salvage.Loss] = []
  private(set) var unproven: Set<Int> = []

  private let file: ArchiveFile
  private let scan: SignatureScan
  private let records: [Int: [SalvagedRecord]]
  private let sites: [Int]
  private let limits: Limits
  private let probe: DataProbe
  /// Where the last entry that was taken ends. What begins before is a part of it.
  private var cursor = 0
  /// Where the last entry that was not taken would have ended, had its header told the truth.
  private var doubtEnd = 0
  private var totalSize = 0

  init(
    _ file: ArchiveFile, _ scan: SignatureScan, limits: Limits,
    whileReading: @escaping (Int) throws -> Void
  ) {
    self.file = file
    self.scan = scan
    self.limits = limits
    records = scan.sites()
    let size = file.status.size
    sites = Set(scan.headers).union(records.keys.filter { (0..<size).contains($0) }).sorted()
    probe = DataProbe(file, whileReading: whileReading)
  }

  mutating func run() throws {
    for (position, site) in sites.enumerated() where site >= cursor {
      try visit(site, following: sites[(position + 1)...])
    }
    for (site, records) in records.sorted(by: { $0.key < $1.key })
    where !(0..<file.status.size).contains(site) {
      for record in records where !isInsideEntry(record.position) { lose(record.name, .cutOff) }
    }
  }

  private mutating func visit(_ site: Int, following: ArraySlice<Int>) throws {
    let records = records[site] ?? []
    if let header = try SalvagedHeader(file, at: site) {
      let record =
        records.first { $0.rawName == header.rawName } ?? records.first { header.isLike($0) }
      if try take(header, record, at: site, following) || record != nil { return }
    }
    for record in records where try take(record, at: site, following.first) { return }
    for record in records {
      lose(record.name, .overwritten)
      // what is left of it may hold headers of its own
      let end = site.addingReportingOverflow(record.compressedSize)
      doubtEnd = max(doubtEnd, min(end.overflow ? .max : end.partialValue, following.first ?? .max))
    }
  }

  // MARK: By the local header

  /// Takes the entry that a local header begins, or notes that it is lost.
  ///
  /// - Returns: false if there is none.
  private mutating func take(
    _ header: SalvagedHeader, _ record: SalvagedRecord?, at site: Int, _ following: ArraySlice<Int>
  ) throws -> Bool {
    let names = [header.name, record?.name].compactMap { $0 }
    let name = names.first { EntryName.fault(of: $0) == nil } ?? names.first
    guard let name else { return false }
    var candidates: [Entry] = []
    if header.hasSizes {
      candidates.append(
        Entry(
          header, name: name, at: site, crc32: header.crc32, compressedSize: header.compressedSize,
          size: header.size))
    }
    if let record {
      let entry = Entry(record, name: name, at: site, dataOffset: header.dataOffset)
      // two headers that say one thing are believed; the reader will say whether the bytes are right
      if entry.isPossible, entry.dataEnd <= file.status.size, candidates.isEmpty || header.isLike(record) {
        try accept(entry, end: try endOfDescriptor(entry))
        return true
      }
      candidates.append(entry)
    }
    if candidates.isEmpty { return try takeUnsized(header, name, at: site, following) }

    for entry in candidates where entry.isPossible && entry.dataEnd <= file.status.size {
      let end = try endOfDescriptor(entry)
      if try isFollowed(at: end) || (try probe.check(entry)).hasEnded {
        try accept(entry, end: end)
        return true
      }
    }
    loseUnlessDoubtful(
      name, probe.budget == 0 ? .notSearched : candidates[0].dataEnd > file.status.size ? .cutOff : .damaged,
      at: site)
    doubtEnd = max(doubtEnd, min(candidates[0].dataEnd, file.status.size))
    return true
  }

  /// Takes an entry whose sizes stand behind its data alone, by finding where that ends.
  private mutating func takeUnsized(
    _ header: SalvagedHeader, _ name: String, at site: Int, _ following: ArraySlice<Int>
  ) throws -> Bool {
    guard probe.budget > 0 else {
      loseUnlessDoubtful(name, .notSearched, at: site)
      return true
    }
    if header.method == 8, header.encryption == .none {
      switch try probe.inflate(at: header.dataOffset) {
      case .ended(let compressedSize, let size, let crc32):
        let entry = Entry(
          header, name: name, at: site, crc32: crc32, compressedSize: compressedSize, size: size)
        let end = try endOfDescriptor(entry)
        // without its descriptor, nothing tells whether these are the bytes that were put in
        try accept(entry, end: end, isProven: end > entry.dataEnd)
      case .cutOff: loseUnlessDoubtful(name, .cutOff, at: site)
      case .broken: loseUnlessDoubtful(name, .damaged, at: site)
      }
      return true
    }
    var search = DescriptorSearch(file, header, name: name, at: site, probe: probe)
    if let (entry, end) = try search.find(before: following) {
      try accept(entry, end: end)
    } else {
      loseUnlessDoubtful(name, .damaged, at: site)
    }
    return true
  }

  // MARK: By the directory alone

  /// Takes an entry whose local header is gone, if its data is found where the directory has it.
  private mutating func take(_ record: SalvagedRecord, at site: Int, _ next: Int?) throws -> Bool {
    guard let name = record.name, record.encryption == .none else { return false }
    let start = site + RecordLength.localHeader + record.rawName.count
    let ends = [next, scan.firstRecord(after: site)].compactMap { $0 }
    // the lengths that extra fields have in practice: none, as in the directory, Info-ZIP's, ZIP64's
    var offsets = [record.extraLength, 0, 28, 20].map { start + $0 }
    for end in ends {
      for descriptor in record.flags & Flag.descriptor == 0 ? [0] : [16, 12, 24, 20] {
        offsets.append(end - descriptor - record.compressedSize)
      }
    }
    var tried: Set<Int> = []
    for offset in offsets where offset >= start && tried.insert(offset).inserted {
      let entry = Entry(record, name: name, at: site, dataOffset: offset)
      guard entry.isPossible, entry.dataEnd <= file.status.size else { continue }
      guard try probe.check(entry).hasEnded else { continue }
      try accept(entry, end: try endOfDescriptor(entry))
      return true
    }
    return false
  }

  // MARK: Findings

  private mutating func accept(_ entry: Entry, end: Int, isProven: Bool = true) throws {
    let isDoubtful = entry.headerOffset < doubtEnd
    cursor = max(end, entry.dataEnd)
    if let fault = EntryName.fault(of: entry.name) { return lose(entry.name, .unsafeName(fault)) }
    if let kind = entry.specialKind { return lose(entry.name, .notARegularFile(kind)) }
    guard entry.isReadable else { return lose(entry.name, .unreadable) }
    let (total, overflow) = totalSize.addingReportingOverflow(entry.size)
    guard !overflow, total <= limits.maximumBytes else {
      throw ArchiveError.tooManyBytes(file.file.path, limit: limits.maximumBytes)
    }
    totalSize = total
    if isDoubtful || !isProven { unproven.insert(entries.count) }
    entries.append(entry.numbered(entries.count))
  }

  private mutating func lose(_ name: String?, _ reason: Salvage.Reason) {
    guard let name, !name.isEmpty else { return }
    losses.append(Salvage.Loss(name: name, reason: reason))
  }

  /// Notes a loss, unless it is in the remains of another entry or can be no name that anybody gave.
  private mutating func loseUnlessDoubtful(_ name: String, _ reason: Salvage.Reason, at site: Int) {
    guard site >= doubtEnd else { return }
    switch EntryName.fault(of: name) {
    case nil: lose(name, reason)
    case .nul?, .controlCharacter?, .invalidUTF8?, .empty?: return
    case let fault?: lose(name, .unsafeName(fault))
    }
  }

  // MARK: Places

  /// Where an entry and the descriptor behind it end.
  private func endOfDescriptor(_ entry: Entry) throws -> Int {
    guard entry.flags & Flag.descriptor != 0 else { return entry.dataEnd }
    let bytes = try probe.bytes(Descriptor.maximumLength, at: entry.dataEnd)
    let descriptor = bytes.withUnsafeBytes {
      Descriptor.find(
        $0, crc32: entry.crc32, compressedSize: entry.compressedSize, size: entry.size)
    }
    return entry.dataEnd + (descriptor?.length ?? 0)
  }

  private func isFollowed(at end: Int) throws -> Bool {
    let bytes = try probe.bytes(4, at: end)
    return bytes.count == 4 && bytes.withUnsafeBytes { Signature.followsEntry($0.u32(0)) }
  }

  private func isInsideEntry(_ position: Int) -> Bool {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if entries[middle].dataEnd <= position {
        range = middle + 1..<range.upperBound
      } else if entries[middle].dataOffset > position {
        range = range.lowerBound..<middle
      } else {
        return true
      }
    }
    return false
  }
}

extension SalvagedHeader {
  /// Whether a directory record says the same of the data, whatever the names are.
  func isLike(_ record: SalvagedRecord) -> Bool {
    method == record.method && hasSizes && crc32 == record.crc32
      && compressedSize == record.compressedSize && size == record.size
  }
}

extension DataProbe.Outcome {
  var hasEnded: Bool {
    if case .ended = self { true } else { false }
  }
}
