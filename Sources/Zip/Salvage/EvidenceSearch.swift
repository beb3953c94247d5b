import FileSystem
import Operations

/// Finds the entries of a damaged file, each by its own evidence.
///
/// - **Candidates** are the local headers, wherever they are. Directory records belong to them by name, and descriptors
///   by the start of the data that they count, so damage before a header changes nothing about it. Only a record without
///   a header needs an offset: it is searched for between its neighbors in the directory.
/// - **Proof**: the data has the CRC-32 and the size that its header, a descriptor or a record of the same name
///   declares; or header and record agree on an end at which another record follows.
///
/// `EvidenceSelection` then decides which candidates are entries of the archive.
struct EvidenceSearch {
  /// The entries that were found, in no order.
  private(set) var candidates: [EntryCandidate] = []
  /// The entries whose data was not found, in no order.
  private(set) var lost: [LostEntry] = []
  let scan: SignatureScan
  let file: OpenFile
  let limits: Limits
  private let probe: DataProbe

  init(_ file: OpenFile, limits: Limits, whileReading: @escaping (Int) throws -> Void) throws {
    self.file = file
    self.limits = limits
    scan = try SignatureScan(file, limits: limits, whileReading: whileReading)
    probe = DataProbe(file, scan.checksums, whileReading: whileReading)
    let headers = try readHeaders()
    try examine(headers)
    let index = CandidateIndex(candidates, lost, headers)
    for run in scan.runs() { try locate(run, index) }
  }

  private func readHeaders() throws -> [SalvagedHeader] {
    var nameBytes = 0
    let limit = min(256 << 20, limits.maximumDirectoryBytes)
    return try scan.headers.compactMap { offset in
      guard let header = try SalvagedHeader.read(file, at: offset, probe) else { return nil }
      nameBytes += header.entry.rawName.count
      guard nameBytes <= limit else { throw ArchiveError.tooManyNameBytes(file.file.path, limit: limit) }
      return header
    }
  }

  // MARK: Headers

  /// Examines every header, except those within proven data.
  private mutating func examine(_ headers: [SalvagedHeader]) throws {
    let records = Dictionary(
      grouping: scan.records.sorted { $0.entry.headerOffset < $1.entry.headerOffset }, by: \.entry.rawName)
    let descriptors = try descriptors(of: headers)
    let directories = scan.runs().map { scan.records[$0.lowerBound].position }
    var coveredEnd = 0
    for (index, header) in headers.enumerated() where header.entry.headerOffset >= coveredEnd {
      let found = header.entry
      let following = headers[(index + 1)...].prefix(Self.maximumEnds).map(\.entry.headerOffset)
      let last =
        following.count < Self.maximumEnds
        ? directories.filter { $0 > found.headerOffset }.prefix(Self.maximumEnds) + [file.status.size] : []
      let evidence = HeaderEvidence(
        header: header, records: Self.nearest(records[found.rawName] ?? [], to: found.headerOffset),
        descriptors: descriptors[found.dataOffset] ?? [], ends: following + last, file: file, limits: limits,
        probe: probe)
      switch try evidence.examine() {
      case .proven(let entry):
        candidates.append(EntryCandidate(entry: entry, isProven: true))
        coveredEnd = max(coveredEnd, entry.dataEnd)
      case .unproven(let claims): keepUnproven(claims)
      case .lost(let reason):
        lost.append(
          LostEntry(
            name: header.name, rawName: found.rawName, reason: reason, crc32s: evidence.declaredChecksums,
            start: found.headerOffset, dataOffset: found.dataOffset, end: evidence.declaredEnd))
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
    let place = records.endOfPrefix { $0.entry.headerOffset < offset }
    let start = min(max(0, place - maximumRecords / 2), records.count - maximumRecords)
    return Array(records[start..<start + maximumRecords])
  }

  /// Returns the descriptors by the start of the data that they count: those with a signature anywhere, the others
  /// before a header or a directory.
  private func descriptors(
    of headers: [SalvagedHeader]
  ) throws -> [Int: [(offset: Int, descriptor: DataDescriptor)]] {
    let starts = Set(headers.lazy.map(\.entry).filter { $0.flags & Flag.descriptor != 0 }.map(\.dataOffset))
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
    for end in headers.map(\.entry.headerOffset) + directories {
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
      guard entry.refusal == nil, probe.budget.pay(bytes, for: .search) else { continue }
      candidates.append(EntryCandidate(entry: entry, isProven: false))
    }
  }

  // MARK: Directory records without headers

  /// What the headers have yielded, for the search of every directory.
  private struct CandidateIndex {
    var byKey: [EntryKey: [Int]] = [:]
    var byData: [DataKey: [Int]] = [:]
    /// The names of the headers whose data was not found.
    var lostNames: Set<[UInt8]>
    var headers: [Int: Entry]
    /// The data of the proven candidates, in order and without overlaps.
    var proven: [Range<Int>] = []

    init(_ candidates: [EntryCandidate], _ lost: [LostEntry], _ headers: [SalvagedHeader]) {
      lostNames = Set(lost.map(\.rawName))
      self.headers = Dictionary(
        headers.map { ($0.entry.headerOffset, $0.entry) }, uniquingKeysWith: { first, _ in first })
      for (index, candidate) in candidates.enumerated() {
        byKey[EntryKey(candidate.entry), default: []].append(index)
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
    let records = scan.records[run].sorted { $0.entry.headerOffset < $1.entry.headerOffset }
    /// The entry of each record, as an index of `candidates`.
    let places = records.map { record in
      let stated = record.entry.headerOffset
      return known.byKey[EntryKey(record.entry)]?.prefix(Self.maximumRecords).min { one, other in
        abs(candidates[one].entry.headerOffset &- stated)
          < abs(candidates[other].entry.headerOffset &- stated)
      }
    }
    var limits = [Int](repeating: position, count: records.count)
    /// The next record with a place, as an index of `records`.
    var next = [Int?](repeating: nil, count: records.count)
    for index in records.indices.reversed().dropFirst() {
      next[index] = places[index + 1] == nil ? next[index + 1] : index + 1
      limits[index] = places[index + 1].map { candidates[$0].entry.headerOffset } ?? limits[index + 1]
    }
    var previous: EntryCandidate?
    var shift: Int?
    let listedNames = Set(records.map(\.entry.rawName))
    var named: Set<Int> = []
    for (index, record) in records.enumerated() {
      if let place = places[index] {
        previous = candidates[place]
        shift = candidates[place].entry.headerOffset &- record.entry.headerOffset
        continue
      }
      guard record.name != nil, !known.lostNames.contains(record.entry.rawName) else { continue }
      // the name of a header is damaged, or that of the record
      let sameData = known.byData[DataKey(record.entry)]?.prefix(Self.maximumRecords).first { same in
        !named.contains(same) && !listedNames.contains(candidates[same].entry.rawName)
      }
      if record.entry.size > 0, let same = sameData {
        named.insert(same)
        let entry = candidates[same].entry
        candidates[same].otherNames.append(
          record.entry.at(entry.headerOffset, dataOffset: entry.dataOffset))
        continue
      }
      let nextShift = next[index].flatMap { place in
        places[place].map { candidates[$0].entry.headerOffset &- records[place].entry.headerOffset }
      }
      var sites: [Int] = []
      for shift in [shift ?? nextShift ?? 0, nextShift ?? 0, 0] + scan.shifts {
        sites.append(record.entry.headerOffset &+ shift)
      }
      if let previous, record.entry.size > 0 { sites.append(previous.entry.dataEnd) }
      let limit = limits[index]
      let search = RecordEvidence(
        record: record, sites: sites.filter { $0 >= 0 && $0 < limit },
        lowerBound: previous?.entry.dataEnd ?? 0, limit: limit, headers: known.headers, file: file,
        limits: self.limits, probe: probe)
      switch try search.examine() {
      case .proven(let entry): candidates.append(EntryCandidate(entry: entry, isProven: true))
      case .unproven(let claims): keepUnproven(claims)
      case .lost(let reason):
        let site = record.entry.headerOffset &+ (shift ?? nextShift ?? 0)
        let isCut = !(0..<file.status.size).contains(site)
        let header = RecordLength.localHeader + record.entry.rawName.count + record.extraLength
        let (end, overflow) = (site &+ header).addingReportingOverflow(record.entry.compressedSize)
        lost.append(
          LostEntry(
            name: record.name, rawName: record.entry.rawName, reason: isCut ? .truncated : reason,
            crc32s: [record.entry.knownCRC32], start: site,
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
  }
}
