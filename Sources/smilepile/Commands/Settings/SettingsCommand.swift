import ArgumentParser
import FileSystem
import PhotoLibrary

/// `smilepile settings`: the settings of a library.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show and change the settings of a library.",
    discussion: """
      Settings come with the backups of phones, and archives contain all but similarity. The keys are \(keys). `smilepile \
      undo` takes back the last change. A change that lowers a protection asks for a confirmation, and for \
      the PIN of the library if it has one. An import of a backup uses the newer theme, and only raises \
      protections.

      Example:
        smilepile settings show -l ~/Family
      """,
    subcommands: [Show.self, Set.self, Reset.self, Export.self, Import.self])

  /// All keys with their values: `theme (system, light or dark), …`.
  private static var keys: String {
    SettingDefinition.all.map { "\($0.key) (\($0.choices))" }.joined(separator: ", ")
  }

  /// Returns the setting with a key.
  ///
  /// - Throws: `ValidationError` if no setting has it.
  static func definition(of key: String) throws -> SettingDefinition {
    if let definition = SettingDefinition.named(key) { return definition }
    let keys = SettingDefinition.all.map(\.key).joined(separator: ", ")
    throw ValidationError("there is no setting “\(key.escaped)”; use \(keys)")
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set settings of a library.",
      discussion: """
        Sets all values in one change, or none if one of them is wrong. Asks before it lowers a protection; \
        without a terminal, --yes is needed. A later import of an older backup keeps the values, except that \
        imports raise protections.

        Example:
          smilepile settings set -l ~/Family theme dark delete-protection on
        """)

    @Argument(
      help: ArgumentHelp(
        "The keys of settings, each followed by its value.", valueName: "key value"),
      completion: .list(
        SettingDefinition.all.map(\.key) + ["on", "off", "system", "light", "dark"]))
    var pairs: [String]

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var target: LibraryChangeOptions

    func validate() throws { _ = try assignments() }

    func run() throws {
      let change = try target.prepare(isDryRun: false, confirmation)
      change.show(try SettingsRun(change.library, change.options).run(.set(assignments())))
    }

    private func assignments() throws -> [SettingAssignment] {
      var keys: Swift.Set<String> = []
      return try stride(from: 0, to: pairs.count, by: 2).map { index in
        let definition = try SettingsCommand.definition(of: pairs[index])
        guard index + 1 < pairs.count else {
          throw ValidationError("\(definition.key) has no value; use \(definition.choices)")
        }
        let value = pairs[index + 1]
        guard let assignment = SettingAssignment(key: definition.key, value: value) else {
          throw ValidationError(
            "\(definition.key) cannot be “\(value.escaped)”; use \(definition.choices)")
        }
        guard keys.insert(definition.key).inserted else {
          throw ValidationError("\(definition.key) is given twice")
        }
        return assignment
      }
    }
  }

  struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reset settings of a library to their defaults.",
      discussion: """
        Without a key, resets all settings except kid-safe-mode, camera-access and delete-protection, which \
        protect the child and stay unless they are named. Asks for a confirmation; without a terminal, --yes \
        is needed.

        Example:
          smilepile settings reset -l ~/Family theme
        """)

    @Argument(
      help: ArgumentHelp("The keys of the settings to reset.", valueName: "key"),
      completion: .list(SettingDefinition.all.map(\.key)))
    var keys: [String] = []

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var target: LibraryChangeOptions

    func validate() throws { _ = try definitions() }

    func run() throws {
      let change = try target.prepare(isDryRun: false, confirmation)
      let plan = try SettingsRun(change.library, change.options).run(.reset(definitions()))
      for key in plan.kept { change.reporter.note("\(key) stays as it is; name it to reset it") }
      if plan.changes.isEmpty, plan.kept.isEmpty {
        change.reporter.note("no setting was reset: all have their defaults")
      }
      change.show(plan)
    }

    private func definitions() throws -> [SettingDefinition] {
      var seen: Swift.Set<String> = []
      return try keys.filter { seen.insert($0).inserted }.map(SettingsCommand.definition)
    }
  }
}
