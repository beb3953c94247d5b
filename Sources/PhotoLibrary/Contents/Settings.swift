internal import Databases
internal import GRDB

/// The app's settings: one record in every library. Flags only; a PIN never travels.
///
/// A setting is nil until a backup or `settings set` states it. The computed properties then return the default of the apps'
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

  /// A setting with the date of its backup, or of the change by `settings`. If two of them differ, the newer value is
  /// used.
  public struct Dated<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The value in the backup.
    public var value: Value
    /// The date of the backup or of the change.
    public var asOf: Timestamp

    /// Makes a setting of these parts.
    public init(_ value: Value, asOf: Timestamp) {
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
  /// How similar photos must be to count as duplicates. Of this library: archives do not contain it.
  public var similarity: SimilarityThreshold?
  /// When the record was made.
  public var createdAt: Timestamp
  /// When it was last changed here; never before `createdAt`.
  public var changedAt: Timestamp

  /// Makes the settings of a new library: the defaults, since no backup has stated anything.
  public init(createdAt: Timestamp) {
    self.createdAt = createdAt
    changedAt = createdAt
  }

  /// The settings of a new library, with the dates of these.
  var cleared: Settings {
    var cleared = Settings(createdAt: createdAt)
    cleared.changedAt = changedAt
    return cleared
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
  /// How similar photos must be to count as duplicates; by default 0.92.
  public var similarityThreshold: SimilarityThreshold { similarity ?? .standard }
}

extension Settings: StoredRow {
  /// The table of the one settings record.
  static let databaseTableName = "settings"

  /// Reads the row of `settings`. A value that is out of range counts as not stated.
  init(_ row: RowReader) throws { try self.init(row) { _, _ in } }

  /// Reads the row of `settings`. A value that is out of range counts as not stated.
  ///
  /// - Parameter onFault: receives the column of each value that is out of range, and the reason.
  init(_ row: RowReader, onFault: (String, any Error) -> Void) throws {
    createdAt = try row.time("createdAt")
    changedAt = Timestamp(rawValue: try row.integer("changedAt", in: createdAt.rawValue ... .max))
    func value<Value>(_ column: String, _ read: () throws -> Value?) -> Value? {
      do {
        return try read()
      } catch {
        onFault(column, error)
        return nil
      }
    }
    func dated<Value>(_ column: String, _ read: () throws -> Value?) -> Dated<Value>? {
      value(column) {
        let found = try read()
        let asOf = try row.optionalInteger("\(column)AsOf").map(Timestamp.init(rawValue:))
        guard (found == nil) == (asOf == nil) else {
          throw row.fault("\(column)AsOf does not match its setting")
        }
        guard let found, let asOf else { return nil }
        return Dated(found, asOf: asOf)
      }
    }
    theme = dated("themeMode") {
      try row.optionalText("themeMode") == nil ? nil : row.enumeration("themeMode", as: ThemeMode.self)
    }
    pin = dated("hasPIN") { try row.optionalFlag("hasPIN") }
    pattern = dated("hasPattern") { try row.optionalFlag("hasPattern") }
    kidSafeMode = value("kidSafeModeEnabled") { try row.optionalFlag("kidSafeModeEnabled") }
    deleteProtection = value("deleteProtectionEnabled") {
      try row.optionalFlag("deleteProtectionEnabled")
    }
    cameraAccess = value("cameraAccessAllowed") { try row.optionalFlag("cameraAccessAllowed") }
    similarity = value("similarity") {
      guard let percent = try row.optionalInteger("similarity") else { return nil }
      guard let threshold = SimilarityThreshold(storedPercent: percent) else {
        throw row.fault("similarity is \(percent), which is out of range")
      }
      return threshold
    }
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
    container["similarity"] = similarity?.percent
    container["createdAt"] = createdAt
    container["changedAt"] = changedAt
  }
}
