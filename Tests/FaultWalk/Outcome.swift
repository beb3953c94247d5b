import SystemPackage

/// How an operation ended.
enum Outcome: Sendable {
  /// Its process was killed.
  case killed
  /// It succeeded; `isComplete` is false where it said by name what is missing.
  case succeeded(isComplete: Bool)
  /// It failed, with this message.
  case failed(String)
}

/// What was tried, and what came of it.
struct Tally: Sendable {
  var kills = 0
  var errors = 0
  var violations: [String] = []

  static func += (sum: inout Tally, other: Tally) {
    sum.kills += other.kills
    sum.errors += other.errors
    sum.violations += other.violations
  }
}
