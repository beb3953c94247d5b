/// How progress is shown: the values of `--progress`.
enum ProgressStyle: String, CaseIterable, Sendable {
  /// `bar` if standard error is a terminal that can redraw a line, else `none`.
  case auto
  /// One line at the foot of the terminal; off a terminal the same as `plain`.
  case bar
  /// A line on standard error from time to time, for logs.
  case plain
  /// Whole numbers on standard output, as `whiptail --gauge` reads them.
  case percent
  /// Nothing.
  case none

  /// The renderer for this style, nil if nothing is to be shown.
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
