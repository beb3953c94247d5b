import Foundation
import Operations

/// Whether the photos of a library are safe: one sentence, and what to do if they are not.
package struct ProtectionVerdict: Sendable, Equatable {
  /// How safe the photos are, from the best to the worst.
  package enum Level: String, Sendable, Encodable, CaseIterable, Comparable {
    /// A verified copy on another device has every photo, and a restore test passed at its destination.
    case safe
    /// Every photo that was backed up can be restored, but something needs attention.
    case attention
    /// Photos would be lost with the library.
    case danger

    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The most actions that a page shows.
  private static let mostActions = 3

  package let level: Level
  /// One true sentence.
  package let sentence: String
  /// What a person should do, the most important first.
  package let actions: [Finding]

  /// Judges the protection of a library. Each action is a fact that needs attention. Unless the photos are safe, the
  /// first action is about the sentence.
  ///
  /// - Parameter now: the time to which the sentence refers.
  package init(of protection: LibraryProtection, now: Date = Date(), calendar: Calendar = .current) {
    let days = DayCount(now: now, calendar)
    let judgment = ProtectionJudgment(of: protection, days)
    let all = ProtectionActions.all(for: protection, after: judgment.action, days)
    actions = Array(all.prefix(Self.mostActions))
    sentence = judgment.sentence
    level = actions.isEmpty ? judgment.level : max(judgment.level, .attention)
  }
}
