import Foundation
import PhotoLibrary
import Testing

@testable import Backup

/// The values and the IDs of categories, settings and photo rows after an import.
@Suite struct MergeValuesTests {

  @Test("Merge: categories and settings do not depend on the order of the backups")
  func backupOrder() throws {
    for test in try MergeCase.intact.get() {
      let (library, backups) = (test.library, test.backups)
      func after(_ order: [Int]) -> LibraryContents {
        order.reduce(library) { $0.importing(backups[$1], .merge, .skip) }
      }
      let expected = after([0, 1, 2])
      for order in MergeCase.otherOrders {
        let result = after(order)
        try #require(result.categoryValues == expected.categoryValues, "seed \(test.seed), order \(order)")
        try #require(
          SettingsValues(result.settings) == SettingsValues(expected.settings),
          "seed \(test.seed), order \(order)")
      }
    }
  }

  @Test("Merge: a category keeps the newer of two sets of values")
  func newerValues() throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      let after = library.importing(backup, .merge, .skip).categoryValues
      for (name, values) in library.categoryValues {
        let dates = backup.metadata.categories
          .filter { $0.name == name }.map { $0.valuesAsOf ?? backup.metadata.exportDate ?? .min }
        let now = try #require(after[name], "seed \(test.seed)")
        guard let date = dates.first else {
          try #require(now == values, "seed \(test.seed): the backup does not know \(name)")
          continue
        }
        try #require(now.valuesAsOf == max(date, values.valuesAsOf), "seed \(test.seed)")
        if date < values.valuesAsOf { try #require(now == values, "seed \(test.seed)") }
      }
    }
  }

  @Test("Import: the strategy skip changes no category and no setting", arguments: DuplicateRule.allCases)
  func skip(_ rule: DuplicateRule) throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      let plan = library.plan(backup, .skip, rule)
      try #require(plan.edit.changedCategories.isEmpty, "seed \(test.seed)")
      try #require(plan.edit.settings == nil, "seed \(test.seed)")
      if rule != .replace { try #require(plan.edit.changedPhotos.isEmpty, "seed \(test.seed)") }
    }
  }

  @Test("Import: a backup can turn protections on, but never off", arguments: ImportStrategy.allCases)
  func protections(_ strategy: ImportStrategy) throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      let after = library.importing(backup, strategy, .skip).settings
      let before = library.settings
      // A value that no backup stated is a default, which an import can change.
      try #require(after.kidSafeModeEnabled || before.kidSafeMode != true, "seed \(test.seed)")
      try #require(after.deleteProtectionEnabled || !before.deleteProtectionEnabled, "seed \(test.seed)")
      try #require(!after.cameraAccessAllowed || before.cameraAccess != false, "seed \(test.seed)")
      let counts = strategy != .skip && backup.metadata.smilepile?.includesSettings != false
      if counts, let raised = backup.metadata.settings?.securitySettings {
        try #require(after.kidSafeModeEnabled || raised.kidSafeModeEnabled != true, "seed \(test.seed)")
        try #require(
          after.deleteProtectionEnabled || raised.deleteProtectionEnabled != true, "seed \(test.seed)")
        try #require(!after.cameraAccessAllowed || raised.cameraAccessAllowed != false, "seed \(test.seed)")
      }
      try #require(after.changedAt >= after.createdAt, "seed \(test.seed)")
      try #require(after.createdAt == before.createdAt, "seed \(test.seed)")
    }
  }

  @Test(
    "Merge: an ID of the backup is kept if it is free, otherwise a new one is assigned",
    arguments: [ImportStrategy.merge, .skip], DuplicateRule.allCases)
  func freeIDs(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      let plan = library.plan(backup, strategy, rule)
      let after = library.applied(plan)
      try #require(Set(after.photos.map(\.id)).count == after.photos.count, "seed \(test.seed)")
      try #require(Set(after.categories.map(\.id)).count == after.categories.count, "seed \(test.seed)")
      let new = plan.edit.newPhotos.map(\.id) + plan.edit.newCategories.map(\.id)
      try #require(new.allSatisfy(IDs.range.contains), "seed \(test.seed)")
      let taken = Set(library.photos.map(\.id))
      for file in plan.filesToExtract {
        let id = backup.photos[file.source].record.id
        guard IDs.range.contains(id), !taken.contains(id) else { continue }
        try #require(file.id == id, "seed \(test.seed)")
      }
      let takenCategories = Set(library.categories.map(\.id))
      for category in plan.edit.newCategories {
        // The first of two categories with the same name determines the ID.
        let first = backup.metadata.categories.first { $0.name == category.name }
        let id = try #require(first?.id, "seed \(test.seed)")
        guard IDs.range.contains(id), !takenCategories.contains(id) else { continue }
        try #require(category.id == id, "seed \(test.seed)")
      }
    }
  }

  @Test("Replace: photo IDs in 1…2⁵³ are those of the backup, and all IDs are in that range")
  func idsUnderReplace() throws {
    for test in try MergeCase.intact.get() {
      let (library, backup) = (test.library, test.backup)
      var planning = MergePlanning(photos: backup.photos.count)
      let empty = LibraryContents(categories: [], photos: [], settings: library.settings)
      let categories = planning.mergeCategories(backup.metadata, empty, updates: false)
      let rows = Replacement(
        of: library, by: backup, categories: planning.edit.newCategories, byID: categories.byID
      ).rows
      try #require(rows.allSatisfy { IDs.range.contains($0.photo.id) }, "seed \(test.seed)")
      try #require(Set(rows.map(\.photo.id)).count == rows.count, "seed \(test.seed)")
      for row in rows {
        let id = backup.photos[row.source].record.id
        if IDs.range.contains(id) { try #require(row.photo.id == id, "seed \(test.seed)") }
      }
    }
  }

  @Test("Replace: category IDs in 1…2⁵³ are those of the backup, and all IDs are in that range")
  func categoryIDsUnderReplace() throws {
    for test in try MergeCase.intact.get() {
      let after = test.library.importing(test.backup, .replace, .skip)
      for category in after.categories {
        try #require(IDs.range.contains(category.id), "seed \(test.seed)")
        let first = test.backup.metadata.categories.first { $0.name == category.name }
        let id = try #require(first?.id, "seed \(test.seed)")
        if IDs.range.contains(id) { try #require(category.id == id, "seed \(test.seed)") }
      }
    }
  }

  @Test("Replace: IDs do not depend on the previous content of the library")
  func replaceIsDeterministic() throws {
    for test in try MergeCase.intact.get() {
      let one = test.library.importing(test.backup, .replace, .skip)
      let other = LibraryContents.empty.importing(test.backup, .replace, .skip)
      try #require(one.photos.map(\.id) == other.photos.map(\.id), "seed \(test.seed)")
      try #require(one.categories == other.categories, "seed \(test.seed)")
    }
  }

  @Test(
    "Merge: importing a library's own export changes nothing",
    arguments: [ImportStrategy.merge, .skip], MergeContentTests.unionRules)
  func ownExport(_ strategy: ImportStrategy, _ rule: DuplicateRule) throws {
    for test in try MergeCase.intact.get() {
      let library = test.library
      let plan = library.plan(try library.exported(), strategy, rule)
      try #require(plan.edit.isEmpty, "seed \(test.seed): \(plan.edit)")
    }
  }

  @Test("Replace: an export imported into an empty library makes an equal library")
  func exportedCopy() throws {
    for test in try MergeCase.intact.get() {
      var library = test.library
      let plan = LibraryContents.empty.plan(try library.exported(), .replace, .skip)
      var copy = LibraryContents.empty.applied(plan)
      for index in copy.photos.indices where !copy.photos[index].isFromAssets { copy.photos[index].path = "" }
      for index in library.photos.indices where !library.photos[index].isFromAssets {
        library.photos[index].path = ""
      }
      try #require(copy.photos == library.photos, "seed \(test.seed)")
      try #require(copy.categories == library.categories, "seed \(test.seed)")
      try #require(copy.categoryValues == library.categoryValues, "seed \(test.seed)")
      try #require(SettingsValues(copy.settings) == SettingsValues(library.settings), "seed \(test.seed)")
    }
  }
}

extension LibraryContents {
  /// An opened backup of these contents in which every file is intact.
  fileprivate func exported() throws -> OpenedBackup {
    let plan = try ExportPlan(self, ExportOptions()) { photos in
      photos.map { .success(.init(size: $0.fileSize, modified: $0.createdAt)) }
    }
    let digests = plan.items.compactMap(\.photo.md5)
    var json: [UInt8] = []
    plan.document(uuid: UUID(), exportDate: 4000)
      .write(photos: plan.records, manifest: plan.manifest(digests)) { json += $0 }
    let metadata = try Metadata(json: json)
    let original = Dictionary(
      uniqueKeysWithValues: metadata.photoManifest.map { ($0.photoId, $0.originalPath) })
    let md5 = Dictionary(uniqueKeysWithValues: photos.map { ($0.id, $0.md5) })
    return try OpenedBackup.sample(
      metadata,
      photos: metadata.photos.map { record in
        var content = PhotoLocation.asset
        if let digest = md5[record.id] ?? nil {
          content = .file("/nowhere", size: Int(record.fileSize), md5: digest)
        }
        return OpenedBackup.Photo(
          record: record, originalPath: original[record.id] ?? record.path, location: content)
      })
  }
}
