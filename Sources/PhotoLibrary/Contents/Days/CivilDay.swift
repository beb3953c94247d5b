import Foundation

/// A day of the Gregorian calendar, also before 1582, for which Foundation has the Julian one. It has no time zone.
package struct CivilDay: Sendable, Equatable {
  /// Days since 1970-01-01.
  package var number: Int

  /// The day with this number.
  package init(number: Int) { self.number = number }

  /// The day of a moment.
  package init(of time: Timestamp, in zone: TimeZone) {
    let date = time.date
    let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
    number = Int((seconds / 86_400).rounded(.down))
  }

  /// 1 (Monday) to 7 (Sunday). 1970 began on a Thursday.
  package var weekday: Int { 1 + (number + 3).modulo(7) }

  /// Year, month from 1, and day of the month from 1.
  /// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
  package var components: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let dayOfEra = shifted.modulo(146_097)
    let era = (shifted - dayOfEra) / 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// The last day of the month: 28 to 31.
  package var lastOfMonth: Int {
    let (year, month, _) = components
    switch month {
    case 2: return year.modulo(4) == 0 && (year.modulo(100) != 0 || year.modulo(400) == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

extension CivilDay: CustomStringConvertible {
  /// The day in the form of ISO 8601: `2025-10-03`.
  package var description: String {
    let (year, month, day) = components
    return "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))"
  }
}

extension Int {
  /// Returns the remainder, which is never negative.
  package func modulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }

  /// Returns the decimal digits, with zeros before them if there are fewer than `count`.
  package func digits(_ count: Int) -> String {
    let text = "\(magnitude)"
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, count - text.count)) + text
  }
}
