import ArgumentParser
import FileSystem
import PhotoLibrary

/// `smilepile category`: the categories of a library.
struct CategoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category",
    abstract: "List and change the categories of a library.",
    discussion: """
      Later imports heed these changes. They no longer change the name, colour, icon and place of a category that was \
      changed here. They put photos of a merged category into the other one. A removed category comes back only with \
      new photos. `smilepile undo` takes back the last change.

      Example:
        smilepile category list -l ~/Family
      """,
    subcommands: [
      List.self, Add.self, Rename.self, Set.self, Order.self, Merge.self, Remove.self,
    ])

  /// The options of a change.
  struct ChangeOptions: ParsableArguments {
    @Flag(name: [.customShort("n"), .long], help: "Report what would change, and write nothing.")
    var dryRun = false

    @OptionGroup var target: LibraryChangeOptions

    func prepare(_ confirmation: ConfirmationOption? = nil) throws -> LibraryChange {
      try target.prepare(isDryRun: dryRun, confirmation)
    }
  }

  /// The colour, the icon and the place of a category.
  struct ValueOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp("Colour in the apps, for example '#FF9800'.", valueName: "#RRGGBB"))
    var color: String?

    @Option(help: ArgumentHelp("Name of an icon of the apps, for example beach_access."))
    var icon: String?

    @Option(
      help: ArgumentHelp(
        "Place among the categories, from 1; the last place if it is greater.", valueName: "number"))
    var position: Int?

    func validate() throws {
      if let color, !CategoryValues.isColor(color) {
        throw ValidationError("invalid colour “\(color.escaped)”; use for example '#FF9800'")
      }
      if let position, position < 1 { throw ValidationError("--position begins with 1") }
      if let icon { try NameArgument.check(icon, "the icon") }
    }

    func values(named displayName: String? = nil) -> CategoryValues {
      var values = CategoryValues()
      values.displayName = displayName
      (values.colorHex, values.iconResource, values.position) = (color?.uppercased(), icon, position)
      return values
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the categories of a library.",
      discussion: """
        Prints place, ID, displayed name, key, colour, icon and number of photos.

        Example:
          smilepile category list -l ~/Family
        """)

    @OptionGroup var library: LibraryOption
    @OptionGroup var reporter: Reporter

    func run() throws {
      let contents = try Library(path: library.path()).contents()
      let counts = contents.photos.reduce(into: [:]) { $0[$1.categoryId, default: 0] += 1 }
      reporter.result(
        TextTable(
          .right, .right, .left, .left, .left, .left, .right,
          rows: contents.categories.enumerated().map { index, category in
            [
              "\(index + 1)", "\(category.id)", category.displayName.escaped, category.name.escaped,
              category.colorHex?.escaped ?? "-", category.iconResource?.escaped ?? "-",
              "\(Count(counts[category.id] ?? 0, "photo"))",
            ]
          }))
      for category in contents.categories {
        reporter.json(category, photos: counts[category.id] ?? 0)
      }
      reporter.json("summary", ["categories": contents.categories.count])
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a category.",
      discussion: """
        Example:
          smilepile category add -l ~/Family Holidays --color '#00BCD4' --icon beach_access
        """)

    @Argument(help: "Displayed name.")
    var name: String

    @OptionGroup var values: ValueOptions
    @OptionGroup var change: ChangeOptions

    func validate() throws { try NameArgument.check(name) }

    func run() async throws { try await change.prepare().run(.add(values.values(named: name))) }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the displayed name of a category.",
      discussion: """
        The key stays. Imports find the category by its key, so that backups with the old name still go there.

        Example:
          smilepile category rename -l ~/Family Cars Autos
        """)

    @Argument(help: "Displayed name or key of the category.")
    var category: String

    @Argument(help: "New displayed name.")
    var name: String

    @OptionGroup var change: ChangeOptions

    func validate() throws { try NameArgument.check(name) }

    func run() async throws {
      var values = CategoryValues()
      values.displayName = name
      try await change.prepare().run(.set(category, values))
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the colour, the icon or the place of a category.",
      discussion: """
        Example:
          smilepile category set -l ~/Family Autos --color '#00BCD4' --icon directions_car
        """)

    @Argument(help: "Displayed name or key of the category.")
    var category: String

    @OptionGroup var values: ValueOptions
    @OptionGroup var change: ChangeOptions

    func validate() throws {
      if values.values() == CategoryValues() {
        throw ValidationError("choose what to set with --color, --icon or --position")
      }
    }

    func run() async throws { try await change.prepare().run(.set(category, values.values())) }
  }

  struct Order: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put categories first, in this order.",
      discussion: """
        The other categories follow in their present order.

        Example:
          smilepile category order -l ~/Family Family Holidays Autos
        """)

    @Argument(help: "Displayed names or keys of categories.")
    var categories: [String]

    @OptionGroup var change: ChangeOptions

    func run() async throws { try await change.prepare().run(.order(categories)) }
  }
}
