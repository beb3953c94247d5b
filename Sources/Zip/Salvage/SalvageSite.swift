import FileSystem
import Operations

/// An offset in a damaged file at which an entry may begin. Locates that entry by its local header, by the directory,
/// and by the data. It keeps no state, but charges the probe's budget.
struct SalvageSite {
  /// An entry that was located.
  struct Match {
    var entry: Entry
    /// The end of its data, or of the descriptor after it.
    var end: Int
    /// True if the checksum matches, or if the headers agree and the next record is where they say.
    var isVerified = true
    /// The same entry under its other name, if the header and the directory give it two valid names. The caller decides
    /// by its content.
    var alternative: Entry?
  }

  /// What was located.
  enum Location {
    case entry(Match)
    /// An entry whose data continues to the end of the file.
    case truncated(name: String)
  }

  /// The result of one way to locate the entry; nil if that way found nothing.
  typealias Attempt = WorkBudget.Attempt<Location?>

  /// The offset in the file.
  let offset: Int
  /// The local header, nil if there is none.
  let header: SalvagedHeader?
  /// The directory records that refer to this offset.
  let hints: [SignatureScan.Hint]

  private let file: ArchiveFile
  /// The sites after this one.
  private let following: ArraySlice<Int>
  private let limits: Limits
  private let probe: DataProbe

  init(
    _ file: ArchiveFile, at offset: Int, header: SalvagedHeader?, hints: [SignatureScan.Hint],
    following: ArraySlice<Int>, _ limits: Limits, _ probe: DataProbe
  ) {
    self.file = file
    self.offset = offset
    self.header = header
    self.hints = hints
    self.following = following
    self.limits = limits
    self.probe = probe
  }

  // MARK: Locating the entry

  /// Locates the entry that the local header describes. A directory record of the same offset is trusted if the two
  /// agree; if they do not, the checksum decides.
  func locateByLocalHeader() throws -> Attempt {
    guard let header else { return .done(nil) }
    var series = WorkBudget.Series()
    let record = record(of: header)
    var candidates: [Entry] = []
    if let entry = candidate(of: header) { candidates.append(entry) }
    var isAgreed = false
    if let record, let name = record.name {
      isAgreed =
        header.describesSameData(as: record) || !header.hasSizes && header.hasNameAndMethod(of: record)
      candidates.insert(
        Entry(record, name: name, at: offset, dataOffset: header.dataOffset),
        at: isAgreed ? 0 : candidates.count)
    }
    // of two different candidates the larger one first: a matching checksum of more data is better evidence
    if !isAgreed { candidates.sort { $0.compressedSize > $1.compressedSize } }
    for entry in candidates where entry.isPossible(limits) && entry.dataEnd <= file.status.size {
      let end = try endOfDescriptor(entry)
      // if the headers agree and the next record confirms them, the data need not be read
      var isVerified = try (record == nil || isAgreed) && isFollowed(at: end)
      // except for the inflated size, which only the header has
      if isVerified, record == nil, entry.method == 8,
        try series.value(of: probe.check(entry))?.hasEnded != true,
        let located = series.value(of: try locateByChecksum(before: [])) ?? nil
      {
        return .done(located)
      }
      if !isVerified {
        isVerified =
          try series.value(of: verify(entry, end: end)) ?? false || isAgreed && entry.compressedSize == 0
      }
      // a header with sizes of zero may have lost its sizes
      guard isVerified || entry.compressedSize == 0 && candidates.count == 1 else { continue }
      // one of two names may be damaged
      let names = [entry.name, header.name, record?.name].compactMap { $0 }
      let valid = names.filter { EntryName.problem(of: $0) == nil }
      let match = Match(
        entry: valid.first.map { $0 == entry.name ? entry : entry.named($0) } ?? entry, end: end,
        isVerified: isVerified,
        alternative: valid.first { $0 != valid[0] }.map { entry.named($0) })
      return .done(.entry(match))
    }
    return series.nothing()
  }

  /// Returns the directory record that most likely describes the header's entry.
  private func record(of header: SalvagedHeader) -> SalvagedRecord? {
    let records = hints.map(\.record)
    return records.first { $0.rawName == header.rawName } ?? records.first {
      header.describesSameData(as: $0)
    }
      ?? records.first
  }

  /// Locates an entry whose local header is missing, by its directory record.
  func locateByDirectory() throws -> Attempt {
    var series = WorkBudget.Series()
    for hint in hints {
      let record = hint.record
      guard let name = record.name, record.encryption == .none else { continue }
      for dataOffset in hint.dataOffsets(at: offset) {
        let entry = Entry(record, name: name, at: offset, dataOffset: dataOffset)
        guard entry.isPossible(limits), entry.dataEnd <= hint.limit else { continue }
        let end = try endOfDescriptor(entry)
        guard try entry.compressedSize == 0 || series.value(of: verify(entry, end: end)) ?? false else {
          continue
        }
        return .done(.entry(Match(entry: entry, end: end)))
      }
    }
    return series.nothing()
  }

  /// Locates an entry whose header has wrong sizes: its data ends where the checksum of the header matches.
  ///
  /// - Parameter directories: the offsets of directories, before which the data may end too.
  func locateByChecksum(before directories: [Int]) throws -> Attempt {
    guard let header, let name = header.name, header.crc32 != 0, header.encryption == .none else {
      return .done(nil)
    }
    let attempt: WorkBudget.Attempt<DataProbe.Outcome>
    switch header.method {
    case 0:
      attempt = try probe.search(for: header.crc32, at: header.dataOffset, ends: ends(before: directories))
    case 8: attempt = try probe.inflate(at: header.dataOffset, for: .search)
    default: return .done(nil)
    }
    return try attempt.map { outcome in
      guard case .ended(let compressedSize, let size, let crc32) = outcome else { return nil }
      let entry = Entry(
        header, name: name, at: offset, crc32: crc32, compressedSize: compressedSize, size: size)
      guard crc32 == header.crc32, entry.isPossible(limits) else {
        probe.reject(outcome, for: .search)
        return nil
      }
      return .entry(Match(entry: entry, end: try endOfDescriptor(entry)))
    }
  }

  /// Returns where data that begins here may end: at one of the next sites, and if there are few of them, at a
  /// directory or at the end of the file.
  private func ends(before directories: [Int]) -> [Int] {
    let count = DescriptorSearch.maximumHeaders
    var ends = Array(following.prefix(count))
    if ends.count < count { ends += directories.filter { $0 > offset }.prefix(count) + [file.status.size] }
    return ends
  }

  /// Locates an entry whose sizes are only in its descriptor, by finding the end of its data.
  func locateByEndOfData() throws -> Attempt {
    guard let header, !header.hasSizes, let name = header.name else { return .done(nil) }
    // a record of the same name whose data was not found may have wrong numbers
    let isContradicted = hints.contains { header.hasNameAndMethod(of: $0.record) }
    guard header.method == 8, header.encryption == .none else {
      let search = DescriptorSearch(file, header, name: name, at: offset, limits, probe)
      return try search.find(before: following).map { match in
        match.map { .entry(Match(entry: $0.entry, end: $0.end)) }
      }
    }
    return try probe.inflate(at: header.dataOffset, for: .search).map { outcome in
      guard case .ended(let compressedSize, let size, let crc32) = outcome else {
        return outcome == .truncated && !isContradicted ? .truncated(name: name) : nil
      }
      let entry = Entry(
        header, name: name, at: offset, crc32: crc32, compressedSize: compressedSize, size: size)
      let end = try endOfDescriptor(entry)
      // without its descriptor, nothing shows whether these are the original bytes
      let isVerified = end > entry.dataEnd
      if isVerified || !isContradicted {
        return .entry(Match(entry: entry, end: end, isVerified: isVerified))
      }
      probe.reject(outcome, for: .search)
      return nil
    }
  }

  // MARK: Candidates

  /// Returns every entry that the header and the directory describe here, without verification.
  func unverifiedCandidates() -> [Entry] {
    var candidates: [Entry] = []
    if let header, let entry = candidate(of: header) { candidates.append(entry) }
    for hint in hints {
      guard let name = hint.record.name else { continue }
      let offsets = header.map { [$0.dataOffset] } ?? hint.dataOffsets(at: offset)
      candidates += offsets.map { Entry(hint.record, name: name, at: offset, dataOffset: $0) }
    }
    return candidates
  }

  private func candidate(of header: SalvagedHeader) -> Entry? {
    guard header.hasSizes, let name = header.name else { return nil }
    return Entry(
      header, name: name, at: offset, crc32: header.crc32, compressedSize: header.compressedSize,
      size: header.size)
  }

  /// Returns the end of an entry that cannot be recovered and whose header has no sizes: the next site before which a
  /// descriptor counts the bytes from here. Returns the end of the file if there is none, since the entry may be
  /// truncated and contain all following bytes.
  func endOfUnrecoverableEntry(_ header: SalvagedHeader) throws -> WorkBudget.Attempt<Int> {
    for site in following.prefix(DescriptorSearch.maximumHeaders) {
      let start = max(header.dataOffset, site - DataDescriptor.maximumLength)
      guard start < site else { continue }
      guard case .done = probe.budget.pay(1024, for: .search) else { return .unaffordable }
      let bytes = try probe.bytes(site - start, at: start)
      for length in DataDescriptor.lengths where length <= bytes.count {
        let descriptors = bytes.suffix(length).withUnsafeBytes { DataDescriptor.all(in: $0) }
        let distance = site - length - header.dataOffset
        if descriptors.contains(where: { $0.length == length && $0.compressedSize == distance }) {
          return .done(site)
        }
      }
    }
    return .done(file.status.size)
  }

  // MARK: Verification

  /// Returns the end of an entry, or of the descriptor after it.
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

  /// Checks an entry by its checksum. The checksum of an empty entry proves nothing: such an entry must end at another
  /// record, or at the end of the file.
  private func verify(_ entry: Entry, end: Int) throws -> WorkBudget.Attempt<Bool> {
    guard entry.compressedSize == 0 else { return try probe.check(entry).map(\.hasEnded) }
    return .done(try end > file.status.size - 4 || isFollowed(at: end))
  }
}

extension Signature {
  /// Returns true if a signature is one of a record that follows an entry.
  static func followsEntry(_ mark: UInt32) -> Bool {
    [localHeader, directoryRecord, end, zip64End].contains(mark)
  }
}
