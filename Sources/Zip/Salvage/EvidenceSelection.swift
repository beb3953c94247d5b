import Operations

/// Decides which of the candidates of a damaged file are entries of its archive.
///
/// - **Containment**: what begins within the data of a proven entry is a part of that entry. This is the only way in
///   which one entry decides about another, and it does not depend on an order: containers begin first.
/// - **Remains** are the bytes that belonged to an entry that is lost, as far as its records tell. A proven entry
///   within remains may be a part of the lost entry. It counts if a directory of the archive lists it; otherwise the
///   caller decides by lists that only the caller can read.
struct EvidenceSelection {
  /// See `Salvage` for the meaning of these.
  private(set) var entries: [Entry] = []
  private(set) var losses: [Salvage.Loss] = []
  private(set) var unverified: Set<Int> = []
  private(set) var listed: Set<Int> = []
  private(set) var remains: [Int: String] = [:]
  private(set) var listStart: Int?

  private let search: EvidenceSearch
  private var totalSize = 0

  /// Decides.
  ///
  /// - Throws: `ArchiveError.tooManyBytes`.
  init(of search: EvidenceSearch) throws {
    self.search = search
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
        let loss = Salvage.Loss(name: entry.name, reason: reason, crc32s: [entry.knownCRC32])
        refused.append((entry.headerOffset, loss))
      }
      let isInRemains = entry.headerOffset < reach.end
      for var entry in names {
        try addSize(of: entry)
        let isListed = listedKeys.contains(EntryKey(entry))
        if isListed { listed.insert(entries.count) }
        if candidate.isProven, isInRemains, !isListed { remains[entries.count] = reach.name }
        if !candidate.isProven || isInRemains && !isListed { unverified.insert(entries.count) }
        entry.index = entries.count
        entries.append(entry)
      }
      if candidate.entry.isEncrypted, !candidate.isProven, entry.dataEnd > reach.end {
        reach = (entry.dataEnd, entry.name)
      }
    }
    losses = (refused + reports(lost, found, listedKeys)).sorted { $0.offset < $1.offset }.map(\.loss)
  }

  /// Returns the candidates that do not begin within the data of a proven one, in the order of the file.
  private func uncontained() -> [EntryCandidate] {
    var coveredEnd = 0
    return search.candidates.sorted {
      ($0.entry.dataOffset, $1.entry.dataEnd) < ($1.entry.dataOffset, $0.entry.dataEnd)
    }
    .filter { candidate in
      guard candidate.entry.dataOffset >= coveredEnd else { return false }
      if candidate.isProven { coveredEnd = max(coveredEnd, candidate.entry.dataEnd) }
      return true
    }
  }

  /// Returns the losses that are neither a part of a found entry nor its damaged header, in the order of the file.
  private func remainingLosses(_ found: [EntryCandidate]) -> [LostEntry] {
    let proven = found.filter(\.isProven)
    let names = Set(found.flatMap { [$0.entry] + $0.otherNames }.map(\.rawName))
    let sorted = search.lost.sorted { $0.start < $1.start }
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

  /// Returns what the directories of this archive list, and where the entries of its complete directories begin: at the
  /// start of the file if one of them was not found. A directory within the remains of an entry is that of an archive
  /// inside the entry, unless it lists the entry itself, or one that precedes it.
  private func listedKeys(
    _ found: [EntryCandidate], _ lost: [LostEntry]
  ) -> (keys: Set<EntryKey>, start: Int?) {
    let proven = found.filter(\.isProven).map(\.entry)
    let ranges = proven.map { $0.dataOffset..<$0.dataEnd }
    let starts = Dictionary(proven.map { (EntryKey($0), $0.headerOffset) }, uniquingKeysWith: min)
    let around = lost.filter(\.leavesBytes)
    /// For each loss, the one that reaches farthest among it and those before it.
    var farthest: [Int] = []
    for (index, loss) in around.enumerated() {
      let last = farthest.last ?? index
      farthest.append(loss.end ?? .max > around[last].end ?? .max ? index : last)
    }
    var keys: Set<EntryKey> = []
    var listStart: Int?
    var count = 0
    for run in search.scan.runs() {
      let records = search.scan.records[run].map(\.entry)
      let (start, end) = (
        search.scan.records[run.lowerBound].position, search.scan.records[run.upperBound - 1].end
      )
      while count < around.count, around[count].start < start { count += 1 }
      if ranges.containsInSome(start) { continue }
      if count > 0 {
        let loss = around[farthest[count - 1]]
        let isOwn =
          end > loss.end ?? .max
          || records.contains { record in
            record.rawName == loss.rawName || starts[EntryKey(record)].map { $0 < loss.start } ?? false
          }
        guard isOwn else { continue }
      }
      keys.formUnion(records.map(EntryKey.init))
      guard search.scan.isComplete(run) else { continue }
      let listed = records.map { starts[EntryKey($0)] ?? 0 }
      listStart = min(listStart ?? .max, listed.min() ?? 0)
    }
    return (keys, listStart)
  }

  /// Returns the losses to report: not those within the declared bytes of another lost entry.
  private func reports(
    _ lost: [LostEntry], _ found: [EntryCandidate], _ listedKeys: Set<EntryKey>
  ) -> [(offset: Int, loss: Salvage.Loss)] {
    let listedNames = Set(listedKeys.map(\.rawName))
    var reach = 0
    return lost.compactMap { loss in
      let isInside = loss.leavesBytes && loss.start < reach && !listedNames.contains(loss.rawName)
      if loss.leavesBytes { reach = max(reach, min(loss.end ?? 0, search.file.status.size)) }
      guard !isInside, let name = loss.name, !name.isEmpty else { return nil }
      switch EntryName.problem(of: name) {
      case nil: return (loss.start, Salvage.Loss(name: name, reason: loss.reason, crc32s: loss.crc32s))
      // such a name can only be random bytes
      case .nul?, .controlCharacter?, .invalidUTF8?, .empty?: return nil
      case let problem?: return (loss.start, Salvage.Loss(name: name, reason: .unsafeName(problem)))
      }
    }
  }

  private mutating func addSize(of entry: Entry) throws {
    let (total, overflow) = totalSize.addingReportingOverflow(entry.size)
    guard !overflow, total <= search.limits.maximumBytes else {
      throw ArchiveError.tooManyBytes(search.file.file.path, limit: search.limits.maximumBytes)
    }
    totalSize = total
  }
}
