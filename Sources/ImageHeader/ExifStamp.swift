import Foundation

/// The three texts of a date in Exif (CIPA DC-008, section 4.6).
struct ExifStamp {
  /// The length of the longest text, the date, without the terminating zero.
  static let textLength = 19

  /// For example 2024:02:29 23:59:58.
  let date: ArraySlice<UInt8>
  /// For example +02:00; blank or missing if unknown.
  let offset: ArraySlice<UInt8>
  /// The decimal places of the second, of any number.
  let fraction: ArraySlice<UInt8>

  // A clock that was never set yields year 0 or 1. There are no earlier photographs.
  private static let firstYear = 1800

  /// Returns the point in time; nil if the date is blank or invalid.
  func date(timeZone: TimeZone) -> Date? {
    let text = Array(date)
    // Some writers use the dashes and the T of ISO 8601.
    guard text.count == Self.textLength, text[4] == text[7], Self.isOne(text[4], of: ":-/"),
      Self.isOne(text[10], of: " T"), text[13] == text[16], Self.isOne(text[13], of: ":"),
      let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
      let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
      let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
      year >= Self.firstYear, (1...12).contains(month),
      (1...Self.days(inMonth: month, year: year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = statedZone ?? timeZone
    let components = DateComponents(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    return calendar.date(from: components)?.addingTimeInterval(Double(milliseconds) / 1000)
  }

  private var statedZone: TimeZone? {
    let text = Array(offset.prefix(6))
    if text.first == UInt8(ascii: "Z") { return TimeZone(secondsFromGMT: 0) }
    guard text.count == 6, Self.isOne(text[0], of: "+-"), Self.isOne(text[3], of: ":"),
      let hours = Self.number(text[1..<3]), let minutes = Self.number(text[4..<6]),
      hours <= 14, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return TimeZone(secondsFromGMT: text[0] == UInt8(ascii: "-") ? -seconds : seconds)
  }

  private var milliseconds: Int {
    let digits = fraction.prefix { Self.number([$0]) != nil }.prefix(3)
    let missing = 3 - digits.count
    return (Self.number(digits) ?? 0) * [1, 10, 100, 1000][missing]
  }

  private static func isOne(_ byte: UInt8, of characters: String) -> Bool {
    characters.utf8.contains(byte)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  // The calendar would accept 31 February as a day in March.
  private static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
