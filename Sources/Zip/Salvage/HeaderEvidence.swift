import FileSystem
import Operations

/// A local header of a damaged file, and the evidence for the end and the checksum of its data. The evidence is the
/// header itself, directory records with the same name, and descriptors that count from the start of the data.
struct HeaderEvidence {
  /// What is known about the data of the header.
  enum Result {
    /// The data has the checksum that one of the records declares; or header and directory agree, and the next record
    /// follows where they say.
    case proven(Entry)
    /// Nothing in the archive proves the data: it is encrypted, or its checksum is missing. Each entry is one reading.
    case unproven([Entry])
    /// The data is not what any record declares.
    case lost(Salvage.Reason)
  }

  let header: SalvagedHeader
  /// Directory records with the name of the header.
  let records: [SalvagedRecord]
  /// The descriptors that count from the start of the data, with their offsets.
  let descriptors: [(offset: Int, descriptor: DataDescriptor)]
  /// Where the data may end if its size is wrong: before one of the next records, or at the end of the file.
  let ends: [Int]

  let file: OpenFile
  let limits: Limits
  let probe: DataProbe

  /// The end of the data that the records declare; nil if they declare none. It may be wrong.
  var declaredEnd: Int? {
    var ends = descriptors.map { $0.offset + $0.descriptor.length }
    if header.hasSizes { ends.append(header.entry.dataEnd) }
    let start = header.entry.dataOffset
    let sizes = records.map(\.entry.compressedSize).filter { $0 <= file.status.size - start }
    return (ends + sizes.map { start + $0 }).max()
  }

  /// The CRC-32s that the records declare; nil among them if one declares none.
  var declaredChecksums: Set<UInt32?> { Set(claims.map(\.knownCRC32)) }

  /// Finds out what is known about the data. It keeps no state, but charges the budget of the probe.
  func examine() throws -> Result {
    let refusals = probe.budget.refusals
    let claims = self.claims.filter { $0.isPossible(limits) && $0.dataEnd <= file.status.size }
    if let entry = try plain(claims) ?? framed(claims) { return .proven(entry) }
    if header.entry.isEncrypted {
      // a descriptor of a header without sizes is the only other evidence
      let encrypted = claims.filter { $0.isEncrypted && $0.isReadable }
      if !encrypted.isEmpty { return .unproven(encrypted) }
    }
    // a matching checksum of more data is better evidence
    for entry in claims.sorted(by: { $0.compressedSize > $1.compressedSize })
    where entry.compressedSize > 0 && !entry.isEncrypted && entry.method != 8 {
      if try probe.check(entry).hasEnded { return .proven(entry) }
    }
    if let result = try inflated(claims) { return result }
    if let entry = try empty(claims) ?? stored() { return .proven(entry) }
    // a header with sizes of zero may have lost them
    if claims.count == 1, claims[0].compressedSize == 0 { return .unproven(claims) }
    if probe.budget.refusals > refusals { return .lost(.notSearched) }
    return .lost((declaredEnd ?? 0) > file.status.size ? .truncated : .damaged)
  }

  /// Every reading of the data that a record declares, those of directory records first, since they have the attributes.
  private var claims: [Entry] {
    var claims: [Entry] = []
    func add(_ entry: Entry) {
      if !claims.contains(where: { $0.isSameData(as: entry) && $0.crc32 == entry.crc32 }) {
        claims.append(entry)
      }
    }
    for record in records where record.name != nil {
      add(record.entry.at(header.entry.headerOffset, dataOffset: header.entry.dataOffset))
    }
    guard header.name != nil else { return claims }
    if header.hasSizes { add(header.entry) }
    for (_, descriptor) in descriptors {
      add(
        header.entry.with(
          crc32: descriptor.crc32, compressedSize: descriptor.compressedSize, size: descriptor.size))
    }
    return claims
  }

  /// If the records disagree about the encryption of the data, returns the entry that is not encrypted and has the right
  /// checksum.
  private func plain(_ claims: [Entry]) throws -> Entry? {
    guard claims.contains(where: \.isEncrypted) else { return nil }
    return try claims.first { try !$0.isEncrypted && $0.compressedSize > 0 && probe.check($0).hasEnded }
  }

  /// Returns the entry whose end is where header and directory agree, and where the next record confirms it. Such data
  /// is not read: as in any archive, only reading an entry shows that it is intact. Data is read if another header or a
  /// directory may be in it, since an entry that is not intact contains nothing. Stored data is always checked, since its
  /// checksum costs nothing.
  private func framed(_ claims: [Entry]) throws -> Entry? {
    for entry in claims where (entry.method != 0 || entry.isEncrypted) && entry.compressedSize > 0 {
      let isAgreed = records.contains { record in
        record.entry.hasNumbers(of: entry)
          && (header.describesSameData(as: record) || !header.hasSizes && header.hasNameAndMethod(of: record))
      }
      // the size of inflated data is only in the header, if there is no record
      let isAlone = records.isEmpty && entry.method != 8 && header.hasSizes
      guard isAgreed || isAlone || entry.isEncrypted && records.isEmpty, try isFollowed(entry) else {
        continue
      }
      let mayContainRecords = !entry.isEncrypted && ends.contains { $0 < entry.dataEnd }
      if mayContainRecords, try probe.check(entry) == .invalid { continue }
      return entry
    }
    return nil
  }

  private func inflated(_ claims: [Entry]) throws -> Result? {
    let deflated = claims.filter { $0.method == 8 && !$0.isEncrypted && $0.compressedSize > 0 }
    let isDeflated = header.entry.method == 8
    guard !header.entry.isEncrypted, !deflated.isEmpty || isDeflated else { return nil }
    let purpose: WorkBudget.Purpose =
      deflated.isEmpty && !(isDeflated && header.hasSizes) ? .search : .verification
    let outcome = try probe.inflate(at: header.entry.dataOffset, for: purpose)
    guard case .ended(let compressedSize, let size, let crc32) = outcome else {
      let isCut = outcome == .truncated && !header.hasSizes && records.isEmpty && isDeflated
      return isCut ? .lost(.truncated) : nil
    }
    if let entry = deflated.first(where: {
      $0.compressedSize == compressedSize && $0.size == size && $0.crc32 == crc32
    }) {
      return .proven(entry)
    }
    let record = records.first { $0.entry.crc32 == crc32 && $0.entry.method == 8 }
    if let name = header.name ?? record?.name {
      var entry = header.entry.with(crc32: crc32, compressedSize: compressedSize, size: size)
      // the method of the header may be wrong
      (entry.name, entry.method) = (name, 8)
      if entry.isPossible(limits) {
        let hasDescriptor = try endOfDescriptor(entry) > entry.dataEnd
        if crc32 == header.entry.crc32 || record != nil || hasDescriptor { return .proven(entry) }
        // without its descriptor, nothing shows whether these are the original bytes
        if !header.hasSizes, records.isEmpty { return .unproven([entry]) }
      }
    }
    probe.reject(outcome, for: purpose)
    return nil
  }

  /// Finds stored data whose size is wrong by the checksums that the records declare.
  private func stored() throws -> Entry? {
    let crc32s = Set(([header.entry] + records.map(\.entry)).map(\.crc32).filter { $0 != 0 })
    guard header.entry.isPlain, header.name != nil, !crc32s.isEmpty,
      case .ended(let length, let size, let crc32) = try probe.search(
        for: crc32s, at: header.entry.dataOffset, ends: ends)
    else { return nil }
    let entry = header.entry.with(crc32: crc32, compressedSize: length, size: size)
    return entry.isPossible(limits) ? entry : nil
  }

  /// The checksum of an empty entry proves nothing: two records must agree, or the next one must follow.
  private func empty(_ claims: [Entry]) throws -> Entry? {
    for entry in claims where entry.compressedSize == 0 {
      let isAgreed =
        header.hasSizes && records.contains { header.describesSameData(as: $0) }
        || descriptors.contains { $0.descriptor.size == 0 && $0.descriptor.crc32 == 0 }
      if try isAgreed || endOfDescriptor(entry) > file.status.size - 4 || isFollowed(entry) { return entry }
    }
    return nil
  }

  /// Returns the end of an entry, or of the descriptor after it.
  private func endOfDescriptor(_ entry: Entry) throws -> Int {
    guard entry.flags & Flag.descriptor != 0 else { return entry.dataEnd }
    let bytes = try probe.bytes(DataDescriptor.maximumLength, at: entry.dataEnd)
    let descriptor = bytes.withUnsafeBytes {
      DataDescriptor.find($0, crc32: entry.crc32, compressedSize: entry.compressedSize, size: entry.size)
    }
    return entry.dataEnd + (descriptor?.length ?? 0)
  }

  private func isFollowed(_ entry: Entry) throws -> Bool {
    let bytes = try probe.bytes(4, at: try endOfDescriptor(entry))
    let following = [Signature.localHeader, Signature.directoryRecord, Signature.end, Signature.zip64End]
    return bytes.count == 4 && following.contains(bytes.withUnsafeBytes { $0.u32(0) })
  }
}
