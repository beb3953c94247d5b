/// A day of the Gregorian calendar, without a time zone.
struct CivilDay: Equatable {
  /// Days since 1970-01-01.
  var number: Int

  /// 1 (Monday) to 7 (Sunday). 1970 began on a Thursday.
  var weekday: Int { 1 + (number + 3).modulo(7) }

  /// Year, month from 1, and day of the month from 1.
  /// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
  var components: (year: Int, month: Int, day: Int) {
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
  var lastOfMonth: Int {
    let (year, month, _) = components
    switch month {
    case 2: return year.modulo(4) == 0 && (year.modulo(100) != 0 || year.modulo(400) == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

extension Int {
  /// Returns the remainder, which is never negative.
  func modulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
