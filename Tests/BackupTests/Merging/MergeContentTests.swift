import Foundation
import PhotoLibrary
import Testing

@testable import Backup

/// The photos of a library after an import: a multiset union by identity, under every strategy and rule, for
/// generated libraries and backups.
@Suite struct MergeContentTests {
  /// The rules under which merging is idempotent and independent of order.
  static let unionRules: [DuplicateRule] = [.skip, .replace]
  static let unionStrategies: [ImportStrategy] = [.merge, .skip]

  @Test(
    "Merge: the result is the multiset union, or the sum under the rule rename",
    arguments: unionStrategies, DuplicateRule.allCases)
  func multisetUnion(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.damaged.get() {
      let (library, backup) = (test.library, test.backup)
      let after = library.importing(backup, strategy, rule)
      let (old, new) = (Multiset(library), Multiset(backup))
      try #require(
        Multiset(after) == (rule == .rename ? old.adding(new) : old.union(new)), "seed \(test.seed)")
    }
  }

  @Test(
    "Replace: the library has the photos and the categories of the backup",
    arguments: DuplicateRule.allCases)
  func replacedContent(_ rule: DuplicateRule) throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      let after = library.importing(backup, .replace, rule)
      try #require(Multiset(after) == Multiset(backup), "seed \(test.seed)")
      try #require(Set(after.categories.map(\.name)) == backup.categoryNames, "seed \(test.seed)")
    }
  }

  @Test(
    "Merge, replace: the plan of a second import of the same backup is empty",
    arguments: unionStrategies.flatMap { strategy in unionRules.map { (strategy, $0) } }
      + DuplicateRule.allCases.map { (.replace, $0) })
  func secondImport(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.damaged.get() {
      let backup = test.backup
      let once = test.library.importing(backup, strategy, rule)
      let again = once.plan(backup, strategy, rule)
      try #require(again.edit.isEmpty, "seed \(test.seed): \(again.edit)")
      try #require(again.photosImported == 0, "seed \(test.seed)")
      try #require(again.categoriesImported == 0, "seed \(test.seed)")
      try #require(again.photosSkipped == backup.photos.count - again.missing.count, "seed \(test.seed)")
    }
  }

  @Test("Replace: removed photos are counted as a multiset, removed categories by name")
  func removalOfReplace() throws {
    for test in try MergeCase.damaged.get() {
      let library = test.library
      let after = library.importing(test.backup, .replace, .skip)
      let removal = Removal(from: library, to: after)
      try #require(
        removal.photos == Multiset(library).inOneCategory.subtracting(Multiset(after).inOneCategory).total,
        "seed \(test.seed)")
      let names = Set(library.categories.map(\.name)).subtracting(after.categories.map(\.name))
      try #require(removal.categories == names.count, "seed \(test.seed)")
    }
  }

  @Test("Merge: the photos do not depend on the order of the backups", arguments: unionStrategies, unionRules)
  func backupOrder(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.damaged.get() {
      let (library, backups) = (test.library, test.backups)
      func after(_ order: [Int]) -> Multiset {
        Multiset(order.reduce(library) { $0.importing(backups[$1], strategy, rule) })
      }
      try #require(after([0, 1]) == after([1, 0]), "seed \(test.seed)")
      let expected = after([0, 1, 2])
      for order in MergeCase.otherOrders {
        try #require(after(order) == expected, "seed \(test.seed), order \(order)")
      }
    }
  }

  @Test(
    "Merge: every photo of the library keeps its content, category and path",
    arguments: unionStrategies, DuplicateRule.allCases)
  func existingPhotos(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.damaged.get() {
      let (library, backup) = (test.library, test.backup)
      let after = library.importing(backup, strategy, rule)
      let byId = Dictionary(uniqueKeysWithValues: after.photos.map { ($0.id, $0) })
      for photo in library.photos {
        let now = try #require(byId[photo.id], "seed \(test.seed)")
        try #require(now.identity == photo.identity, "seed \(test.seed)")
        if rule != .replace { try #require(now == photo, "seed \(test.seed)") }
      }
      try #require(
        Set(library.categories.map(\.id)).isSubset(of: after.categories.map(\.id)), "seed \(test.seed)")
    }
  }

  @Test(
    "Import: every photo of the backup is counted as imported, skipped or missing",
    arguments: ImportStrategy.allCases, DuplicateRule.allCases)
  func photoCounts(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.damaged.get() {
      let (library, backup) = (test.library, test.backup)
      let plan = library.plan(backup, strategy, rule)
      let total = plan.photosImported + plan.photosSkipped + plan.missing.count
      try #require(total == backup.photos.count, "seed \(test.seed)")
      try #require(
        plan.edit.newPhotos.count + plan.edit.changedPhotos.count == plan.photosImported, "seed \(test.seed)")
      try #require(Set(plan.missing).count == plan.missing.count, "seed \(test.seed)")
    }
  }
}

extension OpenedBackup {
  fileprivate var categoryNames: Set<String> {
    Set(metadata.categories.map(\.name.precomposedStringWithCanonicalMapping))
  }
}

extension Photo {
  /// The values that no import changes.
  fileprivate var identity: [String] {
    [md5?.description ?? "", String(fileSize), String(categoryId), path]
  }
}
