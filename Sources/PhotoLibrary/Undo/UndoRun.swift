import FileSystem
import Foundation
internal import GRDB
import Operations
import SystemPackage

/// What an undo did.
public struct UndoSummary: Sendable, Equatable {
  /// What was taken back.
  package var kind: Change.Kind
  /// When that had been done, in milliseconds since 1970.
  public var changedAt: Int64
  /// Photos that are gone, since the change had brought them: by content in its category, as `Removal` counts.
  public var photosRemoved = 0
  /// Photos that are back.
  public var photosRestored = 0
  /// Photos that were there all the time, and have the values again that they had before the change.
  public var photosReverted = 0
  /// Categories that are gone.
  public var categoriesRemoved = 0
  /// Protections that are off again, since the change had raised them.
  public var protectionsLowered: [Protection] = []
  /// Categories that are back or have their old values again.
  public var categoriesRestored = 0
  /// Photos that are back without their files, which had gone before; each by name.
  public var missing: [Finding] = []
  /// Photos that are back with files whose bytes had changed; each by name.
  public var damaged: [Finding] = []

  /// Photos that are gone, and whose files stay since they are not what the change brought any more; each by name.
  public var left: [Finding] = []

  /// True when something did not become as it was.
  public var isIncomplete: Bool { !missing.isEmpty || !damaged.isEmpty || !left.isEmpty }
  /// Nothing was written.
  public var isDryRun = false
}

/// How something is undone.
public struct UndoOptions: Sendable {
  /// Says what would be undone, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// Confirms an undo that takes photos or categories away or lowers a protection, or gives the library's PIN.
  public var consent = Consent.refused

  /// The defaults.
  public init() {}
}

extension Work where Summary == UndoSummary {
  /// Starts taking back the last import or remove: rows, values and files are as they were before it. All or
  /// nothing, and whole after a crash. It cannot itself be taken back.
  ///
  /// The summary throws `UndoError`, `ConsentError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func undo(_ library: FilePath, options: UndoOptions = UndoOptions()) -> Self {
    Work { counter in
      try UndoRun(path: library, options: options, counter: counter).run()
    }
  }
}

/// One run of `undo`.
///
/// The files come back to their places first, where nothing points to them yet; if the run is cut short then, the
/// next writer puts them away again, as it does after a `replace`. One transaction then turns the rows back. The
/// files of the photos that go are known to it, and are deleted once nobody reads.
struct UndoRun {
  let path: FilePath
  let options: UndoOptions
  let counter: ProgressCounter

  func run() throws -> UndoSummary {
    if options.isDryRun {
      let library = try Library(path: path)
      let plan = try UndoPlan(library)
      return summary(
        of: plan, library, missing: try missing(plan, library), rotten: [], left: try left(plan, library))
    }
    let (writer, plan) = try LibraryWriter.approved(
      path, by: options.consent, lockWait: options.lockWait, whileWaiting: counter.waitForWriter
    ) { writer in
      let plan = try UndoPlan(writer.library)
      return (
        plan, DestructiveOperation(question(plan), removes: plan.removal, lowers: plan.lowered)
      )
    }
    try counter.checkCancellation()
    counter.enter(.committing)
    let missing = try missing(plan, writer.library)
    let left = try left(plan, writer.library)
    do {
      try ReplacedFiles(writer).moveBack(plan.restored, of: plan.change.id)
      try writer.write { database in
        try database.inTransaction(.immediate) {
          try plan.turnBack(database)
          return .commit
        }
      }
    } catch {
      // the files go where what the database says wants them; if this fails too, the next start does it
      try writer.decideCommit(after: error)
      try? ReplacedFiles(writer).settle()
      throw error
    }
    try? ReplacedFiles(writer).settle()
    counter.enter(.verifying)
    return summary(
      of: plan, writer.library, missing: missing, rotten: rotten(plan, writer.library, butFor: missing),
      left: left)
  }

  /// Photos that came back with other bytes than they had. They are where they were all the same: a rotten photo is
  /// better than none.
  private func rotten(_ plan: UndoPlan, _ library: Library, butFor missing: [Photo]) -> [Photo] {
    let gone = Set(missing.map(\.id))
    return plan.restored.filter { photo in
      guard !photo.isFromAssets, !plan.changed.contains(photo.id), !gone.contains(photo.id) else {
        return false
      }
      return (try? library.holds(photo)) != true
    }
  }

  private func question(_ plan: UndoPlan) -> String {
    let change = plan.change.kind == .remove ? "the removal" : "the import"
    let time = Date(milliseconds: plan.change.at).formatted(.iso8601)
    let parts =
      (plan.removal.isEmpty ? [] : [plan.removal.clause])
      + (plan.photosBack == 0 ? [] : ["\(plan.photosBack) come back"])
      + plan.lowered.map { "\($0.label) is turned off" }
    return "take back \(change) of \(time): \(parts.joined(separator: ", "))"
  }

  /// Photos that go, and in whose places lie other files than the change put there: a person's work, which no undo may
  /// take away.
  private func left(_ plan: UndoPlan, _ library: Library) throws -> [Photo] {
    try plan.removed.filter { photo in
      try counter.checkCancellation()
      guard !photo.isFromAssets else { return false }
      return try library.root.status(of: FilePath(photo.path)) != nil && !library.isUnchanged(photo)
    }
  }

  /// Photos whose file is neither in its place nor put away.
  private func missing(_ plan: UndoPlan, _ library: Library) throws -> [Photo] {
    try plan.restored.filter { photo in
      guard !photo.isFromAssets, !plan.changed.contains(photo.id) else { return false }
      return try library.root.status(of: FilePath(photo.path)) == nil
        && library.root.status(of: ReplacedFiles.path(ofPhoto: photo.id, change: plan.change.id)) == nil
    }
  }

  /// Throws nothing, since by now the change stands.
  private func summary(
    of plan: UndoPlan, _ library: Library, missing: [Photo], rotten: [Photo], left: [Photo]
  ) -> UndoSummary {
    var summary = UndoSummary(kind: plan.change.kind, changedAt: plan.change.at)
    summary.photosRemoved = plan.removal.photos
    summary.photosRestored = plan.photosBack
    summary.photosReverted = plan.restored.count - plan.photosBack
    summary.categoriesRemoved = plan.removal.categories
    summary.protectionsLowered = plan.lowered
    summary.categoriesRestored = plan.restoredCategories
    let names = (try? library.categoryNames()) ?? [:]
    let label = { (photo: Photo) in
      PhotoLabel.label(id: photo.id, category: names[photo.categoryId] ?? "", name: photo.name)
    }
    summary.missing = missing.map { Finding(label($0), "its file \($0.path.escaped) is gone") }
    summary.damaged = rotten.map { Finding(label($0), "its bytes have changed since it was put away") }
    summary.left = left.map {
      Finding(label($0), "its file \($0.path.escaped) is not what was imported any more, and stays")
    }
    summary.isDryRun = options.isDryRun
    return summary
  }
}

extension UndoPlan {
  /// Gives every row its old state, and keeps the rows that go as those of replaced photos, by which their files
  /// are found and deleted.
  func turnBack(_ database: Database) throws {
    // categories and photos refer to each other only when all are back
    try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
    let undo = Change.Record(id: UUID().uuidString, kind: .undo, at: Date().milliseconds)
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
    ] {
      if table == "settings" { try database.execute(sql: "DELETE FROM settings") }
      let columns = try database.columns(in: table).map(\.name).joined(separator: ", ")
      try database.execute(
        sql: "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(copy) WHERE changeId = ?",
        arguments: [change.id])
      try database.execute(sql: "DELETE FROM \(copy) WHERE changeId = ?", arguments: [change.id])
    }
    try database.execute(sql: "DELETE FROM added WHERE changeId = ?", arguments: [change.id])
    try database.execute(sql: "DELETE FROM deletion WHERE changeId = ?", arguments: [change.id])
  }
}
