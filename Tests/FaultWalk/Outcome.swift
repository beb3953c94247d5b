import SystemPackage

/// How an operation ended.
enum Outcome: Sendable {
  /// Its process was killed.
  case killed
  /// It succeeded; `isComplete` is false if it reported something as missing.
  case succeeded(isComplete: Bool)
  /// It failed, with this message.
  case failed(String)
}

/// The number of faults, and the violations that they caused.
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
