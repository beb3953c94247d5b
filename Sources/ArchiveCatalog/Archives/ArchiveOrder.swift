/// The total order of the archives of a folder, oldest first, whatever the clocks did.
///
/// 1. An archive follows every archive that it depends on.
/// 2. The archives of a library are in the order of their sequence numbers. Those without a number precede them, since
///    older versions made them.
/// 3. Everything else is in the order of the dates: archives of different libraries, of older versions, and backups of
///    the apps.
///
/// A flattened archive directly precedes the incremental one with the same content. Ties are decided by the path.
struct ArchiveOrder {
  private let archives: [ArchiveDescriptor]
  /// For each archive ID, the indices.
  private let byID: [String: [Int]]
  /// The least sequence number of each library.
  private let first: [String: Int64]
  private var known: [Int64?]
  /// The archives whose bases are being looked up. A damaged or hostile archive may depend on itself.
  private var pending: Set<Int> = []

  /// Returns archives in the order, oldest first.
  static func sorted(_ archives: some Sequence<ArchiveDescriptor>) -> [ArchiveDescriptor] {
    let archives = Array(archives)
    var order = ArchiveOrder(archives)
    return archives.indices.map { (position: order.position(of: $0), archive: archives[$0]) }.sorted {
      let (one, other) = ($0.archive, $1.archive)
      return ($0.position, one.base?.depth ?? 0, one.date, one.path)
        < ($1.position, other.base?.depth ?? 0, other.date, other.path)
    }.map(\.archive)
  }

  private init(_ archives: [ArchiveDescriptor]) {
    self.archives = archives
    byID = Dictionary(grouping: archives.indices) { archives[$0].archiveID ?? "" }
    first = archives.reduce(into: [:]) { first, archive in
      guard let library = archive.libraryID, let sequence = archive.sequence else { return }
      first[library] = min(first[library] ?? .max, sequence)
    }
    known = Array(repeating: nil, count: archives.count)
  }

  /// Returns the position of an archive on one scale: milliseconds since 1970.
  private mutating func position(of index: Int) -> Int64 {
    if let position = known[index] { return position }
    var position = ownPosition(of: archives[index])
    if let base = archives[index].base, pending.insert(index).inserted {
      for candidate in byID[base.archiveID, default: []] where archives[candidate].satisfies(base) {
        guard !pending.contains(candidate) else { continue }
        let (next, isOverflow) = self.position(of: candidate).addingReportingOverflow(1)
        position = max(position, isOverflow ? .max : next)
      }
      pending.remove(index)
    }
    known[index] = position
    return position
  }

  private func ownPosition(of archive: ArchiveDescriptor) -> Int64 {
    if let sequence = archive.sequence { return sequence }
    let date = archive.date.rawValue
    guard let first = archive.libraryID.flatMap({ first[$0] }), first > .min else { return date }
    return min(date, first - 1)
  }
}
