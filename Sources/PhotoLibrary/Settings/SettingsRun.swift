import FileSystem
import Foundation
import SystemPackage

/// Options of a change of settings.
package struct SettingsOptions: Sendable {
  /// Only reports what would change.
  package var isDryRun = false
  /// How long to wait for another writer.
  package var lockWait: Duration = .zero
  /// Confirms a reset and a change that turns off a protection, or gives the library's PIN.
  package var authorization = Authorization.refused

  /// The defaults.
  package init() {}
}

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
  private let options: SettingsOptions

  /// Describes a change of the settings of a library.
  package init(_ path: FilePath, _ options: SettingsOptions = SettingsOptions()) {
    (self.path, self.options) = (path, options)
  }

  /// Changes settings in one transaction, which `undo` takes back. Durable when it returns; writes nothing if nothing
  /// changes. Blocks.
  ///
  /// - Throws: `AuthorizationError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing has changed then.
  package func run(_ request: SettingsRequest) throws -> SettingsSummary {
    if options.isDryRun {
      let library = try Library(path: path)
      return Self.summary(SettingsPlan(try library.storedSettings(), request, now: Date().milliseconds))
    }
    let (writer, plan) = try LibraryWriter.approved(
      path, by: options.authorization, lockWait: options.lockWait
    ) { writer in
      let plan = SettingsPlan(try writer.library.storedSettings(), request, now: Date().milliseconds)
      return (plan, plan.operation)
    }
    try writer.carryOut(plan)
    return Self.summary(plan)
  }

  private static func summary(_ plan: SettingsPlan) -> SettingsSummary {
    SettingsSummary(changes: plan.changes, lowered: plan.lowered, kept: plan.kept, faults: plan.faults)
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
