/// A setting that a person can change: its key, its values, its default and their meaning.
///
/// `all` is the only list of settings. The commands, their help, the profiles and the reader of stored values use it, so
/// that a new setting is one new entry.
public struct SettingDefinition: Sendable {
  /// A value of a setting.
  public struct Value: Sendable, Equatable {
    /// The value as a person types it: `dark`.
    public let name: String
    /// What the value means, in sentences.
    public let meaning: String
  }

  /// The key as a person types it: `kid-safe-mode`.
  public let key: String
  /// All values.
  public let values: [Value]
  /// The value of a setting that neither a backup nor a person has stated.
  public let defaultValue: String
  /// The value that restricts what a child can do; nil if the setting protects nothing.
  public let protectingValue: String?
  /// The column of the stored value.
  let column: String
  /// Returns the name of the value that a person wrote in another spelling.
  private var spelling: @Sendable (String) -> String = { $0 }
  private let stated: @Sendable (Settings) -> String?
  private let date: @Sendable (Settings) -> Timestamp?
  private let assign: @Sendable (inout Settings, String, Timestamp) -> Void

  /// Settings that nothing has stated: `Settings` has the defaults.
  private static let defaults = Settings(createdAt: 0)

  /// All settings, in the order in which they are shown.
  public static let all: [SettingDefinition] = [
    SettingDefinition(
      key: "theme",
      values: [
        Value(name: "system", meaning: "The app is light or dark as the phone is set."),
        Value(name: "light", meaning: "The app is always light."),
        Value(name: "dark", meaning: "The app is always dark."),
      ],
      defaultValue: defaults.themeMode.rawValue, protectingValue: nil, column: "themeMode",
      stated: { $0.theme?.value.rawValue },
      date: { $0.theme?.asOf },
      assign: { settings, value, now in
        guard let mode = Settings.ThemeMode(rawValue: value) else { return }
        // a statement with a date in the future must not win against this one
        settings.theme = .init(mode, asOf: max(now, (settings.theme?.asOf ?? .min).next))
      }),
    flag(
      "kid-safe-mode", isOnByDefault: defaults.kidSafeModeEnabled, protectingValue: "on", \.kidSafeMode,
      column: "kidSafeModeEnabled",
      on: "The child sees photos and nothing else.",
      off: "The child can use everything that the app offers."),
    flag(
      "camera-access", isOnByDefault: defaults.cameraAccessAllowed, protectingValue: "off", \.cameraAccess,
      column: "cameraAccessAllowed",
      on: "The child can use the camera.",
      off: "The child cannot use the camera."),
    flag(
      "delete-protection", isOnByDefault: defaults.deleteProtectionEnabled, protectingValue: "on",
      \.deleteProtection,
      column: "deleteProtectionEnabled",
      on:
        "On the phone, only a parent can delete photos. Here, removals require the PIN of the library, or a "
        + "confirmation if it has none.",
      off: "On the phone, the child can delete photos. Here, removals require a confirmation and no PIN."),
    similarity,
  ]

  private static let similarity: SettingDefinition = {
    let meaning = "Photos that are this similar count as duplicates. Higher is stricter, and finds less."
    var definition = SettingDefinition(
      key: "similarity",
      values: SimilarityThreshold.all.map { Value(name: "\($0)", meaning: meaning) },
      defaultValue: "\(defaults.similarityThreshold)", protectingValue: nil, column: "similarity",
      stated: { $0.similarity.map { "\($0)" } },
      date: { _ in nil },
      assign: { settings, value, _ in settings.similarity = try? SimilarityThreshold(value) })
    definition.spelling = { text in (try? SimilarityThreshold(text)).map { "\($0)" } ?? text }
    return definition
  }()

  /// Returns the setting with a key; nil if no setting has it.
  public static func named(_ key: String) -> SettingDefinition? { all.first { $0.key == key } }

  /// Returns the value of the setting, which is the default if nothing has stated it.
  public func value(in settings: Settings) -> String { stated(settings) ?? defaultValue }

  /// Returns true if a backup or a person has stated the setting.
  public func isStated(in settings: Settings) -> Bool { stated(settings) != nil }

  /// Returns the date of the backup or of the change that stated the value; nil if the library does not record it.
  public func statedAt(in settings: Settings) -> Timestamp? { date(settings) }

  /// Returns the value with this name; nil if the setting has no such value. A percentage is a spelling of a number.
  public func value(named name: String) -> Value? {
    let name = spelling(name)
    return values.first { $0.name == name }
  }

  /// The most values that `choices` lists.
  private static let mostChoices = 5

  /// The names of the values in a sentence: `system, light or dark`, or the first and the last one of many.
  public var choices: String {
    let names = values.map(\.name)
    if let first = names.first, let last = names.last, names.count > Self.mostChoices {
      return "\(first) to \(last)"
    }
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return "\(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// States a value. Does nothing if the setting has no such value.
  func set(_ value: String, in settings: inout Settings, now: Timestamp) {
    guard let value = self.value(named: value) else { return }
    assign(&settings, value.name, now)
  }

  private static func flag(
    _ key: String, isOnByDefault: Bool, protectingValue: String,
    _ property: WritableKeyPath<Settings, Bool?> & Sendable, column: String, on: String, off: String
  ) -> SettingDefinition {
    SettingDefinition(
      key: key, values: [Value(name: "on", meaning: on), Value(name: "off", meaning: off)],
      defaultValue: isOnByDefault ? "on" : "off", protectingValue: protectingValue, column: column,
      stated: { $0[keyPath: property].map { $0 ? "on" : "off" } },
      date: { _ in nil },
      assign: { settings, value, _ in settings[keyPath: property] = value == "on" })
  }
}
