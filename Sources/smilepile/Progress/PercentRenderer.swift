/// Prints integers on standard output, one a line, each only if it is greater than the previous one.
/// `whiptail --gauge` and `zenity --progress` read them. No other text may be written to standard output.
///
/// Prints 100 always on success, and never otherwise.
struct PercentRenderer: ProgressRenderer {
  private let console: Console
  private var last = -1

  init(console: Console) { self.console = console }

  mutating func show(_ progress: Progress) {
    let percent = progress.wholePercent
    guard percent > last else { return }
    last = percent
    console.print("\(percent)")
  }
}
