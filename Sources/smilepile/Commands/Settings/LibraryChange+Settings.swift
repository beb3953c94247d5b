import PhotoLibrary

/// Reports a change of settings.
extension LibraryChange {
  /// Prints a line for each setting, and the summary.
  func show(_ plan: SettingsPlan, warnings: [String] = []) {
    let repaired = plan.faults.map { fault in
      "a stored value was out of range (\(fault.reason)) and \(options.isDryRun ? "would be" : "was") replaced"
    }
    for warning in warnings + repaired { reporter.warn(warning) }
    for change in plan.changes {
      let isSame = change.oldValue == change.newValue
      reporter.importantResult(
        "\(options.isDryRun ? "would set" : "set") \(change.key) to \(change.newValue) "
          + (isSame ? "(as before)" : "(was \(change.oldValue))"))
    }
    reporter.json(
      "summary",
      [
        "changes": plan.changes.map {
          ["key": $0.key, "old_value": $0.oldValue, "new_value": $0.newValue] as JSONFields
        },
        "protections_lowered": plan.lowered.map(\.identifier), "kept": plan.kept,
        "warnings": warnings + repaired, "dry_run": options.isDryRun,
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
