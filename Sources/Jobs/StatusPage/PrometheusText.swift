import FileSystem
import Operations

/// The status of a job for the textfile collector of Prometheus' node exporter.
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
struct PrometheusText {
  private(set) var text = ""

  init(_ status: JobStatus) {
    let job = [("job_name", status.job)]
    func seconds(_ time: Timestamp?) -> Double? { time.map { Double($0.rawValue) / 1000 } }
    func add<Value>(_ name: String, _ help: String, _ value: Value?) {
      append(name, help, value.map { [(job, "\($0)")] } ?? [])
    }
    func addForEachCopy<Value>(_ name: String, _ help: String, _ value: (JobStatus.Copy) -> Value) {
      append(name, help, status.copies.map { (job + [("destination", $0.path)], "\(value($0))") })
    }
    let run = status.run
    add("smilepile_backup_last_run_timestamp_seconds", "When the last run began.", seconds(run?.startedAt))
    add(
      "smilepile_backup_last_duration_seconds", "How long the last run took.",
      run.flatMap { run in
        run.finishedAt.map { Double(max(0, $0.milliseconds(since: run.startedAt))) / 1000 }
      })
    add(
      "smilepile_backup_last_exit_code", "The exit code of the last run; 0 is complete.",
      run.map { run in run.exitCode.flatMap { run.hook == nil ? "\($0)" : nil } ?? "NaN" })
    // the values of an unfinished or failed run are unknown
    let known = run.flatMap { $0.outcome.isComplete || $0.outcome == .incomplete ? $0 : nil }
    add("smilepile_backup_photos", "Photos that the last run selected.", known?.photos)
    add("smilepile_backup_photo_bytes", "Bytes of the photos that the last run selected.", known?.bytes)
    add(
      "smilepile_backup_missing_photos", "Photos that are missing or corrupt in the archive.",
      known?.missing.count)
    let inbox = run?.inbox
    add("smilepile_inbox_imported_backups", "Backups of phones that the last run imported.", inbox?.backups)
    add("smilepile_inbox_imported_photos", "Photos that these backups added to the library.", inbox?.photos)
    add(
      "smilepile_inbox_unreadable_backups", "Backups in the inboxes that cannot be imported, or are damaged.",
      inbox?.unreadable)
    add(
      "smilepile_backup_last_success_timestamp_seconds", "When the last complete run ended.",
      seconds(status.lastSuccess.map { $0.finishedAt ?? $0.startedAt }))
    add(
      "smilepile_backup_consecutive_failures", "Number of runs since the last complete run.", status.failures)
    addForEachCopy(
      "smilepile_backup_copy_timestamp_seconds", "When the newest archive at a destination was made."
    ) { Double($0.madeAt.rawValue) / 1000 }
    addForEachCopy(
      "smilepile_backup_copy_reachable",
      "1 if the copy was reachable when the last run or restore test ended."
    ) { $0.reachability == .reachable ? 1 : 0 }
    addForEachCopy(
      "smilepile_backup_copy_suspect",
      "1 if an archive of a copy is suspect: found damaged, and not verified since."
    ) { $0.health.isSuspect ? 1 : 0 }
    addForEachCopy(
      "smilepile_backup_copy_missing_photos", "Photos of the library that are missing or corrupt in the copy."
    ) { $0.missingPhotos }
    addForEachCopy(
      "smilepile_backup_copy_on_library_device",
      "1 if a copy is on the same device as the library, or in memory."
    ) { $0.isOnSameDevice || $0.isInMemory ? 1 : 0 }
    let test = status.lastRestoreTest
    add("smilepile_restore_test_timestamp_seconds", "When the last restore test ran.", seconds(test?.at))
    add(
      "smilepile_restore_test_passed",
      "1 if the last restore test restored everything that the library lists.",
      test.map { $0.hasPassed ? 1 : 0 })
    add(
      "smilepile_restore_test_damaged_photos",
      "Photos that the last restore test with a comparison found missing or corrupt in the library.",
      test.map { $0.damaged ?? 0 })
  }

  private mutating func append(
    _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: String)]
  ) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
    for (labels, value) in samples {
      let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
      text += "\(name){\(list)} \(value)\n"
    }
  }

  /// Returns the value of a label. The collector and its readers show labels as they are.
  private static func escaped(_ value: String) -> String {
    value.escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
