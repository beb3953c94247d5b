/// Gives out ids of rows: a backup's own where it is free and in range, else a new one.
package struct IDs {
  /// The ids that a library gives out and keeps: those that a JSON reader in any language holds exactly.
  package static let range: ClosedRange<Int64> = 1...(1 << 53)

  private var used: Set<Int64>
  /// Those of the backup, which new ids leave to the photos that bring them.
  private let wanted: Set<Int64>
  private var last: Int64

  /// - Parameters:
  ///   - used: the ids of the rows that are there.
  ///   - wanted: those that a backup's rows would like to keep.
  package init(used: [Int64], wanted: [Int64] = []) {
    self.used = Set(used)
    self.wanted = Set(wanted)
    last = (used + wanted).filter(Self.range.contains).max() ?? 0
  }

  /// The id of a row that had this one in its backup.
  package mutating func next(keeping wanted: Int64) -> Int64 {
    if Self.range.contains(wanted), used.insert(wanted).inserted { return wanted }
    return next()
  }

  /// The id of a new row.
  package mutating func next() -> Int64 {
    repeat {
      last = last < Self.range.upperBound ? last + 1 : 1
    } while self.wanted.contains(last) || !used.insert(last).inserted
    return last
  }
}
