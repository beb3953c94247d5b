/// Whole numbers on standard output, one a line, each only when it grew, as `whiptail --gauge` and
/// `zenity --progress` read them. Nothing else may be written there.
///
/// 100 is written on success alone, and always then.
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
