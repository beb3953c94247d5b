import Foundation
import SystemPackage

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
  /// - Returns: what changed; for a dry run, what would change.
  /// - Throws: `AuthorizationError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing has changed then.
  package func run(_ request: SettingsRequest) throws -> SettingsPlan {
    let (plan, _, writer) = try options.approve(path) { library in
      let plan = SettingsPlan(try library.storedSettings(), request, now: .now)
      return (plan, [plan.operation])
    }
    try writer?.carryOut(plan)
    return plan
  }
}

extension LibraryWriter {
  /// Turns delete protection on, as a change that `undo` takes back. Durable when it returns; does nothing if it is on.
  /// Blocks.
  package func turnOnDeleteProtection() throws {
    guard let assignment = SettingAssignment(key: "delete-protection", value: "on") else { return }
    try carryOut(
      SettingsPlan(
        library.storedSettings(), .adopt([assignment], lowersProtections: false), now: .now))
  }

  fileprivate func carryOut(_ plan: SettingsPlan) throws {
    guard let settings = plan.settings else { return }
    var edit = LibraryEdit()
    edit.settings = settings
    try change(.settings) { try $0.commit(edit) }
  }
}
