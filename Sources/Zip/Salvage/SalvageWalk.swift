import FileSystem
import Operations

/// Visits the sites of a damaged file in order, and keeps the entries that `SalvageSite` locates. The entries never
/// overlap, except for encrypted ones that only a password can verify.
struct SalvageWalk {
  private(set) var entries: [Entry] = []
  private(set) var losses: [Salvage.Loss] = []
  private(set) var unverified: Set<Int> = []

  private let file: ArchiveFile
  private let scan: SignatureScan
  private let hints: [Int: [SignatureScan.Hint]]
  private let sites: [Int]
  private let directories: [Int]
  private let limits: Limits
  private let probe: DataProbe
  /// The end of the last accepted entry. Sites before it are a part of that entry.
  private var cursor = 0
  /// The greatest end that the header of an unrecovered entry declares. Sites before it may be a part of that entry.
  private var uncertainEnd = 0
  private var totalSize = 0
  /// The data of the accepted entries, in order.
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
    directories = scan.directories()
    probe = DataProbe(file, whileReading: whileReading)
  }

  mutating func run() throws {
    for (position, site) in sites.enumerated() where site >= cursor {
      try visit(site, following: sites[(position + 1)...])
    }
    for (site, hints) in hints.sorted(by: { $0.key < $1.key })
    where !(0..<file.status.size).contains(site) {
      for hint in hints where !isInsideEntry(hint.record.position) {
        recordLoss(hint.record.name, .truncated)
      }
    }
  }

  private mutating func visit(_ offset: Int, following: ArraySlice<Int>) throws {
    var series = WorkBudget.Series()
    let header = series.value(of: try SalvagedHeader.read(file, at: offset, probe)) ?? nil
    let site = SalvageSite(
      file, at: offset, header: header, hints: hints[offset] ?? [], following: following, limits, probe)
    // the header may be missing, or have a wrong length
    let ways: [() throws -> SalvageSite.Attempt] = [
      site.locateByLocalHeader, site.locateByDirectory,
      { [directories] in try site.locateByChecksum(before: directories) },
      site.locateByEndOfData,
    ]
    for locate in ways {
      switch series.value(of: try locate()) ?? nil {
      case .entry(let match)?: return try accept(match)
      case .truncated(let name)?: return recordLoss(name, .truncated, from: offset, to: file.status.size)
      case nil: continue
      }
    }
    if !keepEncryptedCandidates(of: site, &series) { try recordLosses(at: site, &series) }
  }

  /// Records what is lost at a site where nothing was located.
  private mutating func recordLosses(at site: SalvageSite, _ series: inout WorkBudget.Series) throws {
    let size = file.status.size
    if let header = site.header, site.hints.isEmpty {
      guard let name = header.name else { return }
      let end =
        if header.hasSizes {
          header.dataEnd
        } else if uncertainEnd < size {
          series.value(of: try site.endOfUnrecoverableEntry(header)) ?? size
        } else {
          // the rest of the file is uncertain already
          size
        }
      let reason: Salvage.Reason = !series.isComplete ? .notSearched : end > size ? .truncated : .damaged
      return recordLoss(name, reason, from: site.offset, to: end)
    }
    for record in site.hints.map(\.record) {
      let header = RecordLength.localHeader + record.rawName.count + record.extraLength
      let (end, overflow) = (site.offset + header).addingReportingOverflow(record.compressedSize)
      // a record with more bytes than the file has a wrong size
      recordLoss(
        record.name, series.isComplete ? .overwritten : .notSearched, from: site.offset,
        to: overflow || end > size ? site.offset : end)
    }
  }

  /// Records a loss, unless the site may be a part of another entry. What is left of the lost entry may contain headers
  /// of its own, up to the end that it declares.
  private mutating func recordLoss(_ name: String?, _ reason: Salvage.Reason, from site: Int, to end: Int) {
    if let name { recordLossUnlessUncertain(name, reason, at: site) }
    uncertainEnd = max(uncertainEnd, min(end, file.status.size))
  }

  /// Keeps entries that may be encrypted, since only a caller with the password can verify them. The sites within them
  /// are visited all the same.
  ///
  /// - Returns: whether it has kept any.
  private mutating func keepEncryptedCandidates(
    of site: SalvageSite, _ series: inout WorkBudget.Series
  ) -> Bool {
    let count = entries.count
    for entry in site.unverifiedCandidates()
    where !entries[count...].contains(where: { $0.isSameData(as: entry) }) {
      keepEncrypted(entry, &series)
    }
    return entries.count > count
  }

  /// The entry's declared size is charged, which bounds headers that all declare the rest of the file.
  private mutating func keepEncrypted(_ entry: Entry, _ series: inout WorkBudget.Series) {
    // each entry takes memory, however short it is
    let bytes = max(entry.compressedSize, entry.size, 1024)
    guard entry.isEncrypted, entry.isPossible(limits), entry.dataEnd <= file.status.size, entry.isReadable,
      EntryName.problem(of: entry.name) == nil, entry.specialKind == nil,
      series.value(of: probe.budget.pay(bytes, for: .search)) != nil
    else { return }
    append(entry, isVerified: false)
    uncertainEnd = max(uncertainEnd, entry.dataEnd)
  }

  // MARK: Results

  private mutating func accept(_ match: SalvageSite.Match) throws {
    let count = entries.count
    try accept(match.entry, end: match.end, isVerified: match.isVerified)
    // an entry that was refused under one name is refused under the other
    guard entries.count > count, let alternative = match.alternative else { return }
    try addSize(of: alternative)
    append(alternative, isVerified: false)
  }

  private mutating func accept(_ entry: Entry, end: Int, isVerified: Bool) throws {
    let isUncertain = entry.headerOffset < uncertainEnd
    cursor = max(end, entry.dataEnd)
    taken.append(entry.dataOffset..<max(entry.dataOffset, entry.dataEnd))
    if let problem = EntryName.problem(of: entry.name) { return recordLoss(entry.name, .unsafeName(problem)) }
    if let kind = entry.specialKind { return recordLoss(entry.name, .notARegularFile(kind)) }
    guard entry.isReadable else { return recordLoss(entry.name, .unreadable) }
    try addSize(of: entry)
    append(entry, isVerified: isVerified && !isUncertain)
  }

  private mutating func addSize(of entry: Entry) throws {
    let (total, overflow) = totalSize.addingReportingOverflow(entry.size)
    guard !overflow, total <= limits.maximumBytes else {
      throw ArchiveError.tooManyBytes(file.file.path, limit: limits.maximumBytes)
    }
    totalSize = total
  }

  private mutating func append(_ entry: Entry, isVerified: Bool) {
    if !isVerified { unverified.insert(entries.count) }
    entries.append(entry.numbered(entries.count))
  }

  private mutating func recordLoss(_ name: String?, _ reason: Salvage.Reason) {
    guard let name, !name.isEmpty else { return }
    losses.append(Salvage.Loss(name: name, reason: reason))
  }

  /// Records a loss, unless the site may be a part of another entry, or the name can only be random bytes.
  private mutating func recordLossUnlessUncertain(_ name: String, _ reason: Salvage.Reason, at site: Int) {
    guard site >= uncertainEnd else { return }
    switch EntryName.problem(of: name) {
    case nil: recordLoss(name, reason)
    case .nul?, .controlCharacter?, .invalidUTF8?, .empty?: return
    case let problem?: recordLoss(name, .unsafeName(problem))
    }
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
