/// Gives out ids: the backup's own where it is free and in range, else a new one.
struct IDs {
  private var used: Set<Int64>
  /// Those of the backup, which new ids leave to the photos that bring them.
  private let wanted: Set<Int64>
  private var last: Int64

  init(used: [Int64], wanted: [Int64]) {
    self.used = Set(used)
    self.wanted = Set(wanted)
    last = (used + wanted).filter(MergePlan.ids.contains).max() ?? 0
  }

  mutating func next(keeping wanted: Int64) -> Int64 {
    if MergePlan.ids.contains(wanted), used.insert(wanted).inserted { return wanted }
    repeat {
      last = last < MergePlan.ids.upperBound ? last + 1 : 1
    } while self.wanted.contains(last) || !used.insert(last).inserted
    return last
  }
}
