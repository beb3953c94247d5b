import FileSystem
import Operations

/// The photos of a backup that neither the backup nor the library has.
struct ImportLosses {
  /// Photos whose files an archive should have: the findings of the first ones, and one for the others.
  let damage: [Finding]
  /// Photos whose files no archive should have: the findings of the first ones, and one for the others.
  let withoutDamage: [Finding]
  /// The finding of the last photo whose file an archive should have.
  let lastDamage: Finding?
  /// The number of photos.
  let count: Int

  init(of plan: MergePlan, in source: OpenedBackup) {
    let finding = { (index: Int) in
      let photo = source.photos[index]
      return Finding(source.label(of: photo), photo.location.unavailable?.reason ?? "")
    }
    var (damage, others) = (BoundedList<Finding>(), BoundedList<Finding>())
    var last: Int?
    for (index, outcome) in plan.outcomes.enumerated() where outcome == .leftOut {
      guard let unavailable = source.photos[index].location.unavailable else { continue }
      if unavailable.isDamage {
        damage.append(finding(index))
        last = index
      } else {
        others.append(finding(index))
      }
    }
    let rest = { (count: Int) in
      Finding(
        .file(source.path.string.escaped),
        "\(Count(count, "more photo is", "more photos are")) missing in the same way")
    }
    self.damage = damage.elements(others: rest)
    withoutDamage = others.elements(others: rest)
    lastDamage = last.map(finding)
    count = damage.count + others.count
  }
}
