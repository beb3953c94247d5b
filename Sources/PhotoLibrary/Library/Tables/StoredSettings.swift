internal import Databases
internal import GRDB

/// The settings of a library as they are stored. A value that is out of range reads as the default. The commands that show
/// and change settings report it, and so does the verification of the library.
package struct StoredSettings: Sendable, Equatable {
  /// A stored value that is out of range.
  package struct Fault: Sendable, Equatable {
    /// The column of the value.
    package let column: String
    /// What is wrong with the value.
    package let reason: String

    /// The setting; nil for a fact about a phone, which no command sets.
    package var definition: SettingDefinition? { SettingDefinition.all.first { $0.column == column } }
  }

  /// The settings, with the default in the place of each value that is out of range.
  package var settings: Settings
  /// The values that are out of range.
  package var faults: [Fault] = []

  /// The settings, with every protection on whose stored value is out of range. Approvals use them: a damaged value must
  /// not lower a protection.
  var strictest: Settings {
    var strictest = settings
    for definition in faults.compactMap(\.definition) {
      guard let value = definition.protectingValue else { continue }
      definition.set(value, in: &strictest, now: settings.changedAt)
    }
    return strictest
  }

  init(_ database: Database) throws {
    var faults: [Fault] = []
    let settings = try database.firstRow("SELECT * FROM settings", of: "settings") { row in
      try Settings(row) { column, error in
        faults.append(Fault(column: column, reason: (error as? DatabaseError)?.message ?? "\(error)"))
      }
    }
    guard let settings else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the settings record is missing")
    }
    (self.settings, self.faults) = (settings, faults)
  }

  /// Replaces each stored value that is out of range by that of `strictest`, so that the row can be copied. Called in the
  /// transaction of a change.
  static func repair(_ database: Database) throws {
    let stored = try StoredSettings(database)
    guard !stored.faults.isEmpty else { return }
    try database.execute(sql: "DELETE FROM settings")
    try stored.strictest.insert(database)
  }
}

extension Library {
  /// Reads the settings, without the photos. Blocks.
  ///
  /// - Throws: `LibraryError` if the record is missing.
  package func storedSettings() throws -> StoredSettings { try read { try StoredSettings($0) } }
}
