import Operations

/// A directory record of a damaged file whose local header is missing, and the offsets at which its data may begin.
struct RecordEvidence {
  let record: SalvagedRecord
  /// Where the header may have been, the most likely offset first.
  let sites: [Int]
  /// The data of the previous entry of the directory ends here.
  let lowerBound: Int
  /// The next entry of the directory, or the directory, begins here.
  let limit: Int
  /// The headers that have another name, by their offsets.
  let headers: [Int: Entry]

  let file: OpenFile
  let limits: Limits
  let probe: DataProbe

  /// Finds out whether the data is there. It keeps no state, but charges the budget of the probe.
  func examine() throws -> HeaderEvidence.Result {
    let refusals = probe.budget.refusals
    let record = record.entry
    let claims = dataOffsets().map { record.at($0.site, dataOffset: $0.dataOffset) }
      .filter { $0.isPossible(limits) && $0.dataEnd <= limit }
    if record.isEncrypted { return claims.isEmpty ? .lost(.overwritten) : .unproven(claims) }
    for entry in claims {
      if try entry.compressedSize == 0 || probe.check(entry).hasEnded { return .proven(entry) }
    }
    if record.method == 0, record.size == record.compressedSize, record.size > 0, lowerBound < limit,
      let dataOffset = try probe.find(record.crc32, length: record.size, in: lowerBound..<limit)
    {
      let header = dataOffset - RecordLength.localHeader - record.rawName.count
      let entry = record.at(max(lowerBound, header), dataOffset: dataOffset)
      if entry.isPossible(limits) { return .proven(entry) }
    }
    return .lost(probe.budget.refusals == refusals ? .overwritten : .notSearched)
  }

  /// Returns where the data may begin: after a header of usual length, or so far before the next entry that the data
  /// ends there.
  private func dataOffsets() -> [(site: Int, dataOffset: Int)] {
    var offsets: [(site: Int, dataOffset: Int)] = []
    var tried: Set<Int> = []
    let name = RecordLength.localHeader + record.entry.rawName.count
    func add(_ dataOffset: Int, at site: Int) {
      if dataOffset >= 0, tried.insert(dataOffset).inserted { offsets.append((site, dataOffset)) }
    }
    for site in sites {
      if let header = headers[site] { add(header.dataOffset, at: site) }
      let start = site + name
      // usual lengths of extra fields: that of the directory record, zero, Info-ZIP's, ZIP64's, the time's
      for extra in [record.extraLength, 0, 28, 20, 9, 13] { add(start + extra, at: site) }
    }
    for descriptor in record.entry.flags & Flag.descriptor == 0 ? [0] : [16, 12, 24, 20] {
      // the numbers of the record may exceed every file
      let (start, overflow) = (limit - descriptor).subtractingReportingOverflow(record.entry.compressedSize)
      if !overflow { add(start, at: max(0, start &- name)) }
    }
    return offsets
  }
}
