import PhotoLibrary
import SystemPackage

/// Runs a change of settings, and reports its result.
struct SettingsReport {
  let reporter: Reporter
  private let target: LibraryChangeOptions
  private let library: FilePath
  private let isDryRun: Bool

  init(_ target: LibraryChangeOptions, isDryRun: Bool = false) throws {
    (reporter, self.target, library) = (target.reporter, target, try target.library.path())
    self.isDryRun = isDryRun
  }

  /// Changes settings. Blocks, also for the answer of the user.
  func run(_ request: SettingsRequest, _ confirmation: ConfirmationOption) throws -> SettingsPlan {
    let options = try target.options(of: library, isDryRun: isDryRun, confirmation)
    return try SettingsRun(library, options).run(request)
  }

  /// Prints a line for each setting, and the summary.
  func show(_ plan: SettingsPlan, warnings: [String] = []) {
    let repaired = plan.faults.map { fault in
      "a stored value was out of range (\(fault.reason)) and \(isDryRun ? "would be" : "was") replaced"
    }
    for warning in warnings + repaired { reporter.warn(warning) }
    for change in plan.changes {
      let isSame = change.oldValue == change.newValue
      reporter.importantResult(
        "\(isDryRun ? "would set" : "set") \(change.key) to \(change.newValue) "
          + (isSame ? "(as before)" : "(was \(change.oldValue))"))
    }
    reporter.json(
      "summary",
      [
        "changes": plan.changes.map {
          ["key": $0.key, "old_value": $0.oldValue, "new_value": $0.newValue] as JSONFields
        },
        "protections_lowered": plan.lowered.map(\.identifier), "kept": plan.kept,
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
