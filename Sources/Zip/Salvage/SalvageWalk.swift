import FileSystem
import Operations

/// Goes through a damaged file in order, from one place where an entry may begin to the next, and keeps what
/// `SalvageSite` finds there. What it takes never overlaps, but for encrypted entries that only a password can
/// prove.
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
    directories = scan.directories()
    probe = DataProbe(file, whileReading: whileReading)
  }

  mutating func run() throws {
    for (position, site) in sites.enumerated() where site >= cursor {
      try visit(site, following: sites[(position + 1)...])
    }
    for (site, hints) in hints.sorted(by: { $0.key < $1.key })
    where !(0..<file.status.size).contains(site) {
      for hint in hints where !isInsideEntry(hint.record.position) { lose(hint.record.name, .truncated) }
    }
  }

  private mutating func visit(_ offset: Int, following: ArraySlice<Int>) throws {
    probe.hasRefused = false
    let site = try SalvageSite(
      file, at: offset, hints: hints[offset] ?? [], following: following, limits, probe)
    if let find = try site.byHeader() { return try accept(find) }
    // the header may be gone, or be wrong about where the data begins
    if let find = try site.byDirectory() { return try accept(find) }
    if let find = try site.byChecksum(before: directories) { return try accept(find) }
    switch try site.byEndOfData() {
    case .found(let find): return try accept(find)
    case .truncated(let name): return doubt(name, .truncated, from: offset, to: file.status.size)
    case .unknown: break
    }
    if !keepEncrypted(site) { try giveUp(site) }
  }

  /// Notes what is lost at a place where nothing can be had.
  private mutating func giveUp(_ site: SalvageSite) throws {
    let size = file.status.size
    if let header = site.header, site.hints.isEmpty {
      guard let name = header.name else { return }
      let end =
        if header.hasSizes {
          header.dataEnd
        } else if doubtEnd < size {
          try site.endOfRemains(of: header)
        } else {
          // once the rest of the file is in doubt, it stays so
          size
        }
      let reason: Salvage.Reason = probe.hasRefused ? .notSearched : end > size ? .truncated : .damaged
      return doubt(name, reason, from: site.offset, to: end)
    }
    for record in site.hints.map(\.record) {
      let header = RecordLength.localHeader + record.rawName.count + record.extraLength
      let (end, overflow) = (site.offset + header).addingReportingOverflow(record.compressedSize)
      // one that claims more than there is is wrong about where it ends
      doubt(
        record.name, probe.hasRefused ? .notSearched : .overwritten, from: site.offset,
        to: overflow || end > size ? site.offset : end)
    }
  }

  /// Notes a loss. What is left of the entry may hold headers of its own, up to where it would have ended.
  private mutating func doubt(_ name: String?, _ reason: Salvage.Reason, from site: Int, to end: Int) {
    if let name { loseUnlessDoubtful(name, reason, at: site) }
    doubtEnd = max(doubtEnd, min(end, file.status.size))
  }

  /// Keeps what may be an encrypted entry for whoever has the password, since nothing else can tell. What lies in
  /// its place is looked at all the same.
  ///
  /// - Returns: false if there can be none.
  private mutating func keepEncrypted(_ site: SalvageSite) -> Bool {
    let count = entries.count
    for entry in site.claims() where !entries[count...].contains(where: { $0.isSameData(as: entry) }) {
      keep(entry)
    }
    return entries.count > count
  }

  /// What is claimed counts as read in vain, so that headers which all claim the rest of the file come to an end.
  private mutating func keep(_ entry: Entry) {
    // what is claimed takes memory, however short it is
    let bytes = max(entry.compressedSize, entry.size, 1024)
    guard entry.isEncrypted, entry.isPossible(limits), entry.dataEnd <= file.status.size, entry.isReadable,
      EntryName.fault(of: entry.name) == nil, entry.specialKind == nil,
      probe.canSpend(bytes, from: .searches)
    else { return }
    probe.spend(bytes, from: .searches)
    append(entry, isVerified: false)
    doubtEnd = max(doubtEnd, entry.dataEnd)
  }

  // MARK: Findings

  private mutating func accept(_ find: SalvageSite.Find) throws {
    let count = entries.count
    try accept(find.entry, end: find.end, isVerified: find.isVerified)
    // what is no photo under the one name is none under the other
    guard entries.count > count, let other = find.underOtherName else { return }
    try addSize(of: other)
    append(other, isVerified: false)
  }

  private mutating func accept(_ entry: Entry, end: Int, isVerified: Bool) throws {
    let isDoubtful = entry.headerOffset < doubtEnd
    cursor = max(end, entry.dataEnd)
    taken.append(entry.dataOffset..<max(entry.dataOffset, entry.dataEnd))
    if let fault = EntryName.fault(of: entry.name) { return lose(entry.name, .unsafeName(fault)) }
    if let kind = entry.specialKind { return lose(entry.name, .notARegularFile(kind)) }
    guard entry.isReadable else { return lose(entry.name, .unreadable) }
    try addSize(of: entry)
    append(entry, isVerified: isVerified && !isDoubtful)
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
