/// A day of the week, numbered as in ISO 8601.
package enum Weekday: Int, Sendable, CaseIterable, CustomStringConvertible {
  /// Day 1.
  case monday = 1
  /// Day 2.
  case tuesday
  /// Day 3.
  case wednesday
  /// Day 4.
  case thursday
  /// Day 5.
  case friday
  /// Day 6.
  case saturday
  /// Day 7.
  case sunday

  /// Reads an English name, in full or its first three letters, in upper or lower case; nil for any other text.
  package init?(_ text: String) {
    let text = text.lowercased()
    let day = Self.allCases.first { day in
      [day.description, day.shortName].contains { $0.lowercased() == text }
    }
    guard let day else { return nil }
    self = day
  }

  /// The English name: `Sunday`.
  package var description: String { Self.names[rawValue - 1] }

  private static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// The first three letters of the name, which systemd understands. systemd.time(7).
  var shortName: String { String(description.prefix(3)) }
}
