import GRDB

/// The app's settings: one record in every library. Flags only; a PIN never travels.
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

  /// How the app looks.
  public var themeMode: ThemeMode
  /// The phone is protected by a PIN. Kept for the next export; it protects nothing here.
  public var hasPIN: Bool
  /// The phone is protected by a pattern. Kept for the next export.
  public var hasPattern: Bool
  /// The child sees photos and nothing else.
  public var kidSafeModeEnabled: Bool
  /// Photos cannot be deleted without a parent.
  public var deleteProtectionEnabled: Bool
  /// When the record was made, in milliseconds since 1970.
  public var createdAt: Int64
  /// When it was last changed here, in milliseconds since 1970; never before `createdAt`.
  public var changedAt: Int64
  /// From when the values are: the date of the backup that they came with. Nil for the defaults of a new
  /// library, which any backup overrides.
  public var valuesAsOf: Int64?

  /// The settings of a new library: theme as the phone is set, every flag off.
  public init(createdAt: Int64) {
    themeMode = .system
    hasPIN = false
    hasPattern = false
    kidSafeModeEnabled = false
    deleteProtectionEnabled = false
    self.createdAt = createdAt
    changedAt = createdAt
    valuesAsOf = nil
  }
}

extension Settings: FetchableRecord, PersistableRecord {
  /// The table of the one settings record.
  public static let databaseTableName = "settings"

  /// Reads the row of `settings`; a theme that this version does not know is read as `system`, which the
  /// table's own check keeps from being written.
  public init(row: Row) {
    themeMode = ThemeMode(rawValue: row["themeMode"]) ?? .system
    hasPIN = row["hasPIN"]
    hasPattern = row["hasPattern"]
    kidSafeModeEnabled = row["kidSafeModeEnabled"]
    deleteProtectionEnabled = row["deleteProtectionEnabled"]
    createdAt = row["createdAt"]
    changedAt = row["changedAt"]
    valuesAsOf = row["valuesAsOf"]
  }

  /// Fills the row of `settings`.
  public func encode(to container: inout PersistenceContainer) {
    container["id"] = 1
    container["themeMode"] = themeMode.rawValue
    container["hasPIN"] = hasPIN
    container["hasPattern"] = hasPattern
    container["kidSafeModeEnabled"] = kidSafeModeEnabled
    container["deleteProtectionEnabled"] = deleteProtectionEnabled
    container["createdAt"] = createdAt
    container["changedAt"] = changedAt
    container["valuesAsOf"] = valuesAsOf
  }
}
