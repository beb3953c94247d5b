import FileSystem

/// Goes through a damaged file in order, from one place where an entry may begin to the next, and decides
/// what is an entry. What it takes never overlaps, but for encrypted entries that only a password can prove.
struct SalvageWalk {
  private(set) var entries: [Entry] = []
  private(set) var losses: [Salvage.Loss] = []
  private(set) var unproven: Set<Int> = []

  private let file: ArchiveFile
  private let scan: SignatureScan
  private let hints: [Int: [SignatureScan.Hint]]
  private let sites: [Int]
  private let limits: Limits
  private let probe: DataProbe
  /// Where the last entry that was taken ends. What begins before is a part of it.
  private var cursor = 0
  /// Where the last entry that was not taken would have ended, had its header told the truth.
  private var doubtEnd = 0
  private var totalSize = 0
  /// The data of the entries that were taken, in order.
  private var taken: [Range<Int>] = []

  init(
    _ file: ArchiveFile, _ scan: SignatureScan, limits: Limits,
    whileReading: @escaping (Int) throws -> Void
  ) {
    self.file = file
    self.scan = scan
    self.limits = limits
    hints = scan.hints()
    let size = file.status.size
    sites = Set(scan.headers).union(hints.keys.filter { (0..<size).contains($0) }).sorted()
    probe = DataProbe(file, whileReading: whileReading)
  }

  mutating func run() throws {
    for (position, site) in sites.enumerated() where site >= cursor {
      try visit(site, following: sites[(position + 1)...])
    }
    for (site, hints) in hints.sorted(by: { $0.key < $1.key })
    where !(0..<file.status.size).contains(site) {
      for hint in hints where !isInsideEntry(hint.record.position) { lose(hint.record.name, .cutOff) }
    }
  }

  private mutating func visit(_ site: Int, following: ArraySlice<Int>) throws {
    let hints = hints[site] ?? []
    let records = hints.map(\.record)
    let header = try SalvagedHeader(file, at: site)
    if let header {
      let record =
        records.first { $0.rawName == header.rawName } ?? records.first { header.isLike($0) } ?? records.first
      if try take(header, record, at: site) { return }
    }
    // the header may be gone, or be wrong about where the data begins
    for hint in hints where try take(hint, at: site) { return }
    // a record that says the same and is not to be had may be wrong in its numbers
    let isContradicted =
      header.map { header in records.contains { header.hasNameAndMethod(of: $0) } } ?? false
    if let header, !header.hasSizes,
      try takeUnsized(header, at: site, following, onlyIfProven: isContradicted)
    {
      return
    }
    if keepEncrypted(header, hints, at: site) { return }
    if let header, records.isEmpty {
      guard let name = header.name else { return }
      let end = header.hasSizes ? header.dataEnd : try endOfRemains(of: header, following)
      let reason: Salvage.Reason =
        probe.budget == 0 ? .notSearched : end > file.status.size ? .cutOff : .damaged
      return doubt(name, reason, from: site, to: end)
    }
    for record in records {
      let header = RecordLength.localHeader + record.rawName.count + record.extraLength
      let (end, overflow) = (site + header).addingReportingOverflow(record.compressedSize)
      // one that claims more than there is is wrong about where it ends
      doubt(
        record.name, .overwritten, from: site, to: overflow || end > file.status.size ? site : end)
    }
  }

  /// Where an entry ends that cannot be had and says no sizes: before a header whose descriptor in front of it counts
  /// its bytes from here; else it is cut off, and all the rest of the file may be a part of it.
  private func endOfRemains(of header: SalvagedHeader, _ following: ArraySlice<Int>) throws -> Int {
    // once the rest of the file is in doubt, it stays so
    guard doubtEnd < file.status.size else { return file.status.size }
    for site in following.prefix(DescriptorSearch.maximumHeaders) {
      let start = max(header.dataOffset, site - DataDescriptor.maximumLength)
      guard start < site, probe.spend(1024) else { continue }
      let bytes = try probe.bytes(site - start, at: start)
      for length in DataDescriptor.lengths where length <= bytes.count {
        let descriptors = bytes.suffix(length).withUnsafeBytes { DataDescriptor.all(in: $0) }
        let distance = site - length - header.dataOffset
        if descriptors.contains(where: { $0.length == length && $0.compressedSize == distance }) {
          return site
        }
      }
    }
    return file.status.size
  }

  /// Notes a loss. What is left of the entry may hold headers of its own, up to where it would have ended.
  private mutating func doubt(_ name: String?, _ reason: Salvage.Reason, from site: Int, to end: Int) {
    if let name { loseUnlessDoubtful(name, reason, at: site) }
    doubtEnd = max(doubtEnd, min(end, file.status.size))
  }

  // MARK: By the local header

  /// Takes the entry that a local header begins. A directory record of the same place is believed where the two
  /// say one thing; where they do not, the checksum decides.
  ///
  /// - Returns: false if it cannot be had.
  private mutating func take(
    _ header: SalvagedHeader, _ record: SalvagedRecord?, at site: Int
  ) throws -> Bool {
    var candidates: [Entry] = []
    if header.hasSizes, let name = header.name {
      candidates.append(
        Entry(
          header, name: name, at: site, crc32: header.crc32, compressedSize: header.compressedSize,
          size: header.size))
    }
    var isAgreed = false
    if let record, let name = record.name {
      isAgreed = header.isLike(record) || !header.hasSizes && header.hasNameAndMethod(of: record)
      candidates.insert(
        Entry(record, name: name, at: site, dataOffset: header.dataOffset),
        at: isAgreed ? 0 : candidates.count)
    }
    // of two that differ the larger one first: that its checksum holds says more
    if !isAgreed { candidates.sort { $0.compressedSize > $1.compressedSize } }
    for entry in candidates where entry.isPossible(limits) && entry.dataEnd <= file.status.size {
      let end = try endOfDescriptor(entry)
      // what the headers say and the place of the next one confirms need not be read twice
      var isProven = try (record == nil || isAgreed) && isFollowed(at: end)
      if !isProven { isProven = try proves(entry, end: end) || isAgreed && entry.compressedSize == 0 }
      // a header that says that there is nothing may have lost its sizes
      guard isProven || entry.compressedSize == 0 && candidates.count == 1 else { continue }
      // where one of two names is damaged, who knows the photo will know which
      let names = [entry.name, header.name, record?.name].compactMap { $0 }
      let good = names.filter { EntryName.fault(of: $0) == nil }
      try accept(
        good.first.map { $0 == entry.name ? entry : entry.named($0) } ?? entry, end: end,
        isProven: isProven)
      if let other = good.first(where: { $0 != good[0] }) {
        unproven.insert(entries.count)
        entries.append(entry.named(other).numbered(entries.count))
      }
      return true
    }
    return false
  }

  /// Takes an entry whose sizes stand behind its data alone, by finding where that ends.
  ///
  /// - Returns: false if it does not end, or nothing tells where.
  private mutating func takeUnsized(
    _ header: SalvagedHeader, at site: Int, _ following: ArraySlice<Int>, onlyIfProven: Bool
  ) throws -> Bool {
    guard probe.budget > 0, let name = header.name else { return false }
    if header.method == 8, header.encryption == .none {
      let outcome = try probe.inflate(at: header.dataOffset)
      guard case .ended(let compressedSize, let size, let crc32) = outcome else {
        guard outcome == .cutOff, !onlyIfProven else { return false }
        // its data goes on to the end of the file
        doubt(name, .cutOff, from: site, to: file.status.size)
        return true
      }
      let entry = Entry(
        header, name: name, at: site, crc32: crc32, compressedSize: compressedSize, size: size)
      let end = try endOfDescriptor(entry)
      // without its descriptor, nothing tells whether these are the bytes that were put in
      guard !onlyIfProven || end > entry.dataEnd else { return false }
      try accept(entry, end: end, isProven: end > entry.dataEnd)
      return true
    }
    var search = DescriptorSearch(file, header, name: name, at: site, limits, probe)
    guard let (entry, end) = try search.find(before: following) else { return false }
    try accept(entry, end: end)
    return true
  }

  // MARK: By the directory alone

  /// Takes an entry whose local header is gone, if its data is found where the directory has it.
  private mutating func take(_ hint: SignatureScan.Hint, at site: Int) throws -> Bool {
    let record = hint.record
    guard let name = record.name, record.encryption == .none else { return false }
    for offset in hint.dataOffsets(at: site) {
      let entry = Entry(record, name: name, at: site, dataOffset: offset)
      guard entry.isPossible(limits), entry.dataEnd <= hint.limit else { continue }
      let end = try endOfDescriptor(entry)
      guard try entry.compressedSize == 0 || proves(entry, end: end) else { continue }
      try accept(entry, end: end)
      return true
    }
    return false
  }

  // MARK: By the password

  /// Keeps what may be an encrypted entry for whoever has the password, since nothing else can tell. What lies in
  /// its place is looked at all the same.
  ///
  /// - Returns: false if there can be none.
  private mutating func keepEncrypted(
    _ header: SalvagedHeader?, _ hints: [SignatureScan.Hint], at site: Int
  ) -> Bool {
    var candidates: [Entry] = []
    if let header, header.hasSizes, let name = header.name {
      candidates.append(
        Entry(
          header, name: name, at: site, crc32: header.crc32, compressedSize: header.compressedSize,
          size: header.size))
    }
    for hint in hints {
      guard let name = hint.record.name else { continue }
      let offsets = header.map { [$0.dataOffset] } ?? hint.dataOffsets(at: site)
      candidates += offsets.map { Entry(hint.record, name: name, at: site, dataOffset: $0) }
    }
    let count = entries.count
    for entry in candidates where !entries[count...].contains(where: { $0.isSameData(as: entry) }) {
      keep(entry)
    }
    return entries.count > count
  }

  /// What is claimed counts as read in vain, so that headers which all claim the rest of the file come to an end.
  private mutating func keep(_ entry: Entry) {
    let bytes = max(entry.compressedSize, entry.size)
    guard entry.isEncrypted, entry.isPossible(limits), entry.dataEnd <= file.status.size, entry.isReadable,
      EntryName.fault(of: entry.name) == nil, entry.specialKind == nil, bytes < probe.budget,
      probe.spend(bytes)
    else { return }
    unproven.insert(entries.count)
    entries.append(entry.numbered(entries.count))
    doubtEnd = max(doubtEnd, entry.dataEnd)
  }

  // MARK: Findings

  private mutating func accept(_ entry: Entry, end: Int, isProven: Bool = true) throws {
    let isDoubtful = entry.headerOffset < doubtEnd
    cursor = max(end, entry.dataEnd)
    taken.append(entry.dataOffset..<max(entry.dataOffset, entry.dataEnd))
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
    let bytes = try probe.bytes(DataDescriptor.maximumLength, at: entry.dataEnd)
    let descriptor = bytes.withUnsafeBytes {
      DataDescriptor.find(
        $0, crc32: entry.crc32, compressedSize: entry.compressedSize, size: entry.size)
    }
    return entry.dataEnd + (descriptor?.length ?? 0)
  }

  private func isFollowed(at end: Int) throws -> Bool {
    let bytes = try probe.bytes(4, at: end)
    return bytes.count == 4 && bytes.withUnsafeBytes { Signature.followsEntry($0.u32(0)) }
  }

  /// Whether an entry's checksum holds. That of no bytes proves nothing: such an entry ends where another begins,
  /// or the file.
  private func proves(_ entry: Entry, end: Int) throws -> Bool {
    guard entry.compressedSize == 0 else { return try probe.check(entry).hasEnded }
    return try end > file.status.size - 4 || isFollowed(at: end)
  }

  private func isInsideEntry(_ position: Int) -> Bool {
    var range = 0..<taken.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if taken[middle].upperBound <= position {
        range = middle + 1..<range.upperBound
      } else if taken[middle].lowerBound > position {
        range = range.lowerBound..<middle
      } else {
        return true
      }
    }
    return false
  }
}

extension DataProbe.Outcome {
  var hasEnded: Bool {
    if case .ended = self { true } else { false }
  }
}

extension Signature {
  /// Whether a record that follows an entry begins here.
  static func followsEntry(_ mark: UInt32) -> Bool {
    [localHeader, directoryRecord, end, zip64End].contains(mark)
  }
}
