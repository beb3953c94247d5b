import ArgumentParser
import PhotoLibrary

extension SettingsCommand {
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the settings of a library, what they mean, and since when they are set.",
      discussion: """
        Warns if nothing protects the library. The PIN and the pattern of a phone are facts of its backup: \
        they protect the phone, not the library. If a stored value is out of range, shows the default, and \
        the exit code is 3.

        Example:
          smilepile settings show -l ~/Family
        """)

    @OptionGroup var library: LibraryOption
    @OptionGroup var reporter: Reporter

    func run() throws {
      let library = try Library(path: library.path())
      let stored = try library.storedSettings()
      let hasPIN = try library.hasPIN()
      let settings = stored.settings
      let warnings = stored.warnings + Self.warnings(settings, hasPIN: hasPIN)
      reporter.result(Self.text(settings, hasPIN: hasPIN))
      for warning in warnings { reporter.warn(warning) }
      try reporter.finish(
        isIncomplete: !stored.faults.isEmpty,
        [
          "settings": SettingDefinition.all.map { Self.fields($0, settings) },
          "phone_has_pin": settings.hasPIN, "phone_has_pattern": settings.hasPattern,
          "library_has_pin": hasPIN, "created_at": settings.createdAt, "changed_at": settings.changedAt,
          "warnings": warnings,
        ])
    }

    private static func fields(_ definition: SettingDefinition, _ settings: Settings) -> JSONFields {
      let value = definition.value(in: settings)
      return [
        "key": definition.key, "value": value, "default_value": definition.defaultValue,
        "is_stated": definition.isStated(in: settings), "stated_at": definition.statedAt(in: settings),
        "meaning": definition.value(named: value)?.meaning ?? "",
      ]
    }

    /// Returns a line for each setting and fact, each with its meaning below it.
    private static func text(_ settings: Settings, hasPIN: Bool) -> String {
      let protected = settings.deleteProtectionEnabled
      let entries: [(row: [String], meaning: String)] =
        SettingDefinition.all.map { definition in
          let value = definition.value(in: settings)
          return (
            [definition.key, value, origin(definition, settings)],
            definition.value(named: value)?.meaning ?? ""
          )
        } + [
          (
            ["PIN of the phone", settings.hasPIN ? "yes" : "no", origin(settings.pin)],
            "Protects the phone. Read-only, and not the PIN of the library."
          ),
          (
            ["pattern of the phone", settings.hasPattern ? "yes" : "no", origin(settings.pattern)],
            "Protects the phone. Read-only."
          ),
          (
            ["PIN of the library", hasPIN ? "yes" : "no", "see smilepile pin"],
            hasPIN ? PINCommand.guarded(byPINWith: protected) : "No command asks for a PIN."
          ),
        ]
      let rows = (TextTable(.left, .left, .left, rows: entries.map(\.row)).text ?? "").split(separator: "\n")
      let lines = zip(rows, entries).flatMap { row, entry in [String(row), "  \(entry.meaning)"] }
      let dates = "created \(settings.createdAt.iso8601), last changed \(settings.changedAt.iso8601)"
      return (lines + [dates]).joined(separator: "\n")
    }

    /// Returns who stated a setting, and when, as far as the library records it.
    private static func origin(_ definition: SettingDefinition, _ settings: Settings) -> String {
      guard definition.isStated(in: settings) else { return "default; not set" }
      let standard = "default: \(definition.defaultValue)"
      return definition.statedAt(in: settings).map { "since \($0.iso8601); \(standard)" }
        ?? "since \(settings.changedAt.iso8601) or before; \(standard)"
    }

    private static func origin(_ fact: Settings.Dated<Bool>?) -> String {
      fact.map { "since \($0.asOf.iso8601)" } ?? "not stated by any backup"
    }

    private static func warnings(_ settings: Settings, hasPIN: Bool) -> [String] {
      switch (settings.deleteProtectionEnabled, hasPIN) {
      case (true, true): []
      case (true, false):
        [
          "the library has no PIN, so that a confirmation is enough to remove photos and to lower protections; "
            + "run smilepile pin set"
        ]
      case (false, true):
        [
          "delete protection is off, so that a confirmation is enough to remove photos; "
            + "run smilepile settings set delete-protection on"
        ]
      case (false, false):
        [
          "nothing protects the library: every user who can write to it can remove photos after a confirmation; "
            + "run smilepile pin set --delete-protection"
        ]
      }
    }
  }
}

extension StoredSettings {
  /// A warning for each stored value that is out of range.
  var warnings: [String] {
    faults.map { fault in
      guard let definition = fault.definition else {
        return "a stored value is out of range (\(fault.reason))"
      }
      return
        "the stored value of \(definition.key) is out of range (\(fault.reason)) and counts as the default, "
        + "\(definition.defaultValue); run smilepile settings set \(definition.key) VALUE"
    }
  }
}
