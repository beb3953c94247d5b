/// Prints progress as JSON lines on standard output, with restic's field names.
struct JSONRenderer: ProgressRenderer {
  let console: Console

  mutating func show(_ progress: Progress) { console.printJSON(progress.json) }
}

extension Progress {
  /// The line of JSON. Omits unknown values, like restic.
  var json: String {
    let fraction = fractionCompleted
    // four digits, since more would be noise
    let done = fraction.isFinite ? (min(max(fraction, 0), 1) * 10_000).rounded(.down) / 10_000 : 0
    return JSONFields.line(
      "status",
      [
        "phase": phase.rawValue, "percent_done": done, "total_files": totalItems,
        "files_done": processedItems,
        "total_bytes": totalBytes, "bytes_done": bytesProcessed, "error_count": errorCount,
        "seconds_elapsed": elapsed.components.seconds,
        "seconds_remaining": estimatedRemaining.map { Int($0.inSeconds.rounded(.up)) },
        "current_files": currentItem.map { [$0] },
      ])
  }
}
