import Operations
import PhotoLibrary

/// The changes of a library by an import: a pure function of the backup, the library, the strategy, the rule for
/// duplicates and the library's intact files. The plan is complete when it is made, and a dry run is the plan
/// itself.
///
/// A category is identified by its name in NFC. A photo is identified by its content (MD5 and size) in its
/// category, an asset by its path in its category. Merging is a multiset union: each photo of the backup matches at most
/// one photo of the library, by equal rows first, then by equal name, then in any order.
package struct MergePlan: Sendable {
  /// A new photo whose file comes from the backup.
  struct FileToExtract: Sendable, Equatable {
    /// The ID of one of `edit.newPhotos`.
    let id: Int64
    /// The index of the backup's photo.
    let source: Int
    /// The MD5 and size of the file.
    let content: FileContent
    /// The date of the file.
    let modified: Timestamp

    /// Returns nil if the backup does not have the file.
    init?(_ photo: OpenedBackup.Photo, id: Int64, source: Int) {
      guard let content = photo.location.content else { return nil }
      (self.id, self.source, self.content) = (id, source, content)
      modified = photo.record.createdAt
    }
  }

  /// What the import does with a photo of the backup.
  package enum Outcome: Sendable, Equatable {
    /// Adds it, with its file from the backup or with a file that the library has already.
    case added
    /// Adds a copy under this name, since the library has the photo.
    case renamed(String)
    /// Gives the library's photo with this ID other values.
    case updated(Int64)
    /// Moves the library's photo with this ID from an unlisted category to the photo's category.
    case moved(Int64)
    /// Changes nothing, since the library has the photo with this ID.
    case skipped(Int64)
    /// Leaves it out, since a person removed it from the library.
    case removedBefore
    /// Leaves it out, since a person moved it to a category that has another photo with the same bytes.
    case joined
    /// Leaves it out, since neither the backup nor the library has its file.
    case missing

    /// The ID of the library's photo; nil if the photo is new or left out.
    var existing: Int64? {
      switch self {
      case .updated(let id), .moved(let id), .skipped(let id): id
      case .added, .renamed, .removedBefore, .joined, .missing: nil
      }
    }
  }

  /// The changes of the rows. New photos with files have no paths yet; see `edit(_:without:)`.
  package let edit: LibraryEdit
  /// The files that come from the backup.
  let filesToExtract: [FileToExtract]
  /// What happens to each photo, in the backup's order.
  package let outcomes: [Outcome]
  /// The number of categories that are created or get new values.
  package let categoriesImported: Int
  /// Warnings about the backup.
  package let warnings: [String]

  /// The indices of the backup's photos that neither the backup nor the library has.
  package var missing: [Int] { outcomes.indices.filter { outcomes[$0] == .missing } }
  /// The number of photos that are new or get new values.
  package var photosImported: Int {
    outcomes.count { outcome in
      switch outcome {
      case .added, .renamed, .updated, .moved: true
      case .skipped, .removedBefore, .joined, .missing: false
      }
    }
  }
  /// The number of photos that the library already has.
  package var photosSkipped: Int {
    outcomes.count { outcome in
      switch outcome {
      case .skipped, .joined: true
      case .added, .renamed, .updated, .moved, .removedBefore, .missing: false
      }
    }
  }
  /// The number of photos that stay removed.
  package var photosRemovedBefore: Int { outcomes.count { $0 == .removedBefore } }

  /// Bytes of all files that come from the backup.
  var bytes: Int { filesToExtract.saturatedSum(\.content.size) }

  /// Makes the plan. Every photo of `backup` that has a file must have its MD5.
  ///
  /// - Parameters:
  ///   - restoresRemoved: adds photos again that a person removed from the library.
  ///   - duplicates: decides how to handle a photo that the library already has.
  ///   - intact: for a replacement, returns the IDs of the photos whose files are intact and can be kept.
  init(
    importing backup: OpenedBackup, into library: LibraryContents, strategy: ImportStrategy,
    includesSettings: Bool, restoresRemoved: Bool = false, now: Timestamp,
    duplicates: (Duplicate) -> DuplicateRule,
    intact: ([Replacement.Row]) throws -> Set<Int64>
  ) rethrows {
    var planning = MergePlanning(photos: backup.photos.count)
    let existing =
      strategy == .replace
      ? LibraryContents(categories: [], photos: [], settings: library.settings) : library
    let replay = MovementReplay(of: existing, on: backup)
    let places = PhotoPlaces(of: backup, replay, restoresRemoved: restoresRemoved)
    let categories = planning.mergeCategories(
      backup.metadata, existing, places, updates: strategy == .merge)
    if strategy == .replace {
      var replacement = Replacement(
        of: library, by: backup, categories: planning.edit.newCategories, byID: categories.byID)
      replacement.keep(try intact(replacement.rows.filter(\.isKept)), of: backup)
      planning.replaceCategories(replacement)
      planning.replacePhotos(replacement, backup)
      // what a person moved and removed before the backup was made
      let movements = (backup.metadata.smilepile?.movements ?? []).map(Movement.init)
      if movements != library.movements { planning.edit.movements = movements }
    } else {
      planning.mergePhotos(backup, existing, categories, places, strategy, duplicates)
    }
    if includesSettings, strategy != .skip {
      planning.edit.settings = Self.settings(
        backup.metadata, library.settings, replaces: strategy == .replace, now: now)
    }
    (edit, filesToExtract, outcomes) = (planning.edit, planning.filesToExtract, planning.outcomes)
    categoriesImported = planning.edit.newCategories.count + planning.changedCategoryValues
    warnings = planning.warnings
  }

  /// Returns the edit with the paths of the new files.
  ///
  /// - Parameter damaged: the IDs of new photos that are left out, since their files are corrupt in the backup.
  func edit(_ placement: Placement, without damaged: Set<Int64>) -> LibraryEdit {
    let paths = Dictionary(uniqueKeysWithValues: placement.files.map { ($0.planned.id, $0.path) })
    var edit = edit(without: damaged)
    for index in edit.newPhotos.indices {
      if let path = paths[edit.newPhotos[index].id] { edit.newPhotos[index].path = path }
    }
    return edit
  }

  /// Returns the edit without some new photos, by ID.
  func edit(without damaged: Set<Int64>) -> LibraryEdit {
    var edit = edit
    if !damaged.isEmpty {
      edit.newPhotos.removeAll { damaged.contains($0.id) }
      edit.returnedPhotos.removeAll { damaged.contains($0) }
    }
    return edit
  }

  // MARK: Settings

  /// Returns the settings after the import, nil if they do not change.
  private static func settings(
    _ metadata: Metadata, _ current: Settings, replaces: Bool, now: Timestamp
  ) -> Settings? {
    var result = current.merged(with: metadata.statedSettings, replaces: replaces)
    guard result != current else { return nil }
    result.changedAt = max(now, result.createdAt)
    return result
  }
}
