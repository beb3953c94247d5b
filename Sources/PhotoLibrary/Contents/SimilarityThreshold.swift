/// How similar two photos must be to count as duplicates, in percent. Higher is stricter, and finds less.
public struct SimilarityThreshold: Sendable, Hashable, CustomStringConvertible {
  /// All thresholds, in percent.
  public static let range = 85...98
  /// The threshold that nothing has stated otherwise.
  public static let standard = SimilarityThreshold(percent: 92)

  /// A value of `range`.
  public let percent: Int

  /// All thresholds, the least strict first.
  public static var all: [SimilarityThreshold] { range.map { SimilarityThreshold(percent: $0) } }

  /// Why a text is no threshold.
  public enum Fault: Error, Equatable, CustomStringConvertible {
    /// The text is not a number with at most two decimals, and no percentage.
    case notANumber(String)
    /// The number is less than the least threshold, or greater than the greatest one.
    case outOfRange(String)

    /// One line for the user.
    public var description: String {
      let range = "\(SimilarityThreshold.all[0]) to \(SimilarityThreshold(percent: range.upperBound))"
      switch self {
      case .notANumber(let text): return "“\(text)” is not a number in steps of 0.01; use \(range)"
      case .outOfRange(let text): return "\(text) is outside of \(range)"
      }
    }
  }

  private init(percent: Int) { self.percent = percent }

  /// Makes a threshold of a percentage; nil if the percentage is out of range.
  init?(storedPercent percent: Int64) {
    guard let percent = Int(exactly: percent), Self.range.contains(percent) else { return nil }
    self.init(percent: percent)
  }

  /// Reads `0.92` or `92%`. There are no steps smaller than 0.01.
  public init(_ text: String) throws(Fault) {
    guard let percent = Self.percent(text) else { throw .notANumber(text) }
    guard Self.range.contains(percent) else { throw .outOfRange(text) }
    self.init(percent: percent)
  }

  private static func percent(_ text: String) -> Int? {
    if text.last == "%" { return number(text.dropLast(text.hasSuffix(" %") ? 2 : 1)) }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = number(parts[0]), parts.count == 2 else { return number(text[...]).map { $0 * 100 } }
    guard (1...2).contains(parts[1].count), let decimals = number(parts[1]) else { return nil }
    return whole * 100 + (parts[1].count == 1 ? decimals * 10 : decimals)
  }

  /// Reads up to three digits.
  private static func number(_ digits: Substring) -> Int? {
    guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(digits)
  }

  /// The least similarity that reaches the threshold, from 0 to 1.
  public var similarity: Double { Double(percent) / 100 }

  /// The threshold as a decimal: `0.92`.
  public var description: String { "0.\(percent)" }
}
