/// One fact about the protection of a library: how safe it leaves the photos, and a sentence that is true by itself.
///
/// Each fact is judged by itself, and the worst one counts. So a fact that gets worse cannot improve the level.
struct ProtectionJudgment {
  let level: ProtectionVerdict.Level
  let sentence: String

  /// Returns the worst fact; of several, the one on which the others depend.
  static func worst(of protection: LibraryProtection, _ days: DayCount) -> Self {
    let photos = protection.totals.photos
    guard photos > 0 else { return Self(level: .attention, sentence: "The library has no photos yet.") }
    if let problem = protection.ledgerProblem {
      let name = photos == 1 ? "the one photo" : "\(ProtectionVerdict.number(photos)) photos"
      return Self(level: .attention, sentence: "The copies of \(name) are unknown: \(problem).")
    }
    let facts = Facts(protection, days)
    let judgments = [
      facts.missing, facts.outdated, facts.outdatedElsewhere, facts.unprotected, facts.unverified,
      facts.untested,
      facts.behind,
    ].compactMap(\.self)
    // the first of the worst
    return judgments.min { $0.level > $1.level } ?? facts.safe
  }
}

/// The facts about the copies of a library that has photos.
private struct Facts {
  private let photos: Int
  private let days: DayCount
  private let testedAt: Int64?
  /// The copies that restore the entire library as it was when they were made.
  private let complete: [CountedCopy]
  /// Those that have a photo of the present library, as far as is known. Each of the following sets is a part of the one
  /// before.
  private let useful: [CountedCopy]
  /// Those that are not lost with the library.
  private let protecting: [CountedCopy]
  /// Those whose archives were verified.
  private let verified: [CountedCopy]
  /// Those at destinations where a restore test has passed.
  private let tested: [CountedCopy]

  init(_ protection: LibraryProtection, _ days: DayCount) {
    photos = protection.totals.photos
    self.days = days
    testedAt = protection.testedAt
    complete = protection.completeCopies
    useful = complete.filter { [photos] in $0.photosAdded.map { $0 < photos } ?? true }
    protecting = useful.filter(\.isProtecting)
    verified = protecting.filter { $0.verifiedAt != nil }
    tested = verified.filter { $0.testedAt != nil }
  }

  var missing: ProtectionJudgment? {
    guard complete.isEmpty else { return nil }
    return danger("\(all) in no complete copy that a job made.")
  }

  /// No complete copy has any photo of the present library.
  var outdated: ProtectionJudgment? {
    guard useful.isEmpty, !complete.isEmpty else { return nil }
    return danger("\(allWere) added since the newest copy, from \(made(complete)).")
  }

  /// No complete copy on another device has any photo of the present library.
  var outdatedElsewhere: ProtectionJudgment? {
    let elsewhere = complete.filter(\.isProtecting)
    guard protecting.isEmpty, !elsewhere.isEmpty else { return nil }
    return danger("\(allWere) added since the newest copy on another device, from \(made(elsewhere)).")
  }

  var unprotected: ProtectionJudgment? {
    guard !useful.isEmpty, !complete.contains(where: \.isProtecting) else { return nil }
    let places = Set(useful.map(\.place))
    let place =
      places == [.memory]
      ? "in memory"
      : "on the device of the library" + (places.contains(.memory) ? " or in memory" : "")
    return danger("\(covered(by: useful, "copies")), but each copy is \(place).")
  }

  var unverified: ProtectionJudgment? {
    guard verified.isEmpty, !protecting.isEmpty else { return nil }
    let name = protecting.count < useful.count ? "no copy on another device" : "no copy"
    return attention("\(covered(by: protecting, "copies on another device")), but \(name) is verified.")
  }

  var untested: ProtectionJudgment? {
    guard tested.isEmpty, !verified.isEmpty else { return nil }
    let test =
      testedAt == nil
      ? "no restore test has passed yet"
      : "no restore test of \(verified.count == 1 ? "it" : "them") has passed"
    return attention("\(covered(by: verified, "verified copies on another device")), but \(test).")
  }

  var behind: ProtectionJudgment? {
    guard !tested.isEmpty, !tested.contains(where: { $0.photosAdded == 0 }) else { return nil }
    guard let best = tested.min(by: { added($0) < added($1) }), let added = best.photosAdded else {
      return attention("It is unknown whether the newest copy, from \(made(tested)), has all photos.")
    }
    let isNewest = best.copy.place >= useful.map(\.copy.place).max() ?? 0
    return attention(
      "\(number(photos - added)) of \(number(photos)) photos are safe in the newest "
        + "\(isNewest ? "copy" : "tested copy on another device"), from \(days.ago(best.copy.madeAt)); "
        + "\(number(added)) \(added == 1 ? "was" : "were") added since.")
  }

  /// The sentence of a library to which no other fact applies.
  var safe: ProtectionJudgment {
    let current = complete.filter { $0.photosAdded == 0 }
    let last = tested.filter { $0.photosAdded == 0 }.compactMap(\.testedAt).max()
    return ProtectionJudgment(
      level: .safe,
      sentence: "\(all) safe: \(count(current, "copies")), the newest from \(made(current))"
        + (last.map { ", restore tested \(days.ago($0))." } ?? "."))
  }

  // MARK: Text

  private func danger(_ sentence: String) -> ProtectionJudgment {
    ProtectionJudgment(level: .danger, sentence: sentence)
  }

  private func attention(_ sentence: String) -> ProtectionJudgment {
    ProtectionJudgment(level: .attention, sentence: sentence)
  }

  /// Returns how many photos copies have, and how many copies there are: `All 9 photos are in 2 copies, the newest from
  /// today`.
  ///
  /// - Parameter kind: names the copies if there are other complete copies.
  private func covered(by copies: [CountedCopy], _ kind: String) -> String {
    let subject =
      switch copies.compactMap(\.photosAdded).min() {
      case nil: "An unknown number of the \(number(photos)) photos are"
      case 0?: all
      case let added?: "\(number(photos - added)) of \(number(photos)) photos are"
      }
    return "\(subject) in \(count(copies, copies.count < useful.count ? kind : "copies")), the newest from "
      + made(copies)
  }

  private func count(_ copies: [CountedCopy], _ kind: String) -> String {
    "\(number(copies.count)) \(copies.count == 1 ? kind.replacing("copies", with: "copy") : kind)"
  }

  private var all: String { photos == 1 ? "The one photo is" : "All \(number(photos)) photos are" }

  private var allWere: String { photos == 1 ? "The one photo was" : "All \(number(photos)) photos were" }

  private func number(_ value: Int) -> String { ProtectionVerdict.number(value) }

  /// Returns when the newest of the copies was made.
  private func made(_ copies: [CountedCopy]) -> String {
    copies.max { $0.copy.place < $1.copy.place }.map { days.ago($0.copy.madeAt) } ?? ""
  }

  private func added(_ copy: CountedCopy) -> Int { copy.photosAdded ?? .max }
}
