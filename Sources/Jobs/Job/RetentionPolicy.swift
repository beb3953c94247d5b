import Foundation

/// The archives to keep: restic's options, with restic's meaning of each.
/// https://restic.readthedocs.io/en/stable/060_forget.html#removing-candidates-according-to-a-policy
package struct RetentionPolicy: Sendable, Equatable {
  /// Keeps this many of the newest archives.
  package var last = 0
  /// Keeps the newest archive of an hour, for this many hours with archives.
  package var hourly = 0
  /// Keeps the newest archive of a day, for this many days with archives.
  package var daily = 0
  /// Keeps the newest archive of a week from Monday, for this many weeks with archives. ISO 8601.
  package var weekly = 0
  /// Keeps the newest archive of a month, for this many months with archives.
  package var monthly = 0
  /// Keeps the newest archive of a year, for this many years with archives.
  package var yearly = 0
  /// Keeps all archives made within this time before the newest archive.
  package var within: RetentionSpan?
  /// Keeps all archives with one of these tags. For a list with commas, such as `a,b`, an archive needs all
  /// its tags. An empty text matches archives without tags.
  package var tags: [String] = []

  /// Makes a policy without rules.
  package init() {}

  /// True if no rule is set. Callers treat an empty policy as a mistake.
  package var isEmpty: Bool {
    [last, hourly, daily, weekly, monthly, yearly].allSatisfy { $0 <= 0 } && tags.isEmpty
      && within?.isZero ?? true
  }
}

/// A duration on the calendar, such as `2y5m7d3h`.
package struct RetentionSpan: Sendable, Equatable {
  /// The number of years.
  package var years = 0
  /// The number of months.
  package var months = 0
  /// The number of days.
  package var days = 0
  /// The number of hours.
  package var hours = 0

  /// Reads `30d` or `2y5m7d3h`: numbers with y, m, d or h, each unit at most once. Returns nil for any other text.
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

  /// True if the duration is zero.
  package var isZero: Bool { (years, months, days, hours) == (0, 0, 0, 0) }

  /// Returns the date this duration before another date. A day that a month lacks overflows into the next
  /// month, as in restic: one month before 31 October is 1 October.
  func before(_ date: Date, _ calendar: Calendar) -> Date {
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    guard let year = parts.year, let month = parts.month, let day = parts.day else { return .distantPast }
    let month0 = (year - years) * 12 + month - 1 - months
    guard month0 >= 12 else { return .distantPast }
    // every day has a noon
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

extension RetentionPolicy {
  /// An archive that a policy decides about, or the set of archives of a split export: when it was made, and its tags.
  package typealias Candidate = (date: Date, tags: [String])

  /// Returns why each candidate is kept. A candidate without reasons is not kept.
  ///
  /// - Parameters:
  ///   - candidates: the candidates, newest first. The order and not the dates tells which one is newer, since a clock
  ///     may have been set back; the dates tell the periods.
  ///   - calendar: its time zone determines the beginning of a day.
  ///   - now: candidates with a later date have it from a wrong clock. They do not determine the age of the others.
  /// - Returns: the reasons of each candidate.
  package func reasons(for candidates: [Candidate], calendar: Calendar, now: Date) -> [[String]] {
    var iso = Calendar(identifier: .iso8601)
    iso.timeZone = calendar.timeZone
    var oldestKept: Date?
    if let within, !within.isZero {
      oldestKept = candidates.first { $0.date < now }.map { within.before($0.date, iso) } ?? .distantPast
    }
    var buckets = buckets(iso)
    return candidates.enumerated().map { index, candidate in
      var found: [String] = []
      for tag in tags where Self.hasTag(tag, candidate.tags) {
        found.append(tag.isEmpty ? "no tag" : "tag \(tag)")
      }
      if let oldestKept, candidate.date > oldestKept { found.append("within") }
      for bucket in buckets.indices {
        let isOldest = index == candidates.count - 1
        if let reason = buckets[bucket].take(candidate, index, isOldest: isOldest) { found.append(reason) }
      }
      return found
    }
  }

  /// Returns true if an archive with these tags has the tag. A list with commas requires all tags; an empty text requires
  /// that the archive has no tags.
  private static func hasTag(_ tag: String, _ tags: [String]) -> Bool {
    if tag.isEmpty { return tags.isEmpty }
    return tags.contains(tag)
      || tag.split(separator: ",").allSatisfy { part in
        tags.contains { $0 == part.trimmingCharacters(in: .whitespaces) }
      }
  }

  /// Keeps the newest candidate of each period until the number of periods is reached.
  private struct Bucket {
    let reason: String
    let period: (Candidate, Int) -> [Int]
    var left: Int
    var seen: Set<[Int]> = []

    mutating func take(_ candidate: Candidate, _ index: Int, isOldest: Bool) -> String? {
      guard left > 0 else { return nil }
      let period = period(candidate, index)
      // the oldest candidate is kept for its period until the number of periods is reached
      let isNew = seen.insert(period).inserted
      guard isNew || isOldest else { return nil }
      left -= 1
      return isNew ? reason : "oldest \(reason)"
    }
  }

  private func buckets(_ calendar: Calendar) -> [Bucket] {
    func by(_ components: Set<Calendar.Component>) -> (Candidate, Int) -> [Int] {
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
