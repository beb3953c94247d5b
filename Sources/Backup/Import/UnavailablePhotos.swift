import FileSystem
import Operations

/// The photos of a backup that neither the backup nor the library has.
struct UnavailablePhotos {
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
      Finding(source.label(of: source.photos[index]), source.photos[index].location.unavailable?.reason ?? "")
    }
    let indices = plan.missing.filter { source.photos[$0].location.unavailable != nil }
    let isDamage = { source.photos[$0].location.unavailable?.isDamage == true }
    let damaged = indices.filter(isDamage)
    let rest = { (count: Int) in
      Finding(
        .file(source.path.string.escaped),
        "\(Count(count, "more photo is", "more photos are")) missing in the same way")
    }
    damage = BoundedList(damaged, finding).elements(others: rest)
    withoutDamage = BoundedList(indices.lazy.filter { !isDamage($0) }, finding).elements(others: rest)
    lastDamage = damaged.last.map(finding)
    count = indices.count
  }
}
