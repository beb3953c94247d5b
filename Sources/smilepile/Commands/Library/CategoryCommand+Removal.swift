import ArgumentParser
import PhotoLibrary

extension CategoryCommand {
  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Merge categories into another one.",
      discussion: """
        Moves all photos, and removes the merged categories. Later imports put their photos into the other category. A \
        photo whose bytes the other category has already becomes one with that photo. Asks for a confirmation; \
        without a terminal, --yes is needed.

        Example:
          smilepile category merge -l ~/Family Autos Cars --into Vehicles
        """)

    @Argument(help: "Displayed names or keys of the categories to merge.")
    var categories: [String]

    @Option(help: ArgumentHelp("The category that gets the photos.", valueName: "category"))
    var into: String

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var change: ChangeOptions

    func run() async throws {
      try await change.prepare(confirmation).run(.merge(categories, into: into))
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a category.",
      discussion: """
        A category with photos needs --move-to or --with-photos. Later imports do not bring the photos back. Asks for a \
        confirmation; without a terminal, --yes is needed.

        Example:
          smilepile category remove -l ~/Family Cars --move-to Vehicles
        """)

    @Argument(help: "Displayed name or key of the category.")
    var category: String

    @Option(help: ArgumentHelp("Move its photos to this category.", valueName: "category"))
    var moveTo: String?

    @Flag(help: "Remove its photos, too, as smilepile remove --category does.")
    var withPhotos = false

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var change: ChangeOptions

    func validate() throws {
      if moveTo != nil, withPhotos {
        throw ValidationError("--move-to and --with-photos contradict each other; choose one")
      }
    }

    func run() async throws {
      let change = try self.change.prepare(confirmation)
      if withPhotos {
        _ = try Library(path: change.library).categories().one(named: category)
        var selection = LibrarySelection()
        selection.categories = [category]
        return try await change.remove(selection)
      }
      try await change.run(moveTo.map { .merge([category], into: $0) } ?? .removeEmpty(category))
    }
  }
}
