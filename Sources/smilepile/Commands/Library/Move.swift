import ArgumentParser
import PhotoLibrary

struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Move photos to another category.",
    discussion: """
      Different options are combined with AND, repeated ones with OR. Later imports of the same phones leave the photos \
      where they are, and add none a second time. A photo whose bytes the category has already becomes one with \
      that photo. Files stay in their places. `smilepile undo` takes the move back.

      A phone keeps its own copy in the old category.

      Example:
        smilepile move -l ~/Family --to Holidays --since 2025-07-01 --until 2025-08-01 --dry-run
      """)

  @Option(help: ArgumentHelp("Displayed name or key of the category.", valueName: "category"))
  var to: String

  @Flag(name: [.customShort("n"), .long], help: "Report what would be moved, and write nothing.")
  var dryRun = false

  @OptionGroup var photos: SelectionOptions
  @OptionGroup var target: LibraryChangeOptions

  func validate() throws { try photos.require() }

  func run() async throws {
    try await target.prepare(isDryRun: dryRun).run(.move(photos.selection, to: to))
  }
}
