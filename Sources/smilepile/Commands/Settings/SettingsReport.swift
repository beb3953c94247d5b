import FileSystem
import PhotoLibrary
import SystemPackage

/// Runs a change of settings, and reports its result.
struct SettingsReport {
  let reporter: Reporter
  private let library: FilePath
  private let lockWait: Duration
  private let isDryRun: Bool

  init(_ target: LibraryChangeOptions, isDryRun: Bool = false) throws {
    (reporter, library) = (target.reporter, try target.library.path())
    (lockWait, self.isDryRun) = (target.lock.duration, isDryRun)
  }

  /// Changes settings. Blocks, also for the answer of the user.
  func run(_ request: SettingsRequest, _ confirmation: ConfirmationOption) throws -> SettingsSummary {
    var options = ChangeOptions()
    options.isDryRun = isDryRun
    options.lockWait = lockWait
    options.authorization = try confirmation.authorization(reporter, for: library)
    return try SettingsRun(library, options).run(request)
  }

  /// Prints a line for each setting, and the summary.
  func show(_ summary: SettingsSummary, warnings: [String] = []) {
    let repaired = summary.faults.map { fault in
      "a stored value was out of range (\(fault.reason)) and \(isDryRun ? "would be" : "was") replaced"
    }
    for warning in warnings + repaired { reporter.warn(warning) }
    for change in summary.changes {
      let isSame = change.oldValue == change.newValue
      reporter.importantResult(
        "\(isDryRun ? "would set" : "set") \(change.key) to \(change.newValue) "
          + (isSame ? "(as before)" : "(was \(change.oldValue))"))
    }
    reporter.json(
      "summary",
      [
        "changes": summary.changes.map {
          ["key": $0.key, "old_value": $0.oldValue, "new_value": $0.newValue] as JSONFields
        },
        "protections_lowered": summary.lowered.map(\.identifier), "kept": summary.kept,
        "warnings": warnings + repaired, "dry_run": isDryRun,
      ])
  }
}

extension Protection {
  /// The name in JSON.
  var identifier: String {
    switch self {
    case .deleteProtection: "delete_protection"
    case .kidSafeMode: "kid_safe_mode"
    case .cameraBlock: "camera_block"
    case .pin: "pin"
    }
  }
}
