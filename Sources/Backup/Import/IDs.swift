/// Gives out ids: the backup's own where it is free and in range, else a new one.
struct IDs {
  private var used: Set<Int64>
  private var last: Int64

  init(used: [Int64], wanted: [Int64]) {
    self.used = Set(used)
    // new ids stand above all that are known, so that none is taken from a photo that comes later
    last = (used + wanted).filter(MergePlan.ids.contains).max() ?? 0
  }

  mutating func next(keeping wanted: Int64) -> Int64 {
    if MergePlan.ids.contains(wanted), used.insert(wanted).inserted { return wanted }
    repeat { last = last < MergePlan.ids.upperBound ? last + 1 : 1 } while !used.insert(last).inserted
    return last
  }
}
