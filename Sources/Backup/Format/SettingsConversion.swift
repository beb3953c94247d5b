import Foundation
import PhotoLibrary

/// The library's settings and those of `metadata.json`.
extension Metadata.SettingsRecord {
  /// Every setting written out, with its default where no backup stated it, since the apps require all of them.
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
  /// What the backup states of the settings, nil for each that it leaves out, or that is a default in it.
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
  /// States every setting that is missing by its default, since the apps require all of them, and notes under `smilepile`
  /// which ones no backup stated. Changes nothing where all are there.
  mutating func completeSettings() {
    // any statement stands against this default, so that it needs no note
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
  /// Whether no version of the apps misses a setting.
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

  /// The settings that no backup stated.
  var defaultKeys: [String] {
    let isStated: [Key: Bool] = [
      .isDarkMode: theme != nil, .hasPIN: pin != nil, .hasPattern: pattern != nil,
      .kidSafeModeEnabled: kidSafeMode != nil, .deleteProtectionEnabled: deleteProtection != nil,
      .cameraAccessAllowed: cameraAccess != nil,
    ]
    return Key.allCases.filter { isStated[$0] == false }.map(\.rawValue)
  }

  /// Whether no backup stated any of them.
  var isDefault: Bool { defaultKeys.count == Key.allCases.count }

  /// These settings after a backup that states others. What it leaves out stays.
  ///
  /// Theme, PIN and pattern are those of the newer statement. Protections are only ever raised: an old backup must not open
  /// what a parent has closed.
  ///
  /// - Parameter replaces: the backup's theme, PIN and pattern stand, whatever their dates.
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

  /// Of equal dates the greater value, so that the order of backups does not matter.
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
