import Foundation
import Jobs
import Testing

struct ScheduleTests {
  /// Reads a job with a schedule.
  private func job(_ schedule: String) throws(InvalidConfiguration) -> Job? {
    let text = "jobs: {a: {library: /l, destinations: /d, schedule: {\(schedule)}}}"
    return try JobFile(text: text, path: "/c.yaml", home: nil).jobs.first
  }

  @Test(
    "Schedule: frequency, day and time of a job file are read",
    arguments: [
      (#"frequency: daily, time: "03:30""#, "every day at 03:30"),
      (#"frequency: weekly, day: 1, time: "00:00""#, "every Monday at 00:00"),
      (#"frequency: weekly, day: 7, time: "23:59""#, "every Sunday at 23:59"),
      (#"frequency: monthly, day: 5, time: "03:30""#, "every month on day 5 at 03:30"),
      (#"frequency: monthly, day: 31, time: "03:30""#, "on the last day of every month at 03:30"),
      ("frequency: manual", nil),
    ] as [(String, String?)])
  func jobFileValues(_ schedule: String, _ description: String?) throws {
    #expect(try job(schedule)?.schedule?.description == description)
  }

  @Test(
    "Schedule: an invalid frequency, day or time is refused with its reason",
    arguments: [
      (#"frequency: hourly, time: "03:30""#, "“hourly” is not a frequency"),
      (#"frequency: Daily, time: "03:30""#, "“Daily” is not a frequency"),
      (#"frequency: weekly, day: 8, time: "03:30""#, "a week has no day 8"),
      (#"frequency: weekly, day: 0, time: "03:30""#, "“day” must be an integer from 1 to 31"),
      (#"frequency: weekly, time: "03:30""#, "weekly needs a day"),
      (#"frequency: monthly, time: "03:30""#, "monthly needs a day"),
      (#"frequency: monthly, day: 32, time: "03:30""#, "“day” must be an integer from 1 to 31"),
      (#"frequency: monthly, day: -1, time: "03:30""#, "“day” must be an integer from 1 to 31"),
      (#"frequency: daily, day: 1, time: "03:30""#, "daily does not use day"),
      ("frequency: daily", "daily needs a time"),
      ("frequency: manual, day: 1", "manual does not use day"),
      (#"frequency: manual, time: "03:30""#, "manual does not use time"),
      (#"frequency: daily, time: "24:00""#, "“24:00” is not a time"),
      (#"frequency: daily, time: "3:30""#, "“3:30” is not a time"),
      (#"frequency: daily, time: "03:60""#, "“03:60” is not a time"),
      (#"frequency: daily, time: "03:30:00""#, "“03:30:00” is not a time"),
      (#"frequency: daily, time: "+3:30""#, "“+3:30” is not a time"),
      (#"frequency: daily, time: "०३:३०""#, "“०३:३०” is not a time"),
      (#"frequency: daily, time: """#, "“time” must be text"),
    ])
  func invalidValues(_ schedule: String, _ reason: String) {
    let error = #expect(throws: InvalidConfiguration.self) { try job(schedule) }
    #expect(error?.faults.count == 1)
    #expect(error?.faults.first?.message.contains(reason) == true)
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
