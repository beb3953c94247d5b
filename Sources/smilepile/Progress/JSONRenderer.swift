/// Prints progress as JSON lines on standard output, with restic's field names.
struct JSONRenderer: ProgressRenderer {
  private let console: Console

  init(console: Console) { self.console = console }

  mutating func show(_ progress: Progress) {
    guard let line = try? JSONLine.text(StatusMessage(progress)) else { return }
    console.printJSON(line)
  }
}

/// A line of `"message_type":"status"`. Omits unknown values, like restic.
struct StatusMessage: Encodable, Sendable {
  let messageType = "status"
  let phase: String
  let percentDone: Double
  let totalFiles: Int
  let filesDone: Int
  let totalBytes: Int
  let bytesDone: Int
  let errorCount: Int
  let secondsElapsed: Int
  let secondsRemaining: Int?
  let currentFiles: [String]?

  init(_ progress: Progress) {
    phase = progress.phase.rawValue
    let fraction = progress.fractionCompleted
    // four digits, since more would be noise
    percentDone = fraction.isFinite ? (min(max(fraction, 0), 1) * 10_000).rounded(.down) / 10_000 : 0
    totalFiles = progress.totalItems
    filesDone = progress.processedItems
    totalBytes = progress.totalBytes
    bytesDone = progress.bytesProcessed
    errorCount = progress.errorCount
    secondsElapsed = Int(progress.elapsed.components.seconds)
    secondsRemaining = progress.estimatedRemaining.map { Int($0.inSeconds.rounded(.up)) }
    currentFiles = progress.currentItem.map { [$0] }
  }
}
