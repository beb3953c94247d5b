/// A line on standard error whenever another tenth of the work, or another ten seconds, have passed: for
/// log files and slow connections. No control characters.
struct PlainRenderer: ProgressRenderer {
  private let console: Console
  private var lastTenth = 0
  private var lastTime = Duration.zero
  private var isDone = false

  init(console: Console) { self.console = console }

  mutating func show(_ progress: Progress, isLast: Bool) {
    let succeeded = isLast && progress.phase == .finished
    let tenth = progress.wholePercent / 10
    let isDue = tenth > lastTenth || progress.elapsed - lastTime >= .seconds(10)
    // A value of the finished phase that is not the last would give the closing line twice.
    guard !isDone, succeeded || (isDue && !isLast && progress.phase != .finished) else { return }
    lastTenth = max(lastTenth, tenth)
    lastTime = progress.elapsed
    isDone = succeeded
    console.print(progress.statusLine, to: .error)
  }
}
