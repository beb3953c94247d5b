import ArgumentParser
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

struct Undo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Undo the last change.",
    discussion: """
      Restores photos, categories and settings to the state before the last change. Run it again for the change \
      before; --list lists the changes that can be undone. An import or a removal ends the undo of everything before, \
      and added photos end the undo of all changes. An import of several backups makes one change for each backup. A \
      file that was changed after the import is kept and reported. Asks for a confirmation before it removes anything; \
      without a terminal, --yes is needed.

      Example:
        smilepile undo -l ~/Family
      """)

  @Flag(name: [.customShort("n"), .long], help: "Report what would be undone, and write nothing.")
  var dryRun = false

  @Flag(help: "List the changes that can be undone, newest first, and undo nothing.")
  var list = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var target: LibraryChangeOptions

  private var reporter: Reporter { target.reporter }

  func validate() throws {
    if list, dryRun { throw ValidationError("--list and --dry-run contradict each other; choose one") }
  }

  func run() async throws {
    let change = try target.prepare(isDryRun: dryRun, confirmation)
    let path = change.library
    if list { return try report(Library(path: path).undoableChanges(), of: path) }
    let summary = try await reporter.follow(.undo(path, options: change.options), during: "undo")
    let date = summary.changedAt.iso8601
    let verb = dryRun ? "would undo" : "undid"
    let reverted = summary.photosReverted
    let removal = Removal(photos: summary.photosRemoved, categories: summary.categoriesRemoved)
    let removed = removal.isEmpty ? "0 photos" : "\(removal)"
    let photos = ": \(removed) removed, \(summary.photosRestored) restored"
    reporter.importantResult(
      "\(verb) \(summary.kind.label) at \(date)"
        + ([.settings, .dismiss].contains(summary.kind) ? "" : photos)
        + (reverted == 0 ? "" : ", \(reverted) changed back")
        + summary.protectionsLowered.map { ", \($0.label) turned off" }.joined()
        + (summary.remaining == 0
          ? "" : "; \(Count(summary.remaining, "earlier change")) can be undone"))
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "undone": summary.kind.rawValue, "changed_at": summary.changedAt,
        "photos_removed": summary.photosRemoved, "photos_restored": summary.photosRestored,
        "photos_reverted": reverted, "categories_removed": summary.categoriesRemoved,
        "categories_restored": summary.categoriesRestored,
        "protections_lowered": summary.protectionsLowered.map(\.identifier),
        "missing": summary.missing.map(\.message), "damaged": summary.damaged.map(\.message),
        "left": summary.left.map(\.message), "remaining": summary.remaining, "dry_run": summary.isDryRun,
      ])
  }

  /// Returns what a change did: `2 photos added, 1 category changed or removed`.
  private static func effects(of change: UndoableChange) -> String {
    func count(_ number: Int, _ one: String, _ many: String, _ verb: String) -> String? {
      number == 0 ? nil : "\(Count(number, one, many)) \(verb)"
    }
    return [
      count(change.photosAdded, "photo", "photos", "added"),
      count(change.photosReplaced, "photo", "photos", "changed or removed"),
      count(change.categoriesAdded, "category", "categories", "added"),
      count(change.categoriesReplaced, "category", "categories", "changed or removed"),
    ].compactMap(\.self).joined(separator: ", ")
  }

  private func report(_ changes: [UndoableChange], of path: FilePath) {
    for change in changes {
      reporter.json(
        "undoable_change",
        [
          "kind": change.kind.rawValue, "changed_at": change.changedAt, "photos_added": change.photosAdded,
          "photos_replaced": change.photosReplaced, "categories_added": change.categoriesAdded,
          "categories_replaced": change.categoriesReplaced,
        ])
    }
    reporter.json("summary", ["changes": changes.count])
    reporter.result(
      TextTable(
        .left, .left, .left,
        rows: changes.map { change in
          [change.changedAt.localSecond, change.kind.label, Self.effects(of: change)]
        }))
    if changes.isEmpty { reporter.note("no change of \(path.string.escaped) can be undone") }
  }
}
