/// A number of bytes as text, in IEC units (1 KiB = 1024 bytes), like in `du -h` and `ls -h`.
///
/// Has three significant digits: `0 B`, `999 B`, `1.00 KiB`, `17.5 MiB`, `1023 GiB`. Has at most eight columns.
package struct ByteCount: Sendable, CustomStringConvertible {
  /// The number of bytes; 0 for a negative number.
  package let bytes: Int

  package init(_ bytes: Int) { self.bytes = max(0, bytes) }

  package var description: String {
    let scale = Scale(for: bytes)
    return "\(scale.number(bytes)) \(scale.unit)"
  }

  /// Returns the finished part and the total, both in the unit of the total: `0.15/1.75 GiB`. The width stays
  /// the same while `done` grows, so that a redrawn line does not jump.
  package static func pair(_ done: Int, of total: Int) -> String {
    let scale = Scale(for: total)
    let whole = scale.number(total)
    let number = scale.number(done)
    let spaces = String(repeating: " ", count: max(0, whole.count - number.count))
    return "\(spaces)\(number)/\(whole) \(scale.unit)"
  }

  /// A unit, and the number of decimals in this unit.
  private struct Scale {
    var unit = "B"
    private var divisor = 1.0
    private var decimals = 0

    init(for bytes: Int) {
      for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // 1023.5 and more would be rounded to 1024, which is 1.00 of the next unit
        guard Double(bytes) / divisor >= (divisor == 1 ? 1024 : 1023.5) else { break }
        divisor *= 1024
        unit = next
      }
      guard divisor > 1 else { return }
      let value = Double(bytes) / divisor
      decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    }

    func number(_ bytes: Int) -> String {
      (Double(max(0, bytes)) / divisor).fixed(decimals: decimals)
    }
  }
}

extension Double {
  /// Returns the number with exactly this many decimals, rounded. `String(format:)` would need Foundation.
  package func fixed(decimals: Int) -> String {
    var power = 1
    for _ in 0..<decimals { power *= 10 }
    let scaled = (magnitude * Double(power)).rounded()
    guard scaled.isFinite, scaled < 9e18 else { return "?" }
    let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: power)
    let sign = self < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let digits = String(rest)
    return "\(sign)\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }
}
