import Foundation
import Jobs
import Testing

/// restic's meaning of each option: https://restic.readthedocs.io/en/stable/060_forget.html, and what restic 0.14 does.
struct RetentionTests {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    return calendar
  }()
  private static let now = Date(timeIntervalSince1970: 4_000_000_000)

  private func candidates(_ dates: [String], tags: [String] = []) throws -> [RetentionCandidate] {
    try dates.map { RetentionCandidate(id: $0, date: try date($0), tags: tags) }
  }

  /// `2019-09-01`, at 11:00, or `2019-09-01T11:00:00`; UTC.
  private func date(_ text: String) throws -> Date {
    try Date(text.contains("T") ? text + "Z" : text + "T11:00:00Z", strategy: .iso8601)
  }

  private func kept(
    _ candidates: [RetentionCandidate], _ configure: (inout RetentionPolicy) -> Void
  ) -> [String: [String]] {
    var policy = RetentionPolicy()
    configure(&policy)
    return policy.reasons(for: candidates, calendar: Self.calendar, now: Self.now)
  }

  // MARK: The documentation's examples

  /// A backup every Sunday for twelve weeks.
  private static let sundays = [
    "2019-09-01", "2019-09-08", "2019-09-15", "2019-09-22", "2019-09-29", "2019-10-06", "2019-10-13",
    "2019-10-20", "2019-10-27", "2019-11-03", "2019-11-10", "2019-11-17",
  ]

  @Test(arguments: ["last", "hourly", "daily", "weekly"])
  func onlyPeriodsThatHaveASnapshotCount(_ reason: String) throws {
    let kept = kept(try candidates(Self.sundays)) { policy in
      switch reason {
      case "last": policy.last = 4
      case "hourly": policy.hourly = 4
      case "daily": policy.daily = 4
      default: policy.weekly = 4
      }
    }
    #expect(
      kept == [
        "2019-10-27": [reason], "2019-11-03": [reason], "2019-11-10": [reason], "2019-11-17": [reason],
      ])
  }

  @Test func theOldestStaysWhereThereAreNotEnough() throws {
    let all = try candidates(Self.sundays)
    #expect(
      kept(all) { $0.monthly = 12 } == [
        "2019-11-17": ["monthly"], "2019-10-27": ["monthly"], "2019-09-29": ["monthly"],
        "2019-09-01": ["oldest monthly"],
      ])
    // three are enough, and nothing is left for the oldest
    #expect(
      kept(all) { $0.monthly = 3 }.keys.sorted() == ["2019-09-29", "2019-10-27", "2019-11-17"])
    #expect(kept(all) { $0.yearly = 2 } == ["2019-11-17": ["yearly"], "2019-09-01": ["oldest yearly"]])
    // alone, it is the newest
    #expect(kept(Array(all.prefix(1))) { $0.yearly = 2 } == ["2019-09-01": ["yearly"]])
  }

  @Test func oneReasonIsEnough() throws {
    #expect(
      kept(try candidates(Self.sundays)) { policy in
        (policy.last, policy.daily, policy.monthly) = (1, 2, 2)
      } == [
        "2019-11-17": ["last", "daily", "monthly"], "2019-11-10": ["daily"], "2019-10-27": ["monthly"],
      ])
  }

  /// A backup a day for a hundred years, with 7 daily, 5 weekly, 12 monthly and 75 yearly: 7; 4 Sundays more, since the
  /// seven days hold one; 11 ends of months more; and 73 ends of years, since the twelfth month is a December.
  @Test func aHundredYears() throws {
    let last = try date("2019-11-17")
    let all = (0..<36_525).map { day in
      RetentionCandidate(id: "\(day)", date: last.addingTimeInterval(Double(day) * -86_400))
    }
    let kept = kept(all) { policy in
      (policy.daily, policy.weekly, policy.monthly, policy.yearly) = (7, 5, 12, 75)
    }
    #expect(kept.count == 7 + 4 + 11 + 73)
    func count(_ reason: String) -> Int { kept.values.count { $0.contains(reason) } }
    #expect(count("daily") == 7 && count("weekly") == 5 && count("monthly") == 12 && count("yearly") == 75)
  }

  // MARK: Periods

  @Test func periodsBeginOnTheClockAndTheCalendar() throws {
    let hours = ["2020-03-01T10:59:59", "2020-03-01T11:00:00", "2020-03-01T11:59:59"]
    #expect(
      kept(try candidates(hours)) { $0.hourly = 5 }.filter { !$0.value[0].hasPrefix("oldest") }.keys.sorted()
        == ["2020-03-01T10:59:59", "2020-03-01T11:59:59"])
    // from Monday to Sunday
    let week = ["2020-03-01T23:59:59", "2020-03-02T00:00:00", "2020-03-08T23:59:59", "2020-03-09T00:00:00"]
    #expect(
      kept(try candidates(week)) { $0.weekly = 3 }.keys.sorted() == [
        "2020-03-01T23:59:59", "2020-03-08T23:59:59", "2020-03-09T00:00:00",
      ])
    // a week may lie in two years
    let newYear = ["2018-12-30", "2018-12-31", "2019-01-01"]
    #expect(kept(try candidates(newYear)) { $0.weekly = 2 }.keys.sorted() == ["2018-12-30", "2019-01-01"])
    #expect(kept(try candidates(newYear)) { $0.yearly = 1 }.keys.sorted() == ["2019-01-01"])
  }

  @Test func aDayIsOneOfTheTimeZone() throws {
    var calendar = Self.calendar
    calendar.timeZone = try #require(TimeZone(identifier: "America/New_York"))
    let all = try candidates(["2020-06-01T03:00:00", "2020-06-01T05:00:00", "2020-06-02T03:00:00"])
    var policy = RetentionPolicy()
    policy.daily = 2
    #expect(
      policy.reasons(for: all, calendar: calendar, now: Self.now).keys.sorted() == [
        "2020-06-01T03:00:00", "2020-06-02T03:00:00",
      ])
    #expect(
      policy.reasons(for: all, calendar: Self.calendar, now: Self.now).keys.sorted() == [
        "2020-06-01T05:00:00", "2020-06-02T03:00:00",
      ])
  }

  @Test func aBuddhistMayKeepWeeksToo() throws {
    let all = try candidates(Self.sundays)
    var policy = RetentionPolicy()
    (policy.weekly, policy.monthly, policy.within) = (2, 2, RetentionSpan("1y"))
    var calendar = Calendar(identifier: .buddhist)
    calendar.timeZone = .gmt
    #expect(
      policy.reasons(for: all, calendar: calendar, now: Self.now)
        == policy.reasons(for: all, calendar: Self.calendar, now: Self.now))
  }

  // MARK: Within

  @Test(arguments: [
    ("1d", "2020-03-30T12:00:00"), ("30d", "2020-03-01T12:00:00"), ("36h", "2020-03-30T00:00:00"),
    // there is no 31 February
    ("1m", "2020-03-02T12:00:00"), ("1y", "2019-03-31T12:00:00"), ("1y1m", "2019-03-03T12:00:00"),
    ("13m", "2019-03-03T12:00:00"), ("1y2m3d4h", "2019-01-28T08:00:00"), ("4m", "2019-12-01T12:00:00"),
  ])
  func aSpanCountsBackFromTheNewest(_ span: String, _ end: String) throws {
    let end = try date(end)
    let all = [
      RetentionCandidate(id: "newest", date: try date("2020-03-31T12:00:00")),
      RetentionCandidate(id: "just within", date: end.addingTimeInterval(1)),
      RetentionCandidate(id: "just not", date: end),
      RetentionCandidate(id: "long ago", date: try date("2001-01-01")),
    ]
    let within = try #require(RetentionSpan(span))
    #expect(kept(all) { $0.within = within } == ["newest": ["within"], "just within": ["within"]])
  }

  @Test func aSpanLongerThanTimeKeepsAll() throws {
    let all = try candidates(Self.sundays)
    #expect(kept(all) { $0.within = RetentionSpan("10000y") }.count == all.count)
  }

  /// After a clock was wrong, one archive lies in the future: it must not make all others look old.
  @Test func whatLiesInTheFutureSaysNothingOfTheRest() throws {
    let all = try candidates(["2020-01-01", "2020-03-01", "2020-03-20", "2099-01-01"])
    let now = try date("2020-03-21")
    var policy = RetentionPolicy()
    policy.within = RetentionSpan("30d")
    #expect(
      policy.reasons(for: all, calendar: Self.calendar, now: now).keys.sorted()
        == ["2020-03-01", "2020-03-20", "2099-01-01"])
    // where all of them do, none is known to be old
    #expect(
      policy.reasons(for: all, calendar: Self.calendar, now: try date("2019-01-01")).count == all.count)
  }

  @Test func spansAreNumbersWithUnits() {
    #expect(RetentionSpan("2y5m7d3h").map { [$0.years, $0.months, $0.days, $0.hours] } == [2, 5, 7, 3])
    #expect(RetentionSpan("3h2y").map { [$0.years, $0.hours] } == [2, 3])
    for text in ["", "5", "d", "5w", "5d5", "-5d", "5 d", "5d5d", "٣d", "99999999999999999999d"] {
      #expect(RetentionSpan(text) == nil, "\(text)")
    }
  }

  // MARK: Tags

  @Test func tags() throws {
    let all = [
      RetentionCandidate(id: "none", date: try date("2020-01-01")),
      RetentionCandidate(id: "a", date: try date("2020-01-02"), tags: ["a"]),
      RetentionCandidate(id: "ab", date: try date("2020-01-03"), tags: ["a", "b"]),
      RetentionCandidate(id: "comma", date: try date("2020-01-04"), tags: ["a,b"]),
    ]
    #expect(kept(all) { $0.tags = ["a"] } == ["a": ["tag a"], "ab": ["tag a"]])
    #expect(kept(all) { $0.tags = ["b,a"] } == ["ab": ["tag b,a"]])
    #expect(kept(all) { $0.tags = ["a,b"] }.keys.sorted() == ["ab", "comma"])
    #expect(kept(all) { $0.tags = ["a", "b"] }["ab"] == ["tag a", "tag b"])
    #expect(kept(all) { $0.tags = [""] } == ["none": ["no tag"]])
    #expect(kept(all) { $0.tags = ["c"] }.isEmpty)
  }

  // MARK: Nothing asked for

  @Test func whatKeepsNothingIsEmpty() throws {
    #expect(RetentionPolicy().isEmpty)
    var policy = RetentionPolicy()
    policy.last = 0
    policy.daily = -1
    policy.within = RetentionSpan("0d0h")
    #expect(policy.isEmpty)
    policy.tags = [""]
    #expect(!policy.isEmpty)
    #expect(kept([]) { $0.last = 3 }.isEmpty)
  }

  @Test func theOrderDoesNotMatter() throws {
    let all = try candidates(Self.sundays)
    let configure: (inout RetentionPolicy) -> Void = { policy in
      (policy.last, policy.monthly, policy.within) = (2, 5, RetentionSpan("20d"))
    }
    #expect(kept(all, configure) == kept(all.reversed(), configure))
  }
}
