import Foundation
import PhotoLibrary
import TestSupport
import Testing

/// Days of photos.
struct LocalDayTests {
  private static let times = Int64(-11_676_052_800_000)...250_000_000_000_000

  @Test(
    "Day: dates are Gregorian in every year",
    arguments: [
      (0, "1970-01-01"), (-86_400_000, "1969-12-31"), (951_782_400_000, "2000-02-29"),
      (-2_203_891_200_000, "1900-03-01"), (-62_135_596_800_000, "0001-01-01"),
      (-62_167_219_200_000, "0000-01-01"), (253_402_300_800_000, "10000-01-01"),
      (-8_640_000_000_000_000, "-271821-04-20"),
    ] as [(Int64, String)])
  func dates(midnight: Int64, day: String) {
    let offset = Int64(TimeZone.current.secondsFromGMT(for: Timestamp(rawValue: midnight).date)) * 1000
    #expect(Timestamp(rawValue: midnight - offset).localDay == day)
  }

  @Test("Day: Foundation writes the same days since 1600")
  func foundation() {
    var numbers = SeededNumbers(seed: 4)
    let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    for _ in 0..<2000 {
      let moment = Timestamp(rawValue: .random(in: Self.times, using: &numbers))
      #expect(moment.localDay == style.format(moment.date))
    }
  }
}
