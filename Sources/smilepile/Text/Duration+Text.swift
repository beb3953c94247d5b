extension Duration {
  /// The duration in seconds, with fractions.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// The duration like on a clock, rounded up to seconds: `0:05`, `12:34`, `1:02:03`, `2d 03:04:05`. Rounding
  /// up shows 0:00 only for zero.
  var asClock: String {
    let total = max(0, Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0))
    let (days, hours, minutes, seconds) = Self.split(total)
    if days > 0 { return "\(days)d \(Self.two(hours)):\(Self.two(minutes)):\(Self.two(seconds))" }
    if hours > 0 { return "\(hours):\(Self.two(minutes)):\(Self.two(seconds))" }
    return "\(minutes):\(Self.two(seconds))"
  }

  /// The duration in a sentence: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`, `3 d 04 h`.
  var inWords: String {
    let seconds = max(0, inSeconds)
    if seconds < 9.95 { return "\(seconds.fixed(decimals: 1)) s" }
    let (days, hours, minutes, rest) = Self.split(Int(seconds.rounded()))
    if days > 0 { return "\(days) d \(Self.two(hours)) h" }
    if hours > 0 { return "\(hours) h \(Self.two(minutes)) min" }
    if minutes > 0 { return "\(minutes) min \(Self.two(rest)) s" }
    return "\(rest) s"
  }

  private static func split(_ total: Int) -> (days: Int, hours: Int, minutes: Int, seconds: Int) {
    (total / 86_400, total / 3600 % 24, total / 60 % 60, total % 60)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
