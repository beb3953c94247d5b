import Foundation
import Jobs
import Testing

/// The rules mean what they mean in restic 0.14: https://restic.readthedocs.io/en/stable/060_forget.html.
struct RetentionTests {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    return calendar
  }()
  private static let now = Date(timeIntervalSince1970: 4_000_000_000)

  private func candidates(_ dates: [String], tags: [String] = []) throws -> [RetentionCandidate] {
    try dates.map { RetentionCandidate(id: $0, date: try date($0), tags: tags) }.sorted { $0.date > $1.date }
  }

  /// Parses `2019-09-01` (at 11:00) or `2019-09-01T11:00:00`, in UTC.
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

  // MARK: Examples from restic's documentation

  /// A backup every Sunday for twelve weeks.
  private static let sundays = [
    "2019-09-01", "2019-09-08", "2019-09-15", "2019-09-22", "2019-09-29", "2019-10-06", "2019-10-13",
    "2019-10-20", "2019-10-27", "2019-11-03", "2019-11-10", "2019-11-17",
  ]

  @Test(
    "Retention: keep rules count only periods that have a backup",
    arguments: ["last", "hourly", "daily", "weekly"])
  func emptyPeriods(_ reason: String) throws {
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

  @Test("Retention: the oldest backup is kept if a rule keeps more periods than there are")
  func oldestBackup() throws {
    let all = try candidates(Self.sundays)
    #expect(
      kept(all) { $0.monthly = 12 } == [
        "2019-11-17": ["monthly"], "2019-10-27": ["monthly"], "2019-09-29": ["monthly"],
        "2019-09-01": ["oldest monthly"],
      ])
    // each of three months has a backup, so that the oldest backup of all is not kept
    #expect(
      kept(all) { $0.monthly = 3 }.keys.sorted() == ["2019-09-29", "2019-10-27", "2019-11-17"])
    #expect(kept(all) { $0.yearly = 2 } == ["2019-11-17": ["yearly"], "2019-09-01": ["oldest yearly"]])
    // a single backup is kept as the newest
    #expect(kept(Array(all.suffix(1))) { $0.yearly = 2 } == ["2019-09-01": ["yearly"]])
  }

  @Test("Retention: a backup is kept if one keep rule matches it")
  func matchingRules() throws {
    #expect(
      kept(try candidates(Self.sundays)) { policy in
        (policy.last, policy.daily, policy.monthly) = (1, 2, 2)
      } == [
        "2019-11-17": ["last", "daily", "monthly"], "2019-11-10": ["daily"], "2019-10-27": ["monthly"],
      ])
  }

  /// The rules keep 7 days, 5 weeks, 12 months and 75 years. Without those counted twice: 7 days; 4 Sundays, since the
  /// seven days include one; 11 ends of months; and 73 ends of years, since the twelfth month is a December.
  @Test("Retention: daily backups of a hundred years are kept as in restic's example")
  func hundredYears() throws {
    let last = try date("2019-11-17")
    let all = (0..<36_525).map { day in
      RetentionCandidate(id: "\(day)", date: last.addingTimeInterval(Double(day) * -86_400))
    }
    let kept = kept(all) { policy in
      (policy.daily, policy.weekly, policy.monthly, policy.yearly) = (7, 5, 12, 75)
    }
    #expect(kept.count == 7 + 4 + 11 + 73)
    func count(_ reason: String) -> Int { kept.values.count { $0.contains(reason) } }
    #expect(count("daily") == 7)
    #expect(count("weekly") == 5)
    #expect(count("monthly") == 12)
    #expect(count("yearly") == 75)
  }

  // MARK: Periods

  @Test("Retention: periods are hours of the clock, and weeks and years of the calendar")
  func calendarPeriods() throws {
    let hours = ["2020-03-01T10:59:59", "2020-03-01T11:00:00", "2020-03-01T11:59:59"]
    #expect(
      kept(try candidates(hours)) { $0.hourly = 5 }.filter { !$0.value[0].hasPrefix("oldest") }.keys.sorted()
        == ["2020-03-01T10:59:59", "2020-03-01T11:59:59"])
    // a week is from Monday to Sunday
    let week = ["2020-03-01T23:59:59", "2020-03-02T00:00:00", "2020-03-08T23:59:59", "2020-03-09T00:00:00"]
    #expect(
      kept(try candidates(week)) { $0.weekly = 3 }.keys.sorted() == [
        "2020-03-01T23:59:59", "2020-03-08T23:59:59", "2020-03-09T00:00:00",
      ])
    // a week can be in two years
    let newYear = ["2018-12-30", "2018-12-31", "2019-01-01"]
    #expect(kept(try candidates(newYear)) { $0.weekly = 2 }.keys.sorted() == ["2018-12-30", "2019-01-01"])
    #expect(kept(try candidates(newYear)) { $0.yearly = 1 }.keys.sorted() == ["2019-01-01"])
  }

  @Test("Retention: days are those of the calendar's time zone")
  func timeZone() throws {
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

  @Test("Retention: a Buddhist calendar gives the same result as the ISO calendar")
  func buddhistCalendar() throws {
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

  @Test(
    "Retention: a span counts back from the newest backup",
    arguments: [
      ("1d", "2020-03-30T12:00:00"), ("30d", "2020-03-01T12:00:00"), ("36h", "2020-03-30T00:00:00"),
      // 31 February does not exist
      ("1m", "2020-03-02T12:00:00"), ("1y", "2019-03-31T12:00:00"), ("1y1m", "2019-03-03T12:00:00"),
      ("13m", "2019-03-03T12:00:00"), ("1y2m3d4h", "2019-01-28T08:00:00"), ("4m", "2019-12-01T12:00:00"),
    ])
  func withinSpan(_ span: String, _ end: String) throws {
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

  @Test("Retention: a span of 10,000 years keeps every backup")
  func longSpan() throws {
    let all = try candidates(Self.sundays)
    #expect(kept(all) { $0.within = RetentionSpan("10000y") }.count == all.count)
  }

  @Test("Retention: a backup dated in the future does not make the others look old")
  func futureBackup() throws {
    let all = try candidates(["2020-01-01", "2020-03-01", "2020-03-20", "2099-01-01"])
    let now = try date("2020-03-21")
    var policy = RetentionPolicy()
    policy.within = RetentionSpan("30d")
    #expect(
      policy.reasons(for: all, calendar: Self.calendar, now: now).keys.sorted()
        == ["2020-03-01", "2020-03-20", "2099-01-01"])
    // if all backups are dated in the future, all are kept
    #expect(
      policy.reasons(for: all, calendar: Self.calendar, now: try date("2019-01-01")).count == all.count)
  }

  @Test("Retention: a span is a sequence of numbers with units; other text is refused")
  func spanSyntax() {
    #expect(RetentionSpan("2y5m7d3h").map { [$0.years, $0.months, $0.days, $0.hours] } == [2, 5, 7, 3])
    #expect(RetentionSpan("3h2y").map { [$0.years, $0.hours] } == [2, 3])
    for text in ["", "5", "d", "5w", "5d5", "-5d", "5 d", "5d5d", "٣d", "99999999999999999999d"] {
      #expect(RetentionSpan(text) == nil, "\(text)")
    }
  }

  // MARK: Tags

  @Test("Retention: a tag rule keeps the backups that have all of its tags")
  func tags() throws {
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

  // MARK: Empty policies

  @Test("Retention: a policy that keeps nothing is empty")
  func emptyPolicy() throws {
    #expect(RetentionPolicy().isEmpty)
    var policy = RetentionPolicy(last: 0)
    policy.daily = -1
    policy.within = RetentionSpan("0d0h")
    #expect(policy.isEmpty)
    policy.tags = [""]
    #expect(!policy.isEmpty)
    #expect(kept([]) { $0.last = 3 }.isEmpty)
  }

  @Test("Retention: the order of the backups and not their dates tells which one is newest")
  func order() throws {
    var all = try candidates(Self.sundays)
    all.insert(all.removeLast(), at: 0)
    #expect(kept(all) { $0.last = 2 } == ["2019-09-01": ["last"], "2019-11-17": ["last"]])
  }

  @Test("Retention: a day counts once, even if the clock returned to it")
  func repeatedDay() throws {
    let dates = ["2019-11-17T10:00:00", "2019-11-18T10:00:00", "2019-11-17T11:00:00", "2019-11-16T10:00:00"]
    let all = try dates.map { RetentionCandidate(id: $0, date: try date($0), tags: []) }
    #expect(kept(all) { $0.daily = 3 }.keys.sorted() == [dates[3], dates[0], dates[1]])
  }
}

/// An archive that a policy decides about.
private struct RetentionCandidate {
  let id: String
  let date: Date
  var tags: [String] = []
}

extension RetentionPolicy {
  /// Returns why each kept candidate is kept, by ID.
  fileprivate func reasons(
    for candidates: [RetentionCandidate], calendar: Calendar, now: Date
  ) -> [String: [String]] {
    let reasons = reasons(for: candidates.map { ($0.date, $0.tags) }, calendar: calendar, now: now)
    return Dictionary(uniqueKeysWithValues: zip(candidates.map(\.id), reasons).filter { !$0.1.isEmpty })
  }
}
