import ArgumentParser
import Backup
import FileSystem
import PhotoLibrary
import SystemPackage

extension SettingsCommand {
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the settings of a library into a profile, a small JSON file.",
      discussion: """
        A profile contains the value of each setting. It never contains a PIN, a path or the name of a photo.

        Example:
          smilepile settings export -l ~/Family -o profile.json
        """)

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp(
        "The new file; - for standard output. An existing file is never replaced.", valueName: "file"),
      completion: .file(), transform: PathArgument.parse)
    var file: String

    @OptionGroup var library: LibraryOption
    @OptionGroup var reporter: Reporter

    func validate() throws {
      if file == "-", reporter.printsJSON {
        throw ValidationError("-o - and --json both use standard output; choose one")
      }
    }

    func run() throws {
      let stored = try Library(path: library.path()).storedSettings()
      let profile = SettingsProfile(stored.settings)
      var warnings = stored.warnings
      if file == "-" {
        reporter.raw(try profile.json)
      } else {
        if let warning = try profile.write(to: FilePath(file)) { warnings.append(warning) }
        reporter.importantResult(file.escaped)
      }
      for warning in warnings { reporter.warn(warning) }
      try reporter.finish(isIncomplete: !stored.faults.isEmpty, ["file": file, "warnings": warnings])
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the settings of a library to those of a profile.",
      discussion: """
        Sets the values that differ, in one change. A value that would lower a protection is reported and \
        not used, unless --lower-protection is given. A profile with a wrong value or of a newer version \
        changes nothing; keys that this version does not know are reported.

        Example:
          smilepile settings import -l ~/Family profile.json --dry-run
        """)

    @Argument(
      help: ArgumentHelp("The profile.", valueName: "file"), completion: .file(),
      transform: PathArgument.parse)
    var file: String

    @Flag(help: "Use values that lower a protection too, after a confirmation or with the PIN.")
    var lowerProtection = false

    @Flag(name: [.customShort("n"), .long], help: "Report what would change, and write nothing.")
    var dryRun = false

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var target: LibraryChangeOptions

    func run() throws {
      let change = try target.prepare(isDryRun: dryRun, confirmation)
      let profile = try SettingsProfile(contentsOf: FilePath(file))
      let assignments = SettingDefinition.all.compactMap { definition in
        profile.values[definition.key].flatMap { SettingAssignment(key: definition.key, value: $0) }
      }
      let plan = try SettingsRun(change.library, change.options)
        .run(.adopt(assignments, lowersProtections: lowerProtection))
      let unknown = profile.unknownKeys.map { "the profile has the unknown key “\($0)”, which was ignored" }
      let kept = plan.kept.map { key in
        let value = profile.values[key] ?? ""
        return "\(key) \(value) would lower a protection, and was not used; use --lower-protection"
      }
      if plan.changes.isEmpty, kept.isEmpty {
        change.reporter.note("no setting was changed: all have the values of the profile")
      }
      change.show(plan, warnings: unknown + kept)
    }
  }
}
