import FileSystem
import Foundation
import SystemPackage

/// The result of a change of settings.
package struct SettingsSummary: Sendable, Equatable {
  /// The settings that were set, also those that had the value already.
  package var changes: [SettingChange]
  /// The protections that are off since the change.
  package var lowered: [Protection]
  /// The keys of settings that keep their value, since another value would lower a protection.
  package var kept: [String]
  /// The stored values that were out of range and are replaced.
  package var faults: [StoredSettings.Fault]
}

/// A change of the settings of a library.
package struct SettingsRun: Sendable {
  private let path: FilePath
  private let options: ChangeOptions

  /// Describes a change of the settings of a library.
  package init(_ path: FilePath, _ options: ChangeOptions = ChangeOptions()) {
    (self.path, self.options) = (path, options)
  }

  /// Changes settings in one transaction, which `undo` takes back. Durable when it returns; writes nothing if nothing
  /// changes. Blocks.
  ///
  /// - Throws: `AuthorizationError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing has changed then.
  package func run(_ request: SettingsRequest) throws -> SettingsSummary {
    let (plan, _, writer) = try options.approve(path) { library in
      let plan = SettingsPlan(try library.storedSettings(), request, now: Date().milliseconds)
      return (plan, [plan.operation])
    }
    try writer?.carryOut(plan)
    return SettingsSummary(
      changes: plan.changes, lowered: plan.lowered, kept: plan.kept, faults: plan.faults)
  }
}

extension LibraryWriter {
  /// Turns delete protection on, as a change that `undo` takes back. Durable when it returns; does nothing if it is on.
  /// Blocks.
  package func turnOnDeleteProtection() throws {
    guard let assignment = SettingAssignment(key: "delete-protection", value: "on") else { return }
    try carryOut(
      SettingsPlan(
        library.storedSettings(), .adopt([assignment], lowersProtections: false), now: Date().milliseconds))
  }

  fileprivate func carryOut(_ plan: SettingsPlan) throws {
    guard let settings = plan.settings else { return }
    var edit = LibraryEdit()
    edit.settings = settings
    try change(.settings) { try $0.commit(edit) }
  }
}
