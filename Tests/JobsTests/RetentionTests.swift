import Foundation
import Jobs
import Testing

struct RetentionTests {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    return calendar
  }()

  private func snapshots(_ dates: String...) throws -> [Snapshot] {
    try dates.map { text in
      Snapshot(id: text, date: try Date(text, strategy: .iso8601), tags: [])
    }
  }

  @Test func newestOfEachDayIsKept() throws {
    let all = try snapshots(
      "2025-10-01T02:00:00Z", "2025-10-02T02:00:00Z", "2025-10-02T12:00:00Z", "2025-10-03T02:00:00Z")
    var policy = RetentionPolicy()
    policy.daily = 2
    #expect(
      policy.reasons(for: all, calendar: Self.calendar) == [
        "2025-10-03T02:00:00Z": ["daily"], "2025-10-02T12:00:00Z": ["daily"],
      ])
  }
}
