import Foundation

/// Writes days as `2025-10-03`, in the time zone of this machine.
package struct LocalDay: Sendable {
  private let timeZone = TimeZone.current

  package init() {}

  /// Returns the day of a moment in milliseconds since 1970, in the calendar of ISO 8601: Gregorian, also before 1582, for
  /// which Foundation has the Julian one.
  package func text(_ milliseconds: Int64) -> String {
    let date = Date(milliseconds: milliseconds)
    let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
    let (year, month, day) = Self.civil(fromDays: Int((seconds / 86_400).rounded(.down)))
    return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
  }

  /// Returns the date of a day, counted from 1970-01-01. Years begin in March, so that the leap day is the last one.
  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    // a Gregorian era of 400 years has 146,097 days; 719,468 days are between 0000-03-01 and 1970-01-01
    let shifted = days + 719_468
    let era = Int((Double(shifted) / 146_097).rounded(.down))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  private static func digits(_ value: Int, _ count: Int) -> String {
    let text = "\(value.magnitude)"
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
