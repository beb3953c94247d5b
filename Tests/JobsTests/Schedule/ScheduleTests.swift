import Foundation
import Jobs
import Testing

struct ScheduleTests {
  @Test("Schedule: frequency, day and time of a job file are read")
  func jobFileValues() throws {
    #expect(try Schedule(frequency: "daily", day: nil, time: "03:30").description == "every day at 03:30")
    #expect(try Schedule(frequency: "weekly", day: 1, time: "00:00").description == "every Monday at 00:00")
    #expect(try Schedule(frequency: "weekly", day: 7, time: "23:59").description == "every Sunday at 23:59")
    #expect(
      try Schedule(frequency: "monthly", day: 5, time: "03:30").description == "every month on day 5 at 03:30"
    )
    #expect(
      try Schedule(frequency: "monthly", day: 31, time: "03:30").description
        == "on the last day of every month at 03:30")
    #expect(try Schedule(frequency: "manual", day: nil, time: nil).frequency == .manual)
  }

  @Test(
    "Schedule: an invalid frequency, day or time is refused with its reason",
    arguments: [
      ("hourly", nil, "03:30", ScheduleError.notAFrequency("hourly")),
      ("Daily", nil, "03:30", .notAFrequency("Daily")),
      ("weekly", 0, "03:30", .notADay(0, of: "week", last: 7)),
      ("weekly", 8, "03:30", .notADay(8, of: "week", last: 7)),
      ("weekly", nil, "03:30", .dayNeeded("weekly")),
      ("monthly", 32, "03:30", .notADay(32, of: "month", last: 31)),
      ("monthly", -1, "03:30", .notADay(-1, of: "month", last: 31)),
      ("daily", 1, "03:30", .unusedKey("day", "daily")),
      ("daily", nil, nil, .timeNeeded("daily")),
      ("manual", nil, "03:30", .unusedKey("time", "manual")),
      ("daily", nil, "24:00", .notATime("24:00")),
      ("daily", nil, "3:30", .notATime("3:30")),
      ("daily", nil, "03:60", .notATime("03:60")),
      ("daily", nil, "03:30:00", .notATime("03:30:00")),
      ("daily", nil, "+3:30", .notATime("+3:30")),
      ("daily", nil, "०३:३०", .notATime("०३:३०")),
      ("daily", nil, "", .notATime("")),
    ] as [(String, Int?, String?, ScheduleError)])
  func invalidValues(_ frequency: String, _ day: Int?, _ time: String?, _ reason: ScheduleError) {
    #expect(throws: reason) { try Schedule(frequency: frequency, day: day, time: time) }
  }

  @Test("Schedule: every minute of a day is read and written the same way")
  func everyTime() {
    for hour in 0..<24 {
      for minute in 0..<60 {
        let text = String(format: "%02d:%02d", hour, minute)
        #expect(TimeOfDay(text)?.description == text)
      }
    }
  }
}
