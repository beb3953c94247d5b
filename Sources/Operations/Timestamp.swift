import Foundation

/// A moment in milliseconds since 1970, as in the apps. The number may be any, also one that no calendar can show.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  ExpressibleByIntegerLiteral, CustomStringConvertible
{
  /// The number of milliseconds; negative before 1970.
  public var rawValue: Int64

  /// Makes the moment of a number of milliseconds.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Makes the moment of a number of milliseconds.
  public init(integerLiteral milliseconds: Int64) { rawValue = milliseconds }

  /// Makes the moment of a date. Dates beyond the range of `Int64` are clamped.
  public init(_ date: Date) {
    // rounds, since `Date` has a binary fraction of a second, which can be slightly too small
    let value = (date.timeIntervalSince1970 * 1000).rounded()
    rawValue = Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  /// The first and the last moment.
  package static let (min, max) = (Timestamp(rawValue: .min), Timestamp(rawValue: .max))

  /// The present moment.
  public static var now: Timestamp { Timestamp(Date()) }

  /// The moment as a date.
  public var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1000) }

  /// The number of milliseconds.
  public var description: String { "\(rawValue)" }

  /// The time in UTC: `2026-11-24T01:30:00Z`.
  package var iso8601: String { date.formatted(.iso8601) }

  /// The seconds since 1970, rounded down, and the milliseconds since then.
  package var seconds: (whole: Int64, milliseconds: Int64) {
    let (quotient, remainder) = rawValue.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? (quotient - 1, remainder + 1000) : (quotient, remainder)
  }

  /// The next moment; the last one has none, and returns itself.
  package var next: Timestamp { self < .max ? self + 1 : self }

  /// Returns the milliseconds from another moment to this one. The difference must fit into 64 bits.
  package func milliseconds(since other: Timestamp) -> Int64 { rawValue - other.rawValue }

  /// Compares the numbers.
  public static func < (one: Timestamp, other: Timestamp) -> Bool { one.rawValue < other.rawValue }

  /// Returns the moment that is some milliseconds later. The sum must fit into 64 bits.
  package static func + (time: Timestamp, milliseconds: Int64) -> Timestamp {
    Timestamp(rawValue: time.rawValue + milliseconds)
  }

  /// Returns the moment that is some milliseconds earlier. The difference must fit into 64 bits.
  package static func - (time: Timestamp, milliseconds: Int64) -> Timestamp { time + -milliseconds }
}
