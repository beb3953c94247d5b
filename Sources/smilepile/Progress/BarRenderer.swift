/// Draws one line at the foot of a terminal, on standard error, and redraws it in place.
///
/// After the end of the work, the line stays and shows the total time and the average speed. After a failure,
/// the renderer erases the line.
struct BarRenderer: ProgressRenderer {
  private let console: Console
  private let terminal: Terminal
  private var meter = SpeedMeter()

  init(console: Console, terminal: Terminal) {
    self.console = console
    self.terminal = terminal
  }

  mutating func show(_ progress: Progress) {
    meter.add(progress)
    let line = BarLine(
      columns: terminal.columns, isUTF8: terminal.isUTF8, usesColour: terminal.allowsColour)
    if progress.phase == .finished {
      console.endStatus(leaving: line.finalText(for: progress))
    } else {
      console.showStatus(line.text(for: progress, bytesPerSecond: meter.bytesPerSecond))
    }
  }

  mutating func clear() { console.endStatus() }
}

/// Measures the speed of the last seconds. The value is steadier than the speed between two draws, and shows
/// a slow disk sooner than the average since the start.
struct SpeedMeter: Sendable {
  /// The speed; 0 until half a second has passed.
  private(set) var bytesPerSecond = 0
  private var bytes = 0
  private var elapsed = Duration.zero
  private var hasMeasured = false

  /// Adds a progress value to the measurement.
  mutating func add(_ progress: Progress) {
    if progress.bytesProcessed < bytes || progress.elapsed < elapsed { self = SpeedMeter() }
    let seconds = (progress.elapsed - elapsed).inSeconds
    guard seconds >= 0.5 else { return }
    let speed = Double(progress.bytesProcessed - bytes) / seconds
    // an exponential average in which the newest three seconds weigh about half
    let weight = hasMeasured ? min(1, seconds / (seconds + 3)) : 1
    bytesPerSecond = Int(min(Double(bytesPerSecond) * (1 - weight) + speed * weight, 1e18))
    bytes = progress.bytesProcessed
    elapsed = progress.elapsed
    hasMeasured = true
  }
}
