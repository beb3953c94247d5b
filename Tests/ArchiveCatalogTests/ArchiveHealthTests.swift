import Testing

@testable import ArchiveCatalog

/// The health of an archive is a pure function of its observations.
@Suite struct ArchiveHealthTests {
  /// What happens, and whether its reading began before the observation before it was recorded.
  struct Step: Sendable {
    var event: Observation.Event
    var isOld: Bool
  }

  static let steps: [Step] = [
    Observation.Event.verified, .restored(.all), .restored(.sample), .foundDamaged(reason: "rot"),
    .unreachable,
  ].flatMap { event in [Step(event: event, isOld: false), Step(event: event, isOld: true)] }

  /// Every sequence of up to this many steps.
  static func sequences(upTo length: Int) -> [[Step]] {
    guard length > 0 else { return [[]] }
    let shorter = sequences(upTo: length - 1)
    return shorter + shorter.filter { $0.count == length - 1 }.flatMap { start in steps.map { start + [$0] } }
  }

  static func log(_ steps: [Step]) -> [Observation] {
    steps.enumerated().map { index, step in
      // a recorded observation has the positions 10, 20, …; an old reading began before all of them
      let recorded = Int64(index + 1) * 10
      var event = step.event
      if case .foundDamaged = event { event = .foundDamaged(reason: "rot \(index)") }
      return Observation(
        event, begun: LedgerPosition(step.isOld ? 0 : recorded - 1), recorded: LedgerPosition(recorded),
        at: Timestamp(rawValue: 1_000 - recorded))
    }
  }

  @Test("Health: every sequence of up to four observations follows the rules")
  func rules() {
    let sequences = Self.sequences(upTo: 4)
    #expect(sequences.count == 1 + 10 + 100 + 1_000 + 10_000)
    for steps in sequences {
      let log = Self.log(steps)
      let (health, expected) = (ArchiveHealth(log), Self.expected(log))
      if health != expected { Issue.record("\(steps.map(\.event)): \(health), not \(expected)") }
    }
  }

  /// The rules as statements about the whole log, instead of one step after the other.
  private static func expected(_ log: [Observation]) -> ArchiveHealth {
    func isComplete(_ observation: Observation) -> Bool {
      [.verified, .restored(.all)].contains(observation.event)
    }
    func reason(_ observation: Observation) -> String? {
      if case .foundDamaged(let reason) = observation.event { reason } else { nil }
    }
    let damage = log.filter { reason($0) != nil }
    // by this moment, a complete reading that began after a damage was recorded has ended it
    func isEnded(_ one: Observation, by moment: LedgerPosition) -> Bool {
      log.contains { isComplete($0) && $0.recorded <= moment && $0.begun >= one.recorded }
    }
    let now = LedgerPosition(.max)
    let open = damage.reversed().prefix { !isEnded($0, by: now) }
    if let last = open.first, let first = open.last {
      return .suspect(since: first.at, reason: reason(last) ?? "")
    }
    let proof = log.last { complete in
      isComplete(complete)
        && damage.allSatisfy { $0.recorded > complete.recorded || isEnded($0, by: complete.recorded) }
    }
    return proof.map { .verified(at: $0.at) } ?? .unverified
  }

  @Test("Health: the order of the log counts, and not the clock")
  func clocks() {
    let log = [
      Observation(.verified, begun: LedgerPosition(0), recorded: LedgerPosition(1), at: 5_000),
      Observation(
        .foundDamaged(reason: "rot"), begun: LedgerPosition(1), recorded: LedgerPosition(2), at: 1_000),
    ]
    #expect(ArchiveHealth(log) == .suspect(since: 1_000, reason: "rot"))
    let later = log + [Observation(.verified, begun: LedgerPosition(2), recorded: LedgerPosition(3), at: 10)]
    #expect(ArchiveHealth(later) == .verified(at: 10))
  }
}
