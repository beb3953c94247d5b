import SystemPackage

/// What the hooks of a job are told, be it of a backup or of a drill: the same variables of their environment.
struct HookFacts {
  let job: Job
  let library: FilePath
  let statusFile: FilePath

  /// - Parameters:
  ///   - outcome: how the run ended; nil for what the record says.
  ///   - now: the end of a run that has not ended, in milliseconds since 1970.
  func environment(
    of hook: String, _ run: JobStatus.RunRecord, outcome: String? = nil, now: Int64
  ) -> [String: String] {
    [
      "SMILEPILE_JOB": job.name,
      "SMILEPILE_HOOK": hook,
      "SMILEPILE_LIBRARY": library.string,
      "SMILEPILE_DESTINATION": job.destinations.first?.path.string ?? "",
      "SMILEPILE_OUTCOME": outcome ?? run.outcome.rawValue,
      "SMILEPILE_EXIT_CODE": run.exitCode.map { "\($0)" } ?? "",
      "SMILEPILE_MESSAGE": run.message ?? "",
      "SMILEPILE_ARCHIVE": run.archives.first ?? "",
      "SMILEPILE_ARCHIVES": run.archives.joined(separator: "\n"),
      "SMILEPILE_PHOTOS": "\(run.photos)",
      "SMILEPILE_BYTES": "\(run.bytes)",
      "SMILEPILE_ARCHIVE_BYTES": "\(run.archiveBytes)",
      "SMILEPILE_MISSING": "\(run.missing.count)",
      "SMILEPILE_STARTED_AT": "\(run.startedAt)",
      "SMILEPILE_SECONDS": "\(max(0, (run.finishedAt ?? now) - run.startedAt) / 1000)",
      "SMILEPILE_STATUS_FILE": statusFile.string,
    ]
  }
}
