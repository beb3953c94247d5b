/// A value that a person wants a setting to have.
package struct SettingAssignment: Sendable {
  package let definition: SettingDefinition
  package let value: String

  /// Makes an assignment; nil if there is no such setting, or if it has no such value.
  package init?(key: String, value: String) {
    guard let definition = SettingDefinition.named(key), let value = definition.value(named: value) else {
      return nil
    }
    (self.definition, self.value) = (definition, value.name)
  }

  fileprivate init(default definition: SettingDefinition) {
    (self.definition, value) = (definition, definition.defaultValue)
  }
}

/// What to do with settings.
package enum SettingsRequest: Sendable {
  /// Sets values.
  case set([SettingAssignment])
  /// Resets these settings to their defaults; without any, all settings that protect nothing.
  case reset([SettingDefinition])
  /// Sets the values of a profile that differ from those of the library.
  ///
  /// - `lowersProtections`: false to keep every protection that is on.
  case adopt([SettingAssignment], lowersProtections: Bool)
  /// Forgets everything that backups and people stated, so that the settings are those of a new library. Later imports
  /// state them again.
  case clear
}

/// A setting before and after a change.
package struct SettingChange: Sendable, Equatable {
  /// The key of the setting.
  package let key: String
  /// The value before the change.
  package let oldValue: String
  /// The value after the change, which may be the same.
  package let newValue: String
}

/// A change of settings.
package struct SettingsPlan: Sendable {
  /// The settings that the library has after the change; nil if nothing changes.
  private(set) var settings: Settings?
  /// The settings that were set, also those that have the value already.
  package private(set) var changes: [SettingChange] = []
  /// The keys of settings that keep their value, since another value would lower a protection.
  package private(set) var kept: [String] = []
  /// The protections that the change turns off.
  package private(set) var lowered: [Protection] = []
  /// The stored values that were out of range, and are replaced.
  package private(set) var faults: [StoredSettings.Fault] = []
  private let isReset: Bool

  init(_ stored: StoredSettings, _ request: SettingsRequest, now: Timestamp) {
    var assignments: [SettingAssignment] = []
    switch request {
    case .set(let wanted):
      isReset = false
      assignments = wanted
    case .reset(let named):
      isReset = true
      for definition in named.isEmpty ? SettingDefinition.all : named {
        let assignment = SettingAssignment(default: definition)
        guard stored.lacks(assignment) else { continue }
        if named.isEmpty, definition.protectingValue != nil {
          kept.append(definition.key)
        } else {
          assignments.append(assignment)
        }
      }
    case .adopt(let wanted, let lowersProtections):
      isReset = false
      for assignment in wanted where stored.lacks(assignment) {
        if !lowersProtections, stored.isLowered(by: assignment) {
          kept.append(assignment.definition.key)
        } else {
          assignments.append(assignment)
        }
      }
    case .clear:
      isReset = true
      assignments = SettingDefinition.all.map(SettingAssignment.init(default:)).filter(stored.lacks)
    }
    var after = stored.settings
    if case .adopt(_, false) = request { after = stored.strictest }
    for assignment in assignments { assignment.definition.set(assignment.value, in: &after, now: now) }
    var isWanted = !assignments.isEmpty
    if case .clear = request { (after, isWanted) = (stored.settings.cleared, true) }
    changes = assignments.map { assignment in
      SettingChange(
        key: assignment.definition.key, oldValue: assignment.definition.value(in: stored.settings),
        newValue: assignment.value)
    }
    guard isWanted, after != stored.settings || !stored.faults.isEmpty else { return }
    after.changedAt = max(now, after.changedAt)
    settings = after
    lowered = stored.strictest.protections(loweredBy: after)
    faults = stored.faults
  }

  /// The operation for the question of a confirmation.
  var operation: DestructiveOperation {
    guard settings != nil else { return DestructiveOperation("change no setting") }
    let parts =
      isReset
      ? changes.map { "reset \($0.key) to \($0.newValue)" } : lowered.map { "turn \($0.label) off" }
    return DestructiveOperation(
      parts.joined(separator: " and "), lowers: lowered, resetsSettings: isReset)
  }
}

extension StoredSettings {
  /// Returns true if a setting has another value, or a stored value that is out of range.
  fileprivate func lacks(_ assignment: SettingAssignment) -> Bool {
    let definition = assignment.definition
    return faults.contains { $0.column == definition.column }
      || definition.value(in: settings) != assignment.value
  }

  /// Returns true if an assignment turns a protection off.
  fileprivate func isLowered(by assignment: SettingAssignment) -> Bool {
    var after = strictest
    assignment.definition.set(assignment.value, in: &after, now: settings.changedAt)
    return !strictest.protections(loweredBy: after).isEmpty
  }
}
