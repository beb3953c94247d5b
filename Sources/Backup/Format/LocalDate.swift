import Foundation

/// Parses dates that a user types.
package enum LocalDate {
  /// Parses a day (`2025-06-01`, from midnight) or a time (`2025-06-01T12:00`, `2025-06-01T12:00:00`) in local
  /// time. Returns nil if the text is not a date.
  package static func parse(_ text: String) -> Date? {
    for format in ["yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm:ss"] {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = format
      // lenient, because a day on which clocks go forward at midnight has no midnight and starts at its first
      // moment; formatting the date again distinguishes an invalid day from such an hour
      formatter.isLenient = true
      guard let date = formatter.date(from: text), text.count == format.filter({ $0 != "'" }).count else {
        continue
      }
      let day = formatter.string(from: date).prefix(10)
      if text.hasPrefix(day) { return date }
    }
    return nil
  }
}
