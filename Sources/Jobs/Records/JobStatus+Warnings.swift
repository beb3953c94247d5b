import Foundation

extension JobStatus.RunRecord {
  /// The warnings that the next run reports about this run, which may have had no time to report them.
  var warningsForNextRun: [String] {
    var warnings: [String] = []
    let time = startedAt.iso8601
    switch outcome {
    case .running:
      warnings.append(
        "the run of \(time) was killed; the next archive removes its unfinished files")
    case .interrupted: warnings.append("the run of \(time) was interrupted: \(message ?? "stopped")")
    case .done, .unchanged, .incomplete, .failed, .notBegun: break
    }
    if let hook {
      let clause = archives.isEmpty ? "" : ", after its archives were published"
      warnings.append(
        "the run of \(time) was killed during its hook “\(hook)”\(clause); check what the hook does")
    }
    // the phase that needs the folder reports a missing folder
    for destination in destinations where FileManager.default.fileExists(atPath: destination.path) {
      warnings += destination.archives.filter { !FileManager.default.fileExists(atPath: $0) }
        .map { "\($0), which the run of \(time) wrote, is missing" }
    }
    return warnings
  }
}
