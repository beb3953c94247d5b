import ArgumentParser
import FileSystem
import Operations
import PhotoLibrary

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove photos, or a category with its photos.",
    discussion: """
      Photos are chosen by id, by name, by category; each kind of condition narrows the choice, and of one kind any \
      may be met. A category named alone goes with its photos. The files are put aside, and smilepile undo brings \
      everything back until the next import or remove. That the photos were removed is remembered. Asks first; \
      without a terminal it needs --yes.

      Example:
        smilepile remove -l ~/Family --category Cars --name 'blurred*' --dry-run
      """)

  @Option(help: ArgumentHelp("The photo of this id, as ls shows it; may be given several times."))
  var id: [Int64] = []

  @Option(
    help: ArgumentHelp(
      "Photos whose name or file name matches, with *, ? and [a-z] as in a shell ([*] is a star, a backslash itself).",
      valueName: "pattern"))
  var name: [String] = []

  @Option(name: .shortAndLong, help: "Photos of this category; may be given several times.")
  var category: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Say what would go, and write nothing.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: OutputOptions

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
      throw ValidationError("say what is to go: --id, --name or --category")
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
    let summary = try await reporter.follow(.remove(selection, from: path, options: options))
    if dryRun {
      for photo in summary.photos { reporter.result("photo \(photo.id)  \(photo.name.escaped)") }
      for category in summary.categories { reporter.result("category  \(category.displayName.escaped)") }
    }
    for photo in summary.missing { reporter.warn(photo.message) }
    reporter.lasting(
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

  /// What an undo brings back: nothing of what may not be there any more.
  private static func promise(_ summary: RemoveSummary) -> String {
    if summary.missing.isEmpty { return "; smilepile undo brings them back" }
    return summary.missing.count < summary.photos.count ? "; smilepile undo brings the others back" : ""
  }
}
