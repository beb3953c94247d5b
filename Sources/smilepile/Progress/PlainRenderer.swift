/// A line on standard error whenever another tenth of the work, or another ten seconds, have passed: for
/// log files and slow connections. No control characters.
struct PlainRenderer: ProgressRenderer {
  private let console: Console
  private var lastTenth = 0
  private var lastTime = Duration.zero

  init(console: Console) { self.console = console }

  mutating func show(_ progress: Progress) {
    let tenth = progress.wholePercent / 10
    let isDue = tenth > lastTenth || progress.elapsed - lastTime >= .seconds(10)
    guard isDue || progress.phase == .finished else { return }
    lastTenth = max(lastTenth, tenth)
    lastTime = progress.elapsed
    console.print(progress.statusLine, to: .error)
  }
}
