import Foundation
import Operations

/// Which archives are worth keeping: restic's options, with restic's meaning of each.
/// https://restic.readthedocs.io/en/stable/060_forget.html#removing-candidates-according-to-a-policy
package struct RetentionPolicy: Sendable, Equatable {
  /// So many of the newest.
  package var last = 0
  /// The newest of each of so many hours that have any.
  package var hourly = 0
  /// The newest of each of so many days that have any.
  package var daily = 0
  /// The newest of each of so many weeks, from Monday, that have any. ISO 8601.
  package var weekly = 0
  /// The newest of each of so many months that have any.
  package var monthly = 0
  /// The newest of each of so many years that have any.
  package var yearly = 0
  /// All that were made so long before the newest, or later.
  package var within: RetentionSpan?
  /// All that have one of these tags. Several with commas between them must all be there: `a,b`; an empty one means
  /// those without any.
  package var tags: [String] = []

  /// Keeps nothing by itself.
  package init() {}

  /// Nothing was asked to be kept, so that nobody can have meant it.
  package var isEmpty: Bool {
    [last, hourly, daily, weekly, monthly, yearly].allSatisfy { $0 <= 0 } && tags.isEmpty
      && within?.isZero ?? true
  }
}

/// A length of time on the calendar, as `2y5m7d3h`.
package struct RetentionSpan: Sendable, Equatable {
  /// Years.
  package var years = 0
  /// Months.
  package var months = 0
  /// Days.
  package var days = 0
  /// Hours.
  package var hours = 0

  /// Reads `30d`, `2y5m7d3h`: numbers with y, m, d or h, each unit once at most. Nil if it is none.
  package init?(_ text: String) {
    var digits = ""
    var units = ""
    for character in text {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      guard let number = Int(digits), number <= 10_000, !units.contains(character) else { return nil }
      switch character {
      case "y": years = number
      case "m": months = number
      case "d": days = number
      case "h": hours = number
      default: return nil
      }
      units.append(character)
      digits = ""
    }
    guard digits.isEmpty, !units.isEmpty else { return nil }
  }

  /// No time at all.
  package var isZero: Bool { (years, months, days, hours) == (0, 0, 0, 0) }

  /// The moment so long before another. A day that a month does not have goes over into the next, as restic has it: a
  /// month before 31 October is 1 October.
  func before(_ date: Date, _ calendar: Calendar) -> Date {
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    guard let year = parts.year, let month = parts.month, let day = parts.day else { return .distantPast }
    let month0 = (year - years) * 12 + month - 1 - months
    guard month0 >= 12 else { return .distantPast }
    // noon, since every day has one
    let noon = DateComponents(year: month0 / 12, month: month0 % 12 + 1, day: 1, hour: 12)
    guard let first = calendar.date(from: noon),
      let target = calendar.date(byAdding: .day, value: day - 1 - days, to: first)
    else { return .distantPast }
    var moment = calendar.dateComponents([.year, .month, .day], from: target)
    (moment.hour, moment.minute, moment.second) = (parts.hour, parts.minute, parts.second)
    guard let found = calendar.date(from: moment) else { return .distantPast }
    let seconds = date.timeIntervalSince1970
    return found.addingTimeInterval(seconds - seconds.rounded(.down) - Double(hours) * 3600)
  }
}

/// What a policy looks at: an archive, or a set of them that an export was split into.
package struct RetentionCandidate: Sendable, Equatable {
  /// What tells it from the others.
  package var id: String
  /// When it was made.
  package var date: Date
  /// What it was called.
  package var tags: [String]

  /// Makes a value of these parts.
  package init(id: String, date: Date, tags: [String] = []) {
    self.id = id
    self.date = date
    self.tags = tags
  }
}

extension RetentionCandidate {
  /// Whether it has a tag; of several with commas between them, all; of an empty one, none at all.
  fileprivate func has(_ tag: String) -> Bool {
    if tag.isEmpty { return tags.isEmpty }
    return tags.contains(tag)
      || tag.split(separator: ",").allSatisfy { part in
        tags.contains { $0 == part.trimmingCharacters(in: .whitespaces) }
      }
  }
}

extension RetentionPolicy {
  /// Why each candidate is kept; one without a reason is not.
  ///
  /// - Parameters:
  ///   - candidates: in any order; of those of one moment the first counts as the newest.
  ///   - calendar: its time zone says when a day begins.
  ///   - now: candidates made later, by a clock that was wrong, say nothing of how old the others are.
  /// - Returns: the reasons of each candidate, by id.
  package func reasons(
    for candidates: [RetentionCandidate], calendar: Calendar = .current, now: Date = Date()
  ) -> [String: [String]] {
    let sorted = candidates.enumerated().sorted {
      ($0.element.date, -$0.offset) > ($1.element.date, -$1.offset)
    }
    .map(\.element)
    var iso = Calendar(identifier: .iso8601)
    iso.timeZone = calendar.timeZone
    var oldestKept: Date?
    if let within, !within.isZero {
      oldestKept = sorted.first { $0.date < now }.map { within.before($0.date, iso) } ?? .distantPast
    }
    var buckets = buckets(iso)
    var reasons: [String: [String]] = [:]
    for (index, candidate) in sorted.enumerated() {
      var found: [String] = []
      for tag in tags where candidate.has(tag) { found.append(tag.isEmpty ? "no tag" : "tag \(tag)") }
      if let oldestKept, candidate.date > oldestKept { found.append("within") }
      for bucket in buckets.indices {
        let isOldest = index == sorted.count - 1
        if let reason = buckets[bucket].take(candidate, index, isOldest: isOldest) { found.append(reason) }
      }
      if !found.isEmpty { reasons[candidate.id] = found }
    }
    return reasons
  }

  /// Takes the newest of each period, until there have been as many as were asked for.
  private struct Bucket {
    let reason: String
    let period: (RetentionCandidate, Int) -> [Int]
    var left: Int
    var last: [Int] = []

    mutating func take(_ candidate: RetentionCandidate, _ index: Int, isOldest: Bool) -> String? {
      guard left > 0 else { return nil }
      let period = period(candidate, index)
      // the oldest one stands for its period until there are enough of them
      guard period != last || isOldest else { return nil }
      defer { (last, left) = (period, left - 1) }
      return period == last ? "oldest \(reason)" : reason
    }
  }

  private func buckets(_ calendar: Calendar) -> [Bucket] {
    func by(_ components: Set<Calendar.Component>) -> (RetentionCandidate, Int) -> [Int] {
      { candidate, _ in
        let parts = calendar.dateComponents(components, from: candidate.date)
        return [
          parts.year ?? 0, parts.yearForWeekOfYear ?? 0, parts.month ?? 0, parts.weekOfYear ?? 0,
          parts.day ?? 0, parts.hour ?? 0,
        ]
      }
    }
    return [
      Bucket(reason: "last", period: { _, index in [index] }, left: last),
      Bucket(reason: "hourly", period: by([.year, .month, .day, .hour]), left: hourly),
      Bucket(reason: "daily", period: by([.year, .month, .day]), left: daily),
      Bucket(reason: "weekly", period: by([.yearForWeekOfYear, .weekOfYear]), left: weekly),
      Bucket(reason: "monthly", period: by([.year, .month]), left: monthly),
      Bucket(reason: "yearly", period: by([.year]), left: yearly),
    ]
  }
}
