import ArgumentParser
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove photos, or a category with its photos.",
    discussion: """
      Different options are combined with AND, repeated ones with OR. --category alone removes the category and its \
      photos. Later imports do not bring the photos back. `smilepile undo` restores the photos, until the next import, \
      removal or addition. Asks for a confirmation; without a terminal, --yes is needed.

      Example:
        smilepile remove -l ~/Family --category Cars --name 'blurred*' --dry-run
      """)

  @Flag(name: [.customShort("n"), .long], help: "Report what would be removed, and write nothing.")
  var dryRun = false

  @OptionGroup var photos: SelectionOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var target: LibraryChangeOptions

  func validate() throws { try photos.require() }

  func run() async throws {
    try await target.prepare(isDryRun: dryRun, confirmation).remove(photos.selection)
  }
}

extension LibraryChange {
  /// Removes photos, and reports what was removed.
  ///
  /// - Parameter kept: the IDs of photos that must be intact, since they are kept in the place of removed ones.
  func remove(_ selection: LibrarySelection, keeping kept: [Int64] = []) async throws {
    let isDryRun = options.isDryRun
    let summary = try await reporter.follow(
      .remove(selection, from: library, keeping: kept, options: options))
    if isDryRun {
      for photo in summary.photos { reporter.result("photo \(photo.id)  \(photo.name.escaped)") }
      for category in summary.categories { reporter.result("category  \(category.displayName.escaped)") }
    }
    for photo in summary.missing { reporter.warn(photo.message) }
    reporter.importantResult(
      "\(isDryRun ? "would remove" : "removed") \(Count(summary.photos.count, "photo")) "
        + "(\(ByteCount(summary.bytes)))"
        + (summary.categories.isEmpty
          ? "" : " and \(Count(summary.categories.count, "category", "categories"))")
        + (isDryRun ? "" : Self.promise(summary)))
    json(
      summary.photos.map(\.id), categories: summary.categories.count, bytes: summary.bytes,
      missing: summary.missing.map(\.message))
  }

  /// Reports that there is nothing to remove.
  func reportNothingToRemove() {
    reporter.importantResult("there is nothing to remove")
    json([], categories: 0, bytes: 0, missing: [])
  }

  private func json(_ photos: [Int64], categories: Int, bytes: Int, missing: [String]) {
    reporter.json(
      "summary",
      [
        "photos_removed": photos.count, "categories_removed": categories, "bytes": bytes,
        "photo_ids": photos, "missing": missing, "dry_run": options.isDryRun,
      ])
  }

  /// Returns the part of the message about an undo. An undo may be unable to restore photos with missing files.
  private static func promise(_ summary: RemoveSummary) -> String {
    if summary.missing.isEmpty { return "; run smilepile undo to restore" }
    return summary.missing.count < summary.photos.count ? "; run smilepile undo to restore the others" : ""
  }
}
