import ArgumentParser
import FileSystem
import PhotoLibrary

struct Rename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Rename photos.",
    discussion: """
      Gives the photo with the ID a name, or several photos names by a pattern with \(fields). {n} counts the photos by \
      date, from 1. Later imports keep the names. Files keep theirs. `smilepile undo` takes the renaming back.

      Example:
        smilepile rename -l ~/Family --id 104 'Anna at the lake'
        smilepile rename -l ~/Family --category Holidays --pattern '{date} beach {n}' --dry-run
      """)

  @Argument(help: "Name of the photo with the ID.")
  var newName: String?

  @Option(help: ArgumentHelp("Pattern for the names of all chosen photos.", valueName: "text"))
  var pattern: String?

  @Flag(name: [.customShort("n"), .long], help: "Print the names, and write nothing.")
  var dryRun = false

  @OptionGroup var photos: SelectionOptions
  @OptionGroup var target: LibraryChangeOptions

  private static let fields = NameTemplate.Field.allCases.map(\.placeholder).joined(separator: ", ")

  func validate() throws { _ = try request() }

  func run() async throws {
    try await target.prepare(isDryRun: dryRun).run(request())
  }

  private func request() throws -> OrganizeRequest {
    switch (newName, pattern) {
    case (let name?, nil):
      var single = LibrarySelection()
      single.ids = photos.id
      guard photos.id.count == 1, photos.selection == single else {
        throw ValidationError("a name needs one photo; use --id, or --pattern for several photos")
      }
      try NameArgument.check(name)
      return .rename(photos.id[0], to: name)
    case (nil, let pattern?):
      try photos.require()
      guard let template = NameTemplate(pattern) else {
        throw ValidationError("invalid pattern “\(pattern.shortened.escaped)”; use \(Self.fields)")
      }
      return .renameAll(photos.selection, template)
    case (nil, nil): throw ValidationError("give a name, or --pattern")
    case (_?, _?): throw ValidationError("a name and --pattern contradict each other; choose one")
    }
  }
}
