/// Prints a line on standard error after each tenth of the work and every ten seconds. For log files and slow
/// connections. Prints no control characters.
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
