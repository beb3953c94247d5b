import ArchiveCatalog
import ArgumentParser
import FileSystem
import Jobs
import Operations
import PhotoLibrary

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove photos, or a category with its photos.",
    discussion: """
      Different options are combined with AND, repeated ones with OR. --category alone removes the category and its \
      photos. `smilepile undo` restores the photos, until the next import, removal or addition. Asks for a \
      confirmation; without a terminal, --yes is needed.

      Example:
        smilepile remove -l ~/Family --category Cars --name 'blurred*' --dry-run
      """)

  @Option(
    help: ArgumentHelp(
      "Remove the photo with this ID (smilepile photos lists IDs); may be given several times."))
  var id: [Int64] = []

  @Option(
    help: ArgumentHelp(
      "Remove photos whose name or file name matches, with *, ? and [a-z]; may be given several times.",
      valueName: "pattern"))
  var name: [String] = []

  @Option(name: .shortAndLong, help: "Remove photos of this category; may be given several times.")
  var category: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Report what would be removed, and write nothing.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: CommonOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var photosRemoved: Int
    var categoriesRemoved: Int
    var bytes: Int
    var photoIds: [Int64]
    var missing: [String]
    var dryRun: Bool
  }

  func validate() throws {
    if id.isEmpty, name.isEmpty, category.isEmpty {
      throw ValidationError("choose photos with --id, --name or --category")
    }
  }

  func run() async throws {
    var selection = RemoveSelection()
    selection.ids = id
    selection.names = name
    selection.categories = category
    var options = RemoveOptions()
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    let reporter = Reporter(output)
    let path = try library.path()
    options.authorization = try confirmation.authorization(reporter, for: path)
    let summary = try await Ledger.ofThisUser.recording(
      RecordedOperation(.remove, library: path, isDryRun: dryRun)
    ) {
      try await reporter.follow(.remove(selection, from: path, options: options))
    }
    if dryRun {
      for photo in summary.photos { reporter.result("photo \(photo.id)  \(photo.name.escaped)") }
      for category in summary.categories { reporter.result("category  \(category.displayName.escaped)") }
    }
    for photo in summary.missing { reporter.warn(photo.message) }
    reporter.importantResult(
      "\(dryRun ? "would remove" : "removed") \(Count(summary.photos.count, "photo")) "
        + "(\(ByteCount(summary.bytes)))"
        + (summary.categories.isEmpty
          ? "" : " and \(Count(summary.categories.count, "category", "categories"))")
        + (dryRun ? "" : Self.promise(summary)))
    reporter.json(
      Summary(
        photosRemoved: summary.photos.count, categoriesRemoved: summary.categories.count,
        bytes: summary.bytes, photoIds: summary.photos.map(\.id),
        missing: summary.missing.map(\.message), dryRun: summary.isDryRun))
  }

  /// Returns the part of the message about an undo. An undo may be unable to restore photos with missing files.
  private static func promise(_ summary: RemoveSummary) -> String {
    if summary.missing.isEmpty { return "; run smilepile undo to restore" }
    return summary.missing.count < summary.photos.count ? "; run smilepile undo to restore the others" : ""
  }
}
