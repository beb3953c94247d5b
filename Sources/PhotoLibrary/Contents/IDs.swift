/// Chooses IDs of rows: that of the backup if it is free and in range, otherwise a new one.
package struct IDs {
  /// The valid IDs: the positive integers that a JSON reader of any language represents exactly.
  package static let range: ClosedRange<Int64> = 1...(1 << 53)

  private var used: Set<Int64>
  /// The IDs in the backup, which are not used as new ones.
  private let wanted: Set<Int64>
  private var last: Int64

  /// - Parameters:
  ///   - used: the IDs of existing rows.
  ///   - wanted: the IDs in the backup.
  package init(used: [Int64], wanted: [Int64] = []) {
    self.used = Set(used)
    self.wanted = Set(wanted)
    last = [used, wanted].compactMap { $0.lazy.filter(Self.range.contains).max() }.max() ?? 0
  }

  /// Returns the ID for a row that has this one in its backup.
  package mutating func next(keeping wanted: Int64) -> Int64 {
    if Self.range.contains(wanted), used.insert(wanted).inserted { return wanted }
    return next()
  }

  /// Returns the ID for a new row.
  package mutating func next() -> Int64 {
    repeat {
      last = last < Self.range.upperBound ? last + 1 : 1
    } while self.wanted.contains(last) || !used.insert(last).inserted
    return last
  }
}
