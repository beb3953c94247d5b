import FileSystem
import Operations

/// One place of a damaged file where an entry may begin, and what can be had there: by what is left of its local
/// header and of the directory, and by the data itself. It keeps nothing, but spends the probe's means.
struct SalvageSite {
  /// An entry that is there.
  struct Find {
    var entry: Entry
    /// Where it ends, with the descriptor behind its data.
    var end: Int
    /// Its checksum holds, or its headers agree and the next record stands where they say.
    var isVerified = true
    /// The same entry under the other name, where the header and the directory give it two good ones: who knows the
    /// photo will know which is right.
    var underOtherName: Entry?
  }

  /// What comes of looking for the end of data whose header says no sizes.
  enum EndOfData {
    case found(Find)
    /// The data goes on to the end of the file.
    case truncated(name: String)
    /// It does not end, or nothing tells where.
    case unknown
  }

  /// Where it is in the file.
  let offset: Int
  /// The local header, nil if there is none.
  let header: SalvagedHeader?
  /// What directories say of this place.
  let hints: [SignatureScan.Hint]

  private let file: ArchiveFile
  /// The places behind this one.
  private let following: ArraySlice<Int>
  private let limits: Limits
  private let probe: DataProbe

  init(
    _ file: ArchiveFile, at offset: Int, hints: [SignatureScan.Hint], following: ArraySlice<Int>,
    _ limits: Limits, _ probe: DataProbe
  ) throws {
    self.file = file
    self.offset = offset
    self.hints = hints
    self.following = following
    self.limits = limits
    self.probe = probe
    header = try SalvagedHeader(file, at: offset, probe)
  }

  // MARK: Ways to have it

  /// The entry that the local header begins. A directory record of the same place is believed where the two say
  /// one thing; where they do not, the checksum decides.
  func byHeader() throws -> Find? {
    guard let header else { return nil }
    let record = record(of: header)
    var candidates: [Entry] = []
    if let entry = claim(of: header) { candidates.append(entry) }
    var isAgreed = false
    if let record, let name = record.name {
      isAgreed = header.isLike(record) || !header.hasSizes && header.hasNameAndMethod(of: record)
      candidates.insert(
        Entry(record, name: name, at: offset, dataOffset: header.dataOffset),
        at: isAgreed ? 0 : candidates.count)
    }
    // of two that differ the larger one first: that its checksum holds says more
    if !isAgreed { candidates.sort { $0.compressedSize > $1.compressedSize } }
    for entry in candidates where entry.isPossible(limits) && entry.dataEnd <= file.status.size {
      let end = try endOfDescriptor(entry)
      // what the headers say and the place of the next one confirms need not be read twice
      var isVerified = try (record == nil || isAgreed) && isFollowed(at: end)
      // but for how much deflated data expands to, which the header alone says
      if isVerified, record == nil, entry.method == 8, try !probe.check(entry).hasEnded,
        let find = try byChecksum(before: [])
      {
        return find
      }
      if !isVerified { isVerified = try proves(entry, end: end) || isAgreed && entry.compressedSize == 0 }
      // a header that says that there is nothing may have lost its sizes
      guard isVerified || entry.compressedSize == 0 && candidates.count == 1 else { continue }
      // one of two names may be damaged
      let names = [entry.name, header.name, record?.name].compactMap { $0 }
      let good = names.filter { EntryName.fault(of: $0) == nil }
      return Find(
        entry: good.first.map { $0 == entry.name ? entry : entry.named($0) } ?? entry, end: end,
        isVerified: isVerified,
        underOtherName: good.first { $0 != good[0] }.map { entry.named($0) })
    }
    return nil
  }

  /// The record that means the header's entry most likely.
  private func record(of header: SalvagedHeader) -> SalvagedRecord? {
    let records = hints.map(\.record)
    return records.first { $0.rawName == header.rawName } ?? records.first { header.isLike($0) }
      ?? records.first
  }

  /// An entry whose data is found where the directory has it, though its local header is gone.
  func byDirectory() throws -> Find? {
    for hint in hints {
      let record = hint.record
      guard let name = record.name, record.encryption == .none else { continue }
      for dataOffset in hint.dataOffsets(at: offset) {
        let entry = Entry(record, name: name, at: offset, dataOffset: dataOffset)
        guard entry.isPossible(limits), entry.dataEnd <= hint.limit else { continue }
        let end = try endOfDescriptor(entry)
        guard try entry.compressedSize == 0 || proves(entry, end: end) else { continue }
        return Find(entry: entry, end: end)
      }
    }
    return nil
  }

  /// The entry whose header is wrong about its length: its data ends where the checksum holds that stands there.
  ///
  /// - Parameter directories: where directories begin, before which it may end too.
  func byChecksum(before directories: [Int]) throws -> Find? {
    guard let header, let name = header.name, header.crc32 != 0, header.encryption == .none else {
      return nil
    }
    let outcome: DataProbe.Outcome
    switch header.method {
    case 0:
      outcome = try probe.search(for: header.crc32, at: header.dataOffset, ends: ends(before: directories))
    case 8: outcome = try probe.inflate(at: header.dataOffset, from: .searches)
    default: return nil
    }
    guard case .ended(let compressedSize, let size, let crc32) = outcome else { return nil }
    let entry = Entry(
      header, name: name, at: offset, crc32: crc32, compressedSize: compressedSize, size: size)
    guard crc32 == header.crc32, entry.isPossible(limits) else {
      probe.disbelieve(outcome, from: .searches)
      return nil
    }
    return Find(entry: entry, end: try endOfDescriptor(entry))
  }

  /// Where data may end that begins here: before so many of the places that follow, and where fewer do, before a
  /// directory or at the end of the file.
  private func ends(before directories: [Int]) -> [Int] {
    let count = DescriptorSearch.maximumHeaders
    var ends = Array(following.prefix(count))
    if ends.count < count { ends += directories.filter { $0 > offset }.prefix(count) + [file.status.size] }
    return ends
  }

  /// The entry whose sizes stand behind its data alone, by finding where that ends.
  func byEndOfData() throws -> EndOfData {
    guard let header, !header.hasSizes, let name = header.name else { return .unknown }
    // a record that says the same and is not to be had may be wrong in its numbers
    let isContradicted = hints.contains { header.hasNameAndMethod(of: $0.record) }
    guard header.method == 8, header.encryption == .none else {
      var search = DescriptorSearch(file, header, name: name, at: offset, limits, probe)
      guard let (entry, end) = try search.find(before: following) else { return .unknown }
      return .found(Find(entry: entry, end: end))
    }
    let outcome = try probe.inflate(at: header.dataOffset, from: .searches)
    guard case .ended(let compressedSize, let size, let crc32) = outcome else {
      return outcome == .truncated && !isContradicted ? .truncated(name: name) : .unknown
    }
    let entry = Entry(
      header, name: name, at: offset, crc32: crc32, compressedSize: compressedSize, size: size)
    let end = try endOfDescriptor(entry)
    // without its descriptor, nothing tells whether these are the bytes that were put in
    let isVerified = end > entry.dataEnd
    if isVerified || !isContradicted { return .found(Find(entry: entry, end: end, isVerified: isVerified)) }
    probe.disbelieve(outcome, from: .searches)
    return .unknown
  }

  // MARK: What is said

  /// All that the header and the directory say may be here, proven by nothing.
  func claims() -> [Entry] {
    var claims: [Entry] = []
    if let header, let entry = claim(of: header) { claims.append(entry) }
    for hint in hints {
      guard let name = hint.record.name else { continue }
      let offsets = header.map { [$0.dataOffset] } ?? hint.dataOffsets(at: offset)
      claims += offsets.map { Entry(hint.record, name: name, at: offset, dataOffset: $0) }
    }
    return claims
  }

  private func claim(of header: SalvagedHeader) -> Entry? {
    guard header.hasSizes, let name = header.name else { return nil }
    return Entry(
      header, name: name, at: offset, crc32: header.crc32, compressedSize: header.compressedSize,
      size: header.size)
  }

  /// Where an entry ends that cannot be had and says no sizes: before a header whose descriptor in front of it counts
  /// its bytes from here; else it is cut off, and all the rest of the file may be a part of it.
  func endOfRemains(of header: SalvagedHeader) throws -> Int {
    for site in following.prefix(DescriptorSearch.maximumHeaders) {
      let start = max(header.dataOffset, site - DataDescriptor.maximumLength)
      guard start < site, probe.canSpend(1024, from: .searches) else { continue }
      probe.spend(1024, from: .searches)
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

  // MARK: Proofs

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
