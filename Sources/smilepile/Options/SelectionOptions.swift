import ArgumentParser
import FileSystem
import Foundation
import PhotoLibrary

/// Selects photos of a library.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The photo with this ID (smilepile photos lists IDs); may be given several times."))
  var id: [Int64] = []

  @Option(
    help: ArgumentHelp(
      "Photos whose name or file name matches, with *, ? and [a-z]; may be given several times.",
      valueName: "pattern"))
  var name: [String] = []

  @Option(name: .shortAndLong, help: "Photos of this category; may be given several times.")
  var category: [String] = []

  @Option(
    help: ArgumentHelp("Photos taken at this time or later.", valueName: "date"),
    transform: DateArgument.parse)
  var since: Date?

  @Option(
    help: ArgumentHelp("Photos taken before this time.", valueName: "date"), transform: DateArgument.parse)
  var until: Date?

  func validate() throws {
    if let since, let until, until <= since { throw ValidationError("--until must be later than --since") }
  }

  var selection: LibrarySelection {
    var selection = LibrarySelection()
    selection.ids = id
    selection.names = name
    selection.categories = category
    (selection.since, selection.until) = (since?.milliseconds, until?.milliseconds)
    return selection
  }

  /// - Throws: `ValidationError` if nothing is selected.
  func require() throws {
    if selection.isEmpty {
      throw ValidationError("choose photos with --id, --name, --category, --since or --until")
    }
  }
}
