import Foundation
import PhotoLibrary

/// Converts between the library's settings and those of `metadata.json`.
extension Metadata.SettingsRecord {
  /// Converts the library's settings. Uses the default of a setting that no backup stated, since the apps require
  /// all settings.
  init(_ settings: Settings) {
    isDarkMode = settings.themeMode == .dark
    themeMode = settings.themeMode.rawValue
    valuesAsOf = settings.theme?.asOf
    securitySettings.hasPIN = settings.hasPIN
    securitySettings.hasPINAsOf = settings.pin?.asOf == valuesAsOf ? nil : settings.pin?.asOf
    securitySettings.hasPattern = settings.hasPattern
    securitySettings.hasPatternAsOf = settings.pattern?.asOf == valuesAsOf ? nil : settings.pattern?.asOf
    securitySettings.kidSafeModeEnabled = settings.kidSafeModeEnabled
    securitySettings.deleteProtectionEnabled = settings.deleteProtectionEnabled
    securitySettings.cameraAccessAllowed = settings.cameraAccessAllowed
  }
}

extension Metadata {
  /// The settings that the backup states. A setting is nil if the backup omits it or marks it as a default.
  var statedSettings: Settings {
    var stated = Settings(createdAt: 0)
    guard let settings, smilepile?.includesSettings != false else { return stated }
    let defaults = Set(smilepile?.defaultSettings ?? [])
    func value<Value>(_ value: Value?, _ key: Settings.Key) -> Value? {
      defaults.contains(key.rawValue) ? nil : value
    }
    let asOf = settings.valuesAsOf ?? exportDate ?? .min
    let security = settings.securitySettings
    let theme =
      settings.themeMode.flatMap(Settings.ThemeMode.init) ?? settings.isDarkMode.map { $0 ? .dark : .light }
    stated.theme = value(theme, .isDarkMode).map { .init($0, asOf: asOf) }
    stated.pin = value(security.hasPIN, .hasPIN).map { .init($0, asOf: security.hasPINAsOf ?? asOf) }
    stated.pattern = value(security.hasPattern, .hasPattern)
      .map { .init($0, asOf: security.hasPatternAsOf ?? asOf) }
    stated.kidSafeMode = value(security.kidSafeModeEnabled, .kidSafeModeEnabled)
    stated.deleteProtection = value(security.deleteProtectionEnabled, .deleteProtectionEnabled)
    stated.cameraAccess = value(security.cameraAccessAllowed, .cameraAccessAllowed)
    return stated
  }
}

extension Metadata {
  /// Adds the default of every missing setting, since the apps require all settings, and records under `smilepile`
  /// the settings that no backup stated. Changes nothing if no setting is missing.
  mutating func completeSettings() {
    // any statement overrides this default, so that the default needs no record
    if settings?.securitySettings.cameraAccessAllowed == nil {
      settings?.securitySettings.cameraAccessAllowed = Settings(createdAt: 0).cameraAccessAllowed
    }
    guard settings?.isComplete != true else { return }
    let stated = statedSettings
    settings = SettingsRecord(stated)
    var provenance =
      smilepile ?? Provenance(uuid: UUID().uuidString, isPartial: false, includesSettings: true)
    provenance.includesSettings = !stated.isDefault
    provenance.defaultSettings = stated.isDefault ? [] : stated.defaultKeys
    smilepile = provenance
  }
}

extension Metadata.SettingsRecord {
  /// True if every version of the apps finds all settings that it requires.
  fileprivate var isComplete: Bool {
    let security = securitySettings
    return [
      isDarkMode, security.hasPIN, security.hasPattern, security.kidSafeModeEnabled,
      security.deleteProtectionEnabled,
    ].allSatisfy { $0 != nil }
  }
}

extension Settings {
  /// The keys of `metadata.json`.
  enum Key: String, CaseIterable {
    case isDarkMode, hasPIN, hasPattern, kidSafeModeEnabled, deleteProtectionEnabled, cameraAccessAllowed
  }

  /// The keys of the settings that no backup stated.
  var defaultKeys: [String] {
    let isStated: [Key: Bool] = [
      .isDarkMode: theme != nil, .hasPIN: pin != nil, .hasPattern: pattern != nil,
      .kidSafeModeEnabled: kidSafeMode != nil, .deleteProtectionEnabled: deleteProtection != nil,
      .cameraAccessAllowed: cameraAccess != nil,
    ]
    return Key.allCases.filter { isStated[$0] == false }.map(\.rawValue)
  }

  /// True if no backup stated a setting.
  var isDefault: Bool { defaultKeys.count == Key.allCases.count }

  /// Returns these settings merged with those that a backup states. Keeps a setting that the backup omits.
  ///
  /// The newer statement wins for theme, PIN and pattern. Protections are only ever raised: an old backup must not
  /// lift a restriction that a parent has set.
  ///
  /// - Parameter replaces: true if the backup's theme, PIN and pattern win whatever their dates.
  func merged(with stated: Settings, replaces: Bool) -> Settings {
    var result = self
    result.theme = Self.newer(theme, stated.theme, replaces) { $0.rawValue < $1.rawValue }
    result.pin = Self.newer(pin, stated.pin, replaces) { !$0 && $1 }
    result.pattern = Self.newer(pattern, stated.pattern, replaces) { !$0 && $1 }
    result.kidSafeMode = Self.either(kidSafeMode, stated.kidSafeMode) { $0 || $1 }
    result.deleteProtection = Self.either(deleteProtection, stated.deleteProtection) { $0 || $1 }
    result.cameraAccess = Self.either(cameraAccess, stated.cameraAccess) { $0 && $1 }
    return result
  }

  /// Returns the newer value. Chooses the greater value if the dates are equal, so that the order of backups does
  /// not matter.
  private static func newer<Value>(
    _ current: Dated<Value>?, _ stated: Dated<Value>?, _ replaces: Bool, isLess: (Value, Value) -> Bool
  ) -> Dated<Value>? {
    guard let current, let stated, !replaces else { return stated ?? current }
    if stated.asOf != current.asOf { return stated.asOf > current.asOf ? stated : current }
    return isLess(current.value, stated.value) ? stated : current
  }

  private static func either(_ one: Bool?, _ other: Bool?, _ join: (Bool, Bool) -> Bool) -> Bool? {
    guard let one, let other else { return one ?? other }
    return join(one, other)
  }
}
