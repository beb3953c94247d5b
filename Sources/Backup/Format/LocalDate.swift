import Foundation

/// Dates as people write them.
package enum LocalDate {
  /// A day (`2025-06-01`, from midnight) or a moment (`2025-06-01T12:00`, `2025-06-01T12:00:00`), local time; nil if the
  /// text is none.
  package static func parse(_ text: String) -> Date? {
    for format in ["yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm:ss"] {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = format
      // leniently, since where clocks go forward at midnight a day has none, and is taken from its first moment;
      // what the date reads back as tells a day that is none from such an hour
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
