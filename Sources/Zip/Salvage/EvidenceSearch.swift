import FileSystem
import Operations

/// Finds the entries of a damaged file, each by its own evidence.
///
/// - **Candidates** are the local headers, wherever they are. Directory records belong to them by name, and descriptors
///   by the start of the data that they count, so damage before a header changes nothing about it. Only a record without
///   a header needs an offset: it is searched for between its neighbors in the directory.
/// - **Proof**: the data has the CRC-32 and the size that its header, a descriptor or a record of the same name
///   declares; or header and record agree on an end at which another record follows.
/// - **Containment**: what begins within the data of a proven entry is a part of that entry. This is the only way in
///   which one entry decides about another, and it does not depend on an order: containers begin first.
/// - **Remains** are the bytes that belonged to an entry that is lost, as far as its records tell. A proven entry
///   within remains may be a part of the lost entry. It counts if a directory of the archive lists it; otherwise the
///   caller decides by lists that only the caller can read.
struct EvidenceSearch {
  private(set) var entries: [Entry] = []
  private(set) var losses: [Salvage.Loss] = []
  private(set) var unverified: Set<Int> = []
  private(set) var listed: Set<Int> = []
  private(set) var remains: [Int: String] = [:]
  private(set) var listStart: Int?

  private let file: ArchiveFile
  private let scan: SignatureScan
  private let limits: Limits
  private let probe: DataProbe
  private var candidates: [Candidate] = []
  private var lost: [LostEntry] = []
  private var totalSize = 0

  /// An entry that was found.
  private struct Candidate {
    var entry: Entry
    var isProven: Bool
    /// Other names that a directory gives to the same data.
    var otherNames: [Entry] = []
  }

  /// An entry whose data was not found, and the bytes that belonged to it.
  private struct LostEntry {
    var name: String?
    var rawName: [UInt8]
    var reason: Salvage.Reason
    /// The offset of the local header.
    var start: Int
    /// Where the data begins; nil if there is no header.
    var dataOffset: Int?
    /// The declared end of the data; nil if no record declares one.
    var end: Int?
    /// False for an entry of which only a directory record is left.
    var hasHeader = true
    /// False if the file ends before its header, so that it leaves no bytes.
    var leavesBytes = true
  }

  /// What identifies an entry in a directory.
  private struct Key: Hashable {
    var rawName: [UInt8]
    var crc32: UInt32
    var compressedSize: Int

    init(_ entry: Entry) {
      (rawName, crc32, compressedSize) = (entry.rawName, entry.crc32, entry.compressedSize)
    }
    init(_ record: SalvagedRecord) {
      (rawName, crc32, compressedSize) = (record.rawName, record.crc32, record.compressedSize)
    }
  }

  init(_ file: ArchiveFile, limits: Limits, whileReading: @escaping (Int) throws -> Void) throws {
    self.file = file
    self.limits = limits
    scan = try SignatureScan(file, limits: limits, whileReading: whileReading)
    probe = DataProbe(file, scan.checksums, whileReading: whileReading)
    let headers = try readHeaders()
    try examine(headers)
    let index = CandidateIndex(candidates, lost, headers)
    for run in scan.runs() { try locate(run, index) }
    try select()
  }

  private func readHeaders() throws -> [SalvagedHeader] {
    var nameBytes = 0
    let limit = min(256 << 20, limits.maximumDirectoryBytes)
    return try scan.headers.compactMap { offset in
      guard case .done(let header?) = try SalvagedHeader.read(file, at: offset, probe) else { return nil }
      nameBytes += header.rawName.count
      guard nameBytes <= limit else { throw ArchiveError.tooManyNameBytes(file.file.path, limit: limit) }
      return header
    }
  }

  // MARK: Headers

  /// Examines every header, except those within proven data.
  private mutating func examine(_ headers: [SalvagedHeader]) throws {
    let records = Dictionary(
      grouping: scan.records.sorted { $0.headerOffset < $1.headerOffset }, by: \.rawName)
    let descriptors = try descriptors(of: headers)
    let directories = scan.runs().map { scan.records[$0.lowerBound].position }
    var coveredEnd = 0
    for (index, header) in headers.enumerated() where header.offset >= coveredEnd {
      let following = headers[(index + 1)...].prefix(Self.maximumEnds).map(\.offset)
      let last =
        following.count < Self.maximumEnds
        ? directories.filter { $0 > header.offset }.prefix(Self.maximumEnds) + [file.status.size] : []
      let evidence = HeaderEvidence(
        header: header, records: Self.nearest(records[header.rawName] ?? [], to: header.offset),
        descriptors: descriptors[header.dataOffset] ?? [], ends: following + last, file: file, limits: limits,
        probe: probe)
      switch try evidence.examine() {
      case .proven(let entry):
        candidates.append(Candidate(entry: entry, isProven: true))
        coveredEnd = max(coveredEnd, entry.dataEnd)
      case .unproven(let claims): keepUnproven(claims)
      case .lost(let reason):
        lost.append(
          LostEntry(
            name: header.name, rawName: header.rawName, reason: reason, start: header.offset,
            dataOffset: header.dataOffset, end: evidence.declaredEnd))
      }
    }
  }

  /// The number of records after a header before which its data may end if its size is wrong.
  private static let maximumEnds = 64
  /// The number of records of one name that are compared with a header. An archive has one, or a few if entries were
  /// appended.
  private static let maximumRecords = 16

  /// Returns the records whose entries are nearest to an offset; the records are in the order of the entries.
  private static func nearest(_ records: [SalvagedRecord], to offset: Int) -> [SalvagedRecord] {
    guard records.count > maximumRecords else { return records }
    var range = 0..<records.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range =
        records[middle].headerOffset < offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    let start = min(max(0, range.lowerBound - maximumRecords / 2), records.count - maximumRecords)
    return Array(records[start..<start + maximumRecords])
  }

  /// Returns the descriptors by the start of the data that they count: those with a signature anywhere, the others
  /// before a header or a directory.
  private func descriptors(
    of headers: [SalvagedHeader]
  ) throws -> [Int: [(offset: Int, descriptor: DataDescriptor)]] {
    let starts = Set(headers.lazy.filter { $0.flags & Flag.descriptor != 0 }.map(\.dataOffset))
    guard !starts.isEmpty else { return [:] }
    var found: [Int: [(offset: Int, descriptor: DataDescriptor)]] = [:]
    func add(_ descriptor: DataDescriptor, at offset: Int) {
      let start = offset - descriptor.compressedSize
      if starts.contains(start), found[start, default: []].count < Self.maximumRecords {
        found[start, default: []].append((offset, descriptor))
      }
    }
    for (offset, descriptor) in scan.descriptors { add(descriptor, at: offset) }
    let directories = scan.runs().map { scan.records[$0.lowerBound].position }
    for end in headers.map(\.offset) + directories {
      for length in [12, 20] where length <= end {
        let bytes = try probe.bytes(length, at: end - length)
        for descriptor in bytes.withUnsafeBytes({ DataDescriptor.all(in: $0) })
        where descriptor.length == length && descriptor.compressedSize <= end - length {
          add(descriptor, at: end - length)
        }
      }
    }
    return found
  }

  /// Keeps entries that only the caller can verify: by a password, or by a checksum from elsewhere. The declared size
  /// of an encrypted entry is charged, which bounds headers that all declare the rest of the file.
  private mutating func keepUnproven(_ claims: [Entry]) {
    for entry in claims {
      // each entry takes memory, however short it is
      let bytes = entry.isEncrypted ? max(entry.compressedSize, entry.size, 1024) : 0
      guard entry.refusal == nil,
        case .done = probe.budget.pay(bytes, for: .search)
      else { continue }
      candidates.append(Candidate(entry: entry, isProven: false))
    }
  }

  // MARK: Directory records without headers

  /// What the headers have yielded, for the search of every directory.
  private struct CandidateIndex {
    var byKey: [Key: [Int]] = [:]
    var byData: [DataKey: [Int]] = [:]
    /// The names of the headers whose data was not found.
    var lostNames: Set<[UInt8]>
    var headers: [Int: SalvagedHeader]
    /// The data of the proven candidates, in order and without overlaps.
    var proven: [Range<Int>] = []

    init(_ candidates: [Candidate], _ lost: [LostEntry], _ headers: [SalvagedHeader]) {
      lostNames = Set(lost.map(\.rawName))
      self.headers = Dictionary(headers.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
      for (index, candidate) in candidates.enumerated() {
        byKey[Key(candidate.entry), default: []].append(index)
        guard candidate.isProven else { continue }
        byData[DataKey(candidate.entry), default: []].append(index)
        proven.append(candidate.entry.dataOffset..<candidate.entry.dataEnd)
      }
    }
  }

  /// Searches for the entries of a directory whose headers were not found by name.
  private mutating func locate(_ run: Range<Int>, _ known: CandidateIndex) throws {
    let position = scan.records[run.lowerBound].position
    if known.proven.containsInSome(position) { return }
    let records = scan.records[run].sorted { $0.headerOffset < $1.headerOffset }
    /// The entry of each record, as an index of `candidates`.
    let places = records.map { record in
      known.byKey[Key(record)]?.prefix(Self.maximumRecords).min { one, other in
        abs(candidates[one].entry.headerOffset &- record.headerOffset)
          < abs(candidates[other].entry.headerOffset &- record.headerOffset)
      }
    }
    var limits = [Int](repeating: position, count: records.count)
    /// The next record with a place, as an index of `records`.
    var next = [Int?](repeating: nil, count: records.count)
    for index in records.indices.reversed().dropFirst() {
      next[index] = places[index + 1] == nil ? next[index + 1] : index + 1
      limits[index] = places[index + 1].map { candidates[$0].entry.headerOffset } ?? limits[index + 1]
    }
    var previous: Candidate?
    var shift: Int?
    let listedNames = Set(records.map(\.rawName))
    var named: Set<Int> = []
    for (index, record) in records.enumerated() {
      if let place = places[index] {
        previous = candidates[place]
        shift = candidates[place].entry.headerOffset &- record.headerOffset
        continue
      }
      guard let name = record.name, !known.lostNames.contains(record.rawName) else { continue }
      // the name of a header is damaged, or that of the record
      let sameData = known.byData[DataKey(record)]?.prefix(Self.maximumRecords).first { same in
        !named.contains(same) && !listedNames.contains(candidates[same].entry.rawName)
      }
      if record.size > 0, let same = sameData {
        named.insert(same)
        let entry = candidates[same].entry
        candidates[same].otherNames.append(
          Entry(record, name: name, at: entry.headerOffset, dataOffset: entry.dataOffset))
        continue
      }
      let nextShift = next[index].flatMap { place in
        places[place].map { candidates[$0].entry.headerOffset &- records[place].headerOffset }
      }
      var sites: [Int] = []
      for shift in [shift ?? nextShift ?? 0, nextShift ?? 0, 0] + scan.shifts {
        sites.append(record.headerOffset &+ shift)
      }
      if let previous, record.size > 0 { sites.append(previous.entry.dataEnd) }
      let limit = limits[index]
      let search = RecordEvidence(
        record: record, name: name, sites: sites.filter { $0 >= 0 && $0 < limit },
        lowerBound: previous?.entry.dataEnd ?? 0, limit: limit, headers: known.headers, file: file,
        limits: self.limits, probe: probe)
      switch try search.examine() {
      case .proven(let entry): candidates.append(Candidate(entry: entry, isProven: true))
      case .unproven(let claims): keepUnproven(claims)
      case .lost(let reason):
        let site = record.headerOffset &+ (shift ?? nextShift ?? 0)
        let isCut = !(0..<file.status.size).contains(site)
        let header = RecordLength.localHeader + record.rawName.count + record.extraLength
        let (end, overflow) = (site &+ header).addingReportingOverflow(record.compressedSize)
        lost.append(
          LostEntry(
            name: record.name, rawName: record.rawName, reason: isCut ? .truncated : reason, start: site,
            end: overflow || end > file.status.size ? site : end, hasHeader: false, leavesBytes: !isCut))
      }
    }
  }

  /// What identifies data.
  private struct DataKey: Hashable {
    var crc32: UInt32
    var compressedSize: Int
    var size: Int

    init(_ entry: Entry) { (crc32, compressedSize, size) = (entry.crc32, entry.compressedSize, entry.size) }
    init(_ record: SalvagedRecord) {
      (crc32, compressedSize, size) = (record.crc32, record.compressedSize, record.size)
    }
  }

  // MARK: Selection

  /// Decides which candidates are entries of the archive.
  private mutating func select() throws {
    let found = uncontained()
    let lost = remainingLosses(found)
    let (listedKeys, listStart) = listedKeys(found, lost)
    self.listStart = listStart
    var refused: [(offset: Int, loss: Salvage.Loss)] = []
    var next = lost.makeIterator()
    var pending = next.next()
    /// The entry whose remains reach farthest among those that begin before the current candidate.
    var reach = (end: 0, name: "")
    for candidate in found {
      let entry = candidate.entry
      while let loss = pending, loss.start < entry.headerOffset || !loss.leavesBytes {
        let end = loss.leavesBytes ? loss.end ?? .max : 0
        if end > reach.end { reach = (end, loss.name ?? "") }
        pending = next.next()
      }
      let names = ([entry] + candidate.otherNames).filter { $0.refusal == nil }
      if names.isEmpty, let reason = entry.refusal {
        refused.append((entry.headerOffset, Salvage.Loss(name: entry.name, reason: reason)))
      }
      let isInRemains = entry.headerOffset < reach.end
      for entry in names {
        try addSize(of: entry)
        let isListed = listedKeys.contains(Key(entry))
        if isListed { listed.insert(entries.count) }
        if candidate.isProven, isInRemains, !isListed { remains[entries.count] = reach.name }
        if !candidate.isProven || isInRemains && !isListed { unverified.insert(entries.count) }
        entries.append(entry.numbered(entries.count))
      }
      if candidate.entry.isEncrypted, !candidate.isProven, entry.dataEnd > reach.end {
        reach = (entry.dataEnd, entry.name)
      }
    }
    losses = (refused + reports(lost, found, listedKeys)).sorted { $0.offset < $1.offset }.map(\.loss)
  }

  /// Returns the candidates that do not begin within the data of a proven one, in the order of the file.
  private func uncontained() -> [Candidate] {
    var coveredEnd = 0
    return candidates.sorted {
      ($0.entry.dataOffset, $1.entry.dataEnd) < ($1.entry.dataOffset, $0.entry.dataEnd)
    }
    .filter { candidate in
      guard candidate.entry.dataOffset >= coveredEnd else { return false }
      if candidate.isProven { coveredEnd = max(coveredEnd, candidate.entry.dataEnd) }
      return true
    }
  }

  /// Returns the losses that are neither a part of a found entry nor its damaged header, in the order of the file.
  private func remainingLosses(_ found: [Candidate]) -> [LostEntry] {
    let proven = found.filter(\.isProven)
    let names = Set(found.flatMap { [$0.entry] + $0.otherNames }.map(\.rawName))
    let sorted = lost.sorted { $0.start < $1.start }
    var position = 0
    return sorted.filter { loss in
      while position < proven.count, proven[position].entry.dataEnd <= loss.start { position += 1 }
      if !loss.hasHeader { return !names.contains(loss.rawName) }
      guard position < proven.count else { return true }
      let entry = proven[position].entry
      let isSameHeader = loss.dataOffset == entry.dataOffset && entry.compressedSize > 0
      return loss.start < entry.headerOffset && !isSameHeader
    }
  }

  /// Returns what the directories of this archive list, and where the listed entries begin: at the start of the file if
  /// one of them was not found. A directory within the remains of an entry is that of an archive inside the entry, unless
  /// it lists the entry itself, or one that precedes it.
  private func listedKeys(_ found: [Candidate], _ lost: [LostEntry]) -> (keys: Set<Key>, start: Int?) {
    let proven = found.filter(\.isProven).map(\.entry)
    let ranges = proven.map { $0.dataOffset..<$0.dataEnd }
    let starts = Dictionary(proven.map { (Key($0), $0.headerOffset) }, uniquingKeysWith: min)
    let around = lost.filter(\.leavesBytes)
    /// For each loss, the one that reaches farthest among it and those before it.
    var farthest: [Int] = []
    for (index, loss) in around.enumerated() {
      let last = farthest.last ?? index
      farthest.append(loss.end ?? .max > around[last].end ?? .max ? index : last)
    }
    var keys: Set<Key> = []
    var listStart: Int?
    var count = 0
    for run in scan.runs() {
      let records = scan.records[run]
      let (start, end) = (records[run.lowerBound].position, records[run.upperBound - 1].end)
      while count < around.count, around[count].start < start { count += 1 }
      if ranges.containsInSome(start) { continue }
      if count > 0 {
        let loss = around[farthest[count - 1]]
        let isOwn =
          end > loss.end ?? .max
          || records.contains { record in
            record.rawName == loss.rawName || starts[Key(record)].map { $0 < loss.start } ?? false
          }
        guard isOwn else { continue }
      }
      keys.formUnion(records.map(Key.init))
      let listed = records.map { starts[Key($0)] ?? 0 }
      listStart = min(listStart ?? .max, listed.min() ?? 0)
    }
    return (keys, listStart)
  }

  /// Returns the losses to report: not those within the declared bytes of another lost entry.
  private func reports(
    _ lost: [LostEntry], _ found: [Candidate], _ listedKeys: Set<Key>
  ) -> [(offset: Int, loss: Salvage.Loss)] {
    let listedNames = Set(listedKeys.map(\.rawName))
    var reach = 0
    return lost.compactMap { loss in
      let isInside = loss.leavesBytes && loss.start < reach && !listedNames.contains(loss.rawName)
      if loss.leavesBytes { reach = max(reach, min(loss.end ?? 0, file.status.size)) }
      guard !isInside, let name = loss.name, !name.isEmpty else { return nil }
      switch EntryName.problem(of: name) {
      case nil: return (loss.start, Salvage.Loss(name: name, reason: loss.reason))
      // such a name can only be random bytes
      case .nul?, .controlCharacter?, .invalidUTF8?, .empty?: return nil
      case let problem?: return (loss.start, Salvage.Loss(name: name, reason: .unsafeName(problem)))
      }
    }
  }

  private mutating func addSize(of entry: Entry) throws {
    let (total, overflow) = totalSize.addingReportingOverflow(entry.size)
    guard !overflow, total <= limits.maximumBytes else {
      throw ArchiveError.tooManyBytes(file.file.path, limit: limits.maximumBytes)
    }
    totalSize = total
  }
}

extension [Range<Int>] {
  /// Returns true if a range contains a position. The ranges are in order and do not overlap.
  fileprivate func containsInSome(_ position: Int) -> Bool {
    var part = 0..<count
    while !part.isEmpty {
      let middle = (part.lowerBound + part.upperBound) / 2
      if self[middle].upperBound <= position {
        part = middle + 1..<part.upperBound
      } else if self[middle].lowerBound > position {
        part = part.lowerBound..<middle
      } else {
        return true
      }
    }
    return false
  }
}
