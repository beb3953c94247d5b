/// The styles of progress: the values of `--progress`.
enum ProgressStyle: String, CaseIterable, Sendable {
  /// `bar` if standard error is a terminal that can redraw a line, else `none`.
  case auto
  /// One line at the foot of the terminal; the same as `plain` without a terminal.
  case bar
  /// A line on standard error at intervals, for logs.
  case plain
  /// Integers on standard output for `whiptail --gauge`.
  case percent
  /// No progress.
  case none

  /// Returns the renderer of this style; nil for no progress.
  func renderer(console: Console = .standard, terminal: Terminal = Terminal()) -> (any ProgressRenderer)? {
    switch self {
    case .auto: terminal.canRedraw ? BarRenderer(console: console, terminal: terminal) : nil
    case .bar where terminal.canRedraw: BarRenderer(console: console, terminal: terminal)
    case .bar, .plain: PlainRenderer(console: console)
    case .percent: PercentRenderer(console: console)
    case .none: nil
    }
  }
}
