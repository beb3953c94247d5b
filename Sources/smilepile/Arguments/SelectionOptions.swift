import ArgumentParser
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

  @OptionGroup var taken: TakenOptions

  var selection: LibrarySelection {
    var selection = LibrarySelection()
    selection.ids = id
    selection.names = name
    selection.categories = category
    selection.taken = taken.range
    return selection
  }

  /// - Throws: `ValidationError` if nothing is selected.
  func require() throws {
    if selection.isEmpty {
      throw ValidationError("choose photos with --id, --name, --category, --since or --until")
    }
  }
}
