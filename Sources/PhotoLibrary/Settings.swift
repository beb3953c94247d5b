internal import Databases
internal import GRDB

/// The app's settings: one record in every library. Flags only; a PIN never travels.
///
/// A setting is nil until a backup states it. The computed properties then return the default of the apps'
/// specification.
public struct Settings: Sendable, Equatable {
  /// How the app looks.
  public enum ThemeMode: String, Sendable, CaseIterable {
    /// Always light.
    case light
    /// Always dark.
    case dark
    /// As the phone is set.
    case system
  }

  /// A setting with the date of its backup. If two backups differ, the newer value is used.
  public struct Dated<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The value in the backup.
    public var value: Value
    /// The date of the backup, in milliseconds since 1970.
    public var asOf: Int64

    /// Makes a setting of these parts.
    public init(_ value: Value, asOf: Int64) {
      self.value = value
      self.asOf = asOf
    }
  }

  /// How the app looks.
  public var theme: Dated<ThemeMode>?
  /// True if the phone is protected by a PIN. Kept for the next export; it protects nothing here.
  public var pin: Dated<Bool>?
  /// True if the phone is protected by a pattern. Kept for the next export.
  public var pattern: Dated<Bool>?
  /// True if the child sees photos and nothing else.
  public var kidSafeMode: Bool?
  /// True if only a parent can delete photos.
  public var deleteProtection: Bool?
  /// True if the child may use the camera.
  public var cameraAccess: Bool?
  /// When the record was made, in milliseconds since 1970.
  public var createdAt: Int64
  /// When it was last changed here, in milliseconds since 1970; never before `createdAt`.
  public var changedAt: Int64

  /// Makes the settings of a new library: the defaults, since no backup has stated anything.
  public init(createdAt: Int64) {
    self.createdAt = createdAt
    changedAt = createdAt
  }

  /// The theme in force; by default as the phone is set.
  public var themeMode: ThemeMode { theme?.value ?? .system }
  /// True if the phone has a PIN; by default not.
  public var hasPIN: Bool { pin?.value ?? false }
  /// True if the phone has a pattern; by default not.
  public var hasPattern: Bool { pattern?.value ?? false }
  /// True if kid-safe mode is on; by default it is.
  public var kidSafeModeEnabled: Bool { kidSafeMode ?? true }
  /// True if deletion is protected; by default it is not.
  public var deleteProtectionEnabled: Bool { deleteProtection ?? false }
  /// True if the camera is allowed; by default it is.
  public var cameraAccessAllowed: Bool { cameraAccess ?? true }
}

extension Settings: StoredRow {
  /// The table of the one settings record.
  static let databaseTableName = "settings"

  /// Reads the row of `settings`, also one that no writer of this version has migrated yet: until version 4 every
  /// setting was stated or none was.
  init(_ row: RowReader) throws {
    let isOld = !row.hasColumn("themeModeAsOf")
    createdAt = try row.integer("createdAt")
    changedAt = try row.integer("changedAt", in: createdAt ... .max)
    let date = try isOld ? row.optionalInteger("valuesAsOf") : nil
    if isOld, date == nil { return }
    func dated<Value>(_ value: Value?, _ column: String) throws -> Dated<Value>? {
      let asOf = try date ?? row.optionalInteger(column)
      guard (value == nil) == (asOf == nil) else { throw row.fault("\(column) does not match its setting") }
      guard let value, let asOf else { return nil }
      return Dated(value, asOf: asOf)
    }
    let mode: ThemeMode? = try row.optionalText("themeMode") == nil ? nil : row.enumeration("themeMode")
    theme = try dated(mode, "themeModeAsOf")
    pin = try dated(row.optionalFlag("hasPIN"), "hasPINAsOf")
    pattern = try dated(row.optionalFlag("hasPattern"), "hasPatternAsOf")
    kidSafeMode = try row.optionalFlag("kidSafeModeEnabled")
    deleteProtection = try row.optionalFlag("deleteProtectionEnabled")
    cameraAccess = isOld ? nil : try row.optionalFlag("cameraAccessAllowed")
  }

  /// Fills the row of `settings`.
  func encode(to container: inout PersistenceContainer) {
    container["id"] = 1
    container["themeMode"] = theme?.value.rawValue
    container["themeModeAsOf"] = theme?.asOf
    container["hasPIN"] = pin?.value
    container["hasPINAsOf"] = pin?.asOf
    container["hasPattern"] = pattern?.value
    container["hasPatternAsOf"] = pattern?.asOf
    container["kidSafeModeEnabled"] = kidSafeMode
    container["deleteProtectionEnabled"] = deleteProtection
    container["cameraAccessAllowed"] = cameraAccess
    container["createdAt"] = createdAt
    container["changedAt"] = changedAt
  }
}
