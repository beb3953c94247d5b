import FileSystem

/// The text of the bar for a terminal of a given width. Pure, so that tests can check the text.
///
/// A narrow terminal shows the bar, the percentage, and as many of bytes and time left as fit. A terminal of 80
/// columns also shows the phase, the number of photos and, if there is space, the speed; a wide one also the
/// current item. The text is at least one column narrower than the terminal, because some terminals wrap as soon
/// as the last column is written.
struct BarLine: Sendable {
  /// The width of the terminal.
  var columns: Int
  /// True if the terminal can show blocks and letters beyond ASCII.
  var isUTF8: Bool
  /// True if the line may have colours.
  var usesColour: Bool

  private var available: Int { max(1, columns - 1) }
  private static let gap = "  "
  private static let narrowestBar = 8
  private static let narrowestItem = 12
  private static let narrowestWithPhase = 80

  /// Returns the line during the work.
  func text(for progress: Progress, bytesPerSecond: Int) -> String {
    let percent = "\(progress.wholePercent)%".padded(toColumns: 4)
    let isCounted = progress.totalBytes > 0 || progress.totalItems > 0
    let showsPhase = columns >= Self.narrowestWithPhase
    let total = "\(progress.totalItems)"
    let items = "\(progress.processedItems)".padded(toColumns: total.count) + "/" + total
    let isByBytes = progress.totalBytes > 0
    let amount = isByBytes ? ByteCount.pair(progress.bytesProcessed, of: progress.totalBytes) : items
    let counts = isByBytes && progress.totalItems > 0 ? [items, amount] : [amount]
    let speed = (bytesPerSecond > 0 ? "\(ByteCount(bytesPerSecond))/s" : "").padded(toColumns: 10)
    let remaining = (progress.estimatedRemaining?.asClock ?? "-:--").padded(toColumns: 5)
    // the time that a disk needs to make files durable is unknown
    let isWaiting = progress.phase == .committing && !showsPhase
    let ending = isWaiting ? progress.phase.rawValue : "ETA " + remaining

    let phase = progress.phase.rawValue.capitalizedASCII
    let label = showsPhase ? phase + String(repeating: " ", count: max(0, 12 - phase.count)) : ""
    let fields =
      isCounted
      ? fitting(
        [
          [percent] + counts + [speed, ending], [percent] + counts + [ending], [percent, amount, ending],
          [percent, amount, remaining], [percent, amount], [percent],
        ], beside: label.count) : percent
    let room = available - label.count - Self.gap.count - fields.displayWidth
    let wanted = min(40, max(10, columns / 5))
    let itemRoom = room - wanted - Self.gap.count
    guard itemRoom >= Self.narrowestItem else {
      guard room >= Self.narrowestBar else { return percent.truncated(toColumns: available, ellipsis: "") }
      return label + bar(min(room, 40), progress.fractionCompleted) + Self.gap + fields
    }
    let phaseItem = label.isEmpty && !(isCounted && isWaiting) ? progress.phase.rawValue : ""
    let item = progress.currentItem.map(shown) ?? phaseItem
    let shortened = item.truncated(toColumns: itemRoom, ellipsis: isUTF8 ? "…" : "...")
    let line = label + bar(wanted, progress.fractionCompleted) + Self.gap + fields
    return shortened.isEmpty ? line : line + Self.gap + coloured(shortened, .faint)
  }

  /// Returns the line that stays after the end of the work.
  func finalText(for progress: Progress) -> String {
    var facts = ["100%"]
    if progress.totalBytes > 0 { facts.append("\(ByteCount(progress.bytesProcessed))") }
    facts.append(progress.elapsed.inWords)
    if progress.averageSpeed > 0 { facts.append("\(ByteCount(progress.averageSpeed))/s") }
    let widest = available - Self.gap.count - Self.narrowestBar
    while facts.count > 1, width(facts) > widest { facts.removeLast() }
    let room = available - Self.gap.count - width(facts)
    guard room >= Self.narrowestBar else { return "100%".truncated(toColumns: available, ellipsis: "") }
    return bar(min(40, room), 1) + Self.gap + facts.joined(separator: Self.gap)
  }

  /// Joins the fields of the first choice that leaves enough space for the bar; of the last choice if none does.
  private func fitting(_ choices: [[String]], beside label: Int) -> String {
    let room = available - label - Self.gap.count - Self.narrowestBar
    let fields = choices.first { width($0) <= room } ?? choices.last ?? []
    return fields.joined(separator: Self.gap)
  }

  private func width(_ fields: [String]) -> Int {
    fields.reduce(0) { $0 + $1.displayWidth } + max(0, fields.count - 1) * Self.gap.count
  }

  private func bar(_ width: Int, _ fraction: Double) -> String {
    let cells = isUTF8 ? width : width - 2
    guard cells > 0 else { return "" }
    let share = fraction.isFinite ? min(max(fraction, 0), 1) : 0
    let filled = Int(Double(cells) * share + 1e-9)
    if isUTF8 {
      return coloured(String(repeating: "█", count: filled), .green)
        + coloured(String(repeating: "░", count: cells - filled), .faint)
    }
    return "[" + coloured(String(repeating: "#", count: filled), .green)
      + String(repeating: "-", count: cells - filled) + "]"
  }

  /// Returns a name with escapes. Replaces non-ASCII letters outside a UTF-8 locale, where a terminal would
  /// garble them.
  private func shown(_ name: String) -> String {
    let safe = name.escaped
    return isUTF8 ? safe : String(safe.map { $0.isASCII ? $0 : "?" })
  }

  private enum Style: String {
    case green = "\u{1B}[32m"
    case faint = "\u{1B}[2m"
  }

  private func coloured(_ text: String, _ style: Style) -> String {
    usesColour && !text.isEmpty ? "\(style.rawValue)\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The name of a phase at the beginning of a line.
  fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst() }
}
