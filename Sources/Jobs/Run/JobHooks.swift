import FileSystem

/// The hooks of a job around a backup or a restore test, and their environment.
struct JobHooks: RunPart {
  /// When a hook runs.
  enum Hook: String { case before, after, onFailure = "on-failure", finally }

  let input: RunInput

  /// True if the job has the hook.
  func has(_ hook: Hook) -> Bool { command(of: hook) != nil }

  /// Runs a hook if the job has one. Blocks.
  ///
  /// - Parameter isCancelled: returns true if the hook must be stopped.
  func run(
    _ hook: Hook, _ state: RunState, isCancelled: @escaping () -> Bool = { false }
  ) throws(HookRun.Failure) {
    guard let command = command(of: hook) else { return }
    try HookRun(
      name: hook.rawValue, command: command, environment: variables(of: hook, state),
      timeLimit: job.hooks.timeLimit, isCancelled: isCancelled
    ).run()
  }

  private func command(of hook: Hook) -> String? {
    switch hook {
    case .before: job.hooks.before
    case .after: isTest ? nil : job.hooks.after
    case .onFailure: job.hooks.onFailure
    case .finally: job.hooks.finally
    }
  }

  /// Returns a path as it is, so that the hook can open it. Escapes a path with control characters, since a line feed in a
  /// list of paths would begin another one.
  private static func path(_ path: String) -> String {
    path.unicodeScalars.contains { $0.properties.generalCategory == .control } ? path.escaped : path
  }

  private func variables(of hook: Hook, _ state: RunState) -> [String: String] {
    let run = state.record
    // a run that has not ended yet has taken this long
    let end = run.finishedAt ?? .init(now)
    return [
      "SMILEPILE_TASK": input.task.rawValue,
      "SMILEPILE_JOB": job.name,
      "SMILEPILE_HOOK": hook.rawValue,
      "SMILEPILE_LIBRARY": Self.path(library.string),
      "SMILEPILE_DESTINATION": Self.path(job.destinations.first?.path.string ?? ""),
      "SMILEPILE_OUTCOME": state.hookOutcome,
      "SMILEPILE_EXIT_CODE": run.exitCode.map { "\($0)" } ?? "",
      "SMILEPILE_MESSAGE": (run.message ?? "").escaped,
      "SMILEPILE_ARCHIVE": Self.path(run.archives.first ?? ""),
      "SMILEPILE_ARCHIVES": run.archives.map(Self.path).joined(separator: "\n"),
      "SMILEPILE_PHOTOS": "\(run.photos)",
      "SMILEPILE_BYTES": "\(run.bytes)",
      "SMILEPILE_ARCHIVE_BYTES": "\(run.archiveBytes)",
      "SMILEPILE_MISSING": "\(run.missing.count)",
      "SMILEPILE_IMPORTED_BACKUPS": "\(run.inbox?.backups ?? 0)",
      "SMILEPILE_IMPORTED_PHOTOS": "\(run.inbox?.photos ?? 0)",
      "SMILEPILE_UNREADABLE_BACKUPS": "\(run.inbox?.unreadable ?? 0)",
      "SMILEPILE_STARTED_AT": "\(run.startedAt)",
      "SMILEPILE_SECONDS": "\(max(0, end.milliseconds(since: run.startedAt)) / 1000)",
      // the status file does not describe a library that replaces the job's own
      "SMILEPILE_STATUS_FILE": job.usesOtherLibrary
        ? "" : Self.path(environment.state.statusPath(of: job.name).string),
    ]
  }
}
