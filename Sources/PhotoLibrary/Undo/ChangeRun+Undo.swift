import FileSystem
import Foundation
internal import GRDB
import Operations
import SystemPackage

/// The result of `undo`.
public struct UndoSummary: Sendable, Equatable, FindingReport {
  /// The kind of the change that was undone.
  package var kind: Change.Kind
  /// The time of that change.
  public var changedAt: Timestamp
  /// Removed photos, which the change had added; counted as `Removal` counts.
  public var photosRemoved = 0
  /// Photos that the change had removed.
  public var photosRestored = 0
  /// Photos of the library that have their former values again.
  public var photosReverted = 0
  /// Removed categories, which the change had added.
  public var categoriesRemoved = 0
  /// Protections that are off again, since the change had turned them on.
  public var protectionsLowered: [Protection] = []
  /// Categories that are back or have their former values again.
  public var categoriesRestored = 0
  /// Photos that are back, and whose files are missing.
  public var missing: [Finding] = []
  /// Photos that are back, and whose files are corrupt or could not be checked.
  public var damaged: [Finding] = []
  /// Removed photos whose files stay, since they have changed since the import.
  public var left: [Finding] = []

  /// True if something is not as it was before the change.
  public var isIncomplete: Bool { !findings.isEmpty }

  /// All photos that are missing, corrupt or left.
  public var findings: [Finding] { missing + damaged + left }
  /// The number of earlier changes that can be undone next.
  public var remaining = 0
  /// Nothing was written.
  public var isDryRun = false
}

extension UndoSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photosRestored, removed: photosRemoved), findings: findings,
      isIncomplete: isIncomplete)
  }
}

extension Work where Summary == UndoSummary {
  /// Starts taking back the newest change that `Library.undoableChanges` lists: rows, values and files are as they were
  /// before it. All or nothing, and complete after an interruption. An undo cannot be undone.
  ///
  /// The summary throws `UndoError`, `AuthorizationError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func undo(_ library: FilePath, options: ChangeOptions = ChangeOptions()) -> Self {
    let operation = RecordedOperation(.undo, ofLibrary: library, isDryRun: options.isDryRun)
    return Work(operation, by: options.recorder) { counter in
      try ChangeRun(path: library, options: options, counter: counter).undo()
    }
  }
}

extension ChangeRun {
  /// Takes the newest change back.
  ///
  /// Files move back to their places first; after an interruption, `LibraryRecovery` moves them to `.undo` again. One
  /// transaction then restores the rows, and keeps those of the removed photos in `replacedPhoto`, by which their files
  /// are deleted when no process reads.
  func undo() throws -> UndoSummary {
    let (plan, library, writer) = try options.approve(path, counter) { library in
      let plan = try UndoPlan(library)
      return (plan, [DestructiveOperation(question(plan), removes: plan.removal, lowers: plan.lowered)])
    }
    if writer != nil {
      try counter.checkCancellation()
      counter.enter(.committing)
    }
    let missing = try missing(plan, library)
    let left = try left(plan, library)
    guard let writer else { return summary(of: plan, library, missing: missing, corrupt: [], left: left) }
    do {
      try ReplacedFiles(writer).moveBack(plan.restored, of: plan.change.id)
      try writer.transaction { try plan.restore($0) }
    } catch {
      // the rows tell where the files belong; if this fails too, the next writer moves them
      try writer.makeCommitDurable(after: error)
      _ = try? ReplacedFiles(writer).settle()
      throw error
    }
    _ = try? ReplacedFiles(writer).settle()
    counter.enter(.verifying)
    return summary(
      of: plan, library, missing: missing, corrupt: corrupt(plan, library, except: missing), left: left)
  }

  /// Returns the photos that came back with corrupt files, or could not be checked. These are in their places too: a
  /// corrupt photo is better than none. Does not throw, since the undo is committed.
  private func corrupt(_ plan: UndoPlan, _ library: Library, except missing: [Photo]) -> [Finding] {
    let missing = Set(missing.map(\.id))
    let categories = (try? library.categories()) ?? []
    return plan.restored.compactMap { photo in
      guard !photo.isFromAssets, !plan.changed.contains(photo.id), !missing.contains(photo.id) else {
        return nil
      }
      do {
        if try library.hasIntactFile(of: photo) { return nil }
        return Finding(categories.label(of: photo), "its file \(photo.path.escaped) is corrupt")
      } catch {
        return Finding(categories.label(of: photo), "its file could not be checked: \(error)")
      }
    }
  }

  private func question(_ plan: UndoPlan) -> String {
    let time = plan.change.at.iso8601
    let parts =
      (plan.removal.isEmpty ? [] : [plan.removal.clause])
      + (plan.photosBack == 0 ? [] : ["restore \(Count(plan.photosBack, "photo"))"])
      + plan.lowered.map { "turn \($0.label) off" }
    return "undo \(plan.change.kind.label) at \(time): \(parts.joined(separator: ", "))"
  }

  /// Returns the photos to remove whose files have changed since the import. Undo does not delete these files: they may
  /// be a person's work.
  private func left(_ plan: UndoPlan, _ library: Library) throws -> [Finding] {
    // before the undo, which may remove categories
    let categories = try library.categories()
    return try plan.removed.compactMap { photo in
      try counter.checkCancellation()
      guard !photo.isFromAssets, try library.root.status(of: FilePath(photo.path)) != nil,
        try !library.isUnchanged(photo)
      else { return nil }
      return Finding(
        categories.label(of: photo),
        "its file \(photo.path.escaped) has changed since the import, and was kept")
    }
  }

  /// Returns the photos whose file is neither in its place nor in `.undo`.
  private func missing(_ plan: UndoPlan, _ library: Library) throws -> [Photo] {
    try plan.restored.filter { photo in
      guard !photo.isFromAssets, !plan.changed.contains(photo.id) else { return false }
      return try library.root.status(of: FilePath(photo.path)) == nil
        && library.root.status(of: ReplacedFiles.path(ofPhoto: photo.id, change: plan.change.id)) == nil
    }
  }

  /// Does not throw, since the undo is committed.
  private func summary(
    of plan: UndoPlan, _ library: Library, missing: [Photo], corrupt: [Finding], left: [Finding]
  ) -> UndoSummary {
    let categories = (try? library.categories()) ?? []
    let summary = UndoSummary(
      kind: plan.change.kind, changedAt: plan.change.at, photosRemoved: plan.removal.photos,
      photosRestored: plan.photosBack, photosReverted: plan.restored.count - plan.photosBack,
      categoriesRemoved: plan.removal.categories, protectionsLowered: plan.lowered,
      categoriesRestored: plan.restoredCategories,
      missing: missing.map { Finding(categories.label(of: $0), "its file \($0.path.escaped) is missing") },
      damaged: corrupt, left: left, remaining: plan.remaining, isDryRun: options.isDryRun)
    counter.report(summary.findings)
    return summary
  }
}

extension UndoPlan {
  /// Restores every row, and keeps those of the removed photos in `replacedPhoto`, by which their files are found and
  /// deleted.
  func restore(_ database: Database) throws {
    // the references of photos to categories are valid when all rows are restored
    try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
    let undo = Change.Record(id: UUID().uuidString, kind: .undo, at: .now)
    try undo.insert(database)
    try database.execute(
      sql: "INSERT INTO replacedSettings SELECT ?, * FROM settings", arguments: [undo.id])
    try database.execute(
      sql: "INSERT INTO replacedPhoto SELECT ?, * FROM photo WHERE \(Self.isAdded("photo"))",
      arguments: [undo.id, change.id])
    for (table, copy) in [("photo", "replacedPhoto"), ("category", "replacedCategory")] {
      try database.execute(
        sql: """
          DELETE FROM \(table) WHERE \(Self.isAdded(table))
            OR id IN (SELECT id FROM \(copy) WHERE changeId = ?)
          """, arguments: [change.id, change.id])
    }
    for (table, copy) in [
      ("category", "replacedCategory"), ("photo", "replacedPhoto"), ("settings", "replacedSettings"),
      ("identity", "replacedIdentity"),
    ] {
      // tables of one row, which the undo replaces
      if ["settings", "identity"].contains(table) {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE EXISTS (SELECT * FROM \(copy) WHERE changeId = ?)",
          arguments: [change.id])
      }
      let columns = try database.columns(in: table).map(\.name).joined(separator: ", ")
      try database.execute(
        sql: "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(copy) WHERE changeId = ?",
        arguments: [change.id])
      try database.execute(sql: "DELETE FROM \(copy) WHERE changeId = ?", arguments: [change.id])
    }
    try database.execute(sql: "DELETE FROM added WHERE changeId = ?", arguments: [change.id])
    try Addition.delete(changeID: change.id, database)
    let back = restored.map(\.id).filter { !changed.contains($0) }
    try Addition.insert(back, changeID: undo.id, database)
    try Movement.delete(changeID: change.id, database)
    try Dismissal.delete(changeID: change.id, database)
  }
}

extension ReplacedFiles {
  /// Moves files back to their places in `photos`, for an undo that is about to be committed. If it is not committed,
  /// `settle` moves them to `.undo` again.
  ///
  /// - Throws: `UndoError.placeTaken` if an untracked file is in the place of a photo.
  fileprivate func moveBack(_ photos: [Photo], of change: String) throws {
    var folders: Set<FilePath> = []
    for photo in photos where !photo.isFromAssets {
      let (place, source) = (FilePath(photo.path), Self.path(ofPhoto: photo.id, change: change))
      guard try library.root.status(of: source) != nil else { continue }
      guard try library.root.status(of: place) == nil else {
        throw UndoError.placeTaken(library.root.path(of: place))
      }
      let folder = place.removingLastComponent()
      if folders.insert(folder).inserted { try library.root.makeDirectories(folder) }
      try library.root.rename(source, to: library.root, as: place)
    }
    for folder in folders { try library.root.directory(folder).sync() }
  }
}
