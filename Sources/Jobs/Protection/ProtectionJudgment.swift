import FileSystem
import Operations

/// Whether the photos of a library are safe: a level, a sentence that is true by itself and, unless the photos are
/// safe, what to do first.
///
/// Copies must meet a chain of requirements, and each requirement selects some of the copies that meet the one before.
/// The judgment is about the first requirement that no copy meets. So a fact that gets worse cannot improve the level.
struct ProtectionJudgment {
  let level: ProtectionVerdict.Level
  let sentence: String
  /// What to do about it; nil only if the photos are safe.
  let action: Finding?

  init(of protection: LibraryProtection, _ days: DayCount) {
    let photos = protection.totals.photos
    func finding(_ message: String) -> Finding { Finding(.folder(protection.path.string), message: message) }
    if let problem = protection.libraryProblem {
      self = .danger(
        "The library cannot be opened: \(problem).",
        finding("the library \(protection.path) cannot be opened; restore it or its disk"))
    } else if photos == 0 {
      self = .attention(
        "The library has no photos yet.",
        finding("the library has no photos; add photos or import a backup"))
    } else if let problem = protection.ledgerProblem {
      let name = photos == 1 ? "the one photo" : "\(photos.grouped) photos"
      self = .attention(
        "The copies of \(name) are unknown: \(problem).",
        finding("the ledger of the jobs cannot be read: \(problem)"))
    } else {
      self = Requirements(protection, days).judgment
    }
  }

  private init(_ level: ProtectionVerdict.Level, _ sentence: String, _ action: Finding?) {
    (self.level, self.sentence, self.action) = (level, sentence, action)
  }

  fileprivate static func safe(_ sentence: String) -> Self { Self(.safe, sentence, nil) }

  fileprivate static func attention(_ sentence: String, _ action: Finding) -> Self {
    Self(.attention, sentence, action)
  }

  fileprivate static func danger(_ sentence: String, _ action: Finding) -> Self {
    Self(.danger, sentence, action)
  }
}

/// The copies of a library that has photos, by the requirements that they meet.
private struct Requirements {
  private let protection: LibraryProtection
  private let days: DayCount
  /// The copies that restore the entire library as it was when they were made.
  private let complete: [LibraryCopy]
  /// The complete copies that have a photo of the present library, as far as is known.
  private let useful: [LibraryCopy]
  /// The useful copies that are not lost with the library.
  private let protecting: [LibraryCopy]
  /// The protecting copies whose archives were verified.
  private let verified: [LibraryCopy]
  /// The verified copies at destinations where a restore test passed, and did not fail since.
  private let tested: [LibraryCopy]

  init(_ protection: LibraryProtection, _ days: DayCount) {
    (self.protection, self.days) = (protection, days)
    complete = protection.completeCopies
    useful = complete.filter { $0.photosAdded.map { $0 < protection.totals.photos } ?? true }
    protecting = useful.filter(\.isProtecting)
    verified = protecting.filter { $0.verifiedAt != nil }
    tested = verified.filter { $0.testedAt != nil }
  }

  var judgment: ProtectionJudgment {
    guard let newest = complete.newest else { return incomplete }
    guard !useful.isEmpty else { return outdated(newest, device: "", among: protection.copies) }
    guard !protecting.isEmpty else {
      guard let newest = complete.filter(\.isProtecting).newest else { return unprotected }
      return outdated(
        newest, device: " on another device", among: protection.copies.filter { $0.device == .anotherDevice })
    }
    if verified.isEmpty { return unverified }
    if tested.isEmpty { return untested }
    return tested.contains { $0.photosAdded == 0 } ? safe : behind
  }

  // MARK: Danger

  /// The judgment of a library without a complete copy.
  private var incomplete: ProtectionJudgment {
    let name = photos == 1 ? "the one photo" : "the \(photos.grouped) photos"
    let mayBeComplete = protection.copies.contains { $0.hasAllPhotos && $0.problem != .missing }
    return .danger(
      mayBeComplete
        ? "No complete copy of \(name) is known to be intact and reachable."
        : "No job has a complete copy of \(name).",
      ProtectionActions.completing(protection.copies, of: protection, days)
        ?? ProtectionActions.firstCopy(of: protection))
  }

  /// The judgment of a library whose photos were all added since each of its complete copies.
  private func outdated(_ newest: LibraryCopy, device: String, among copies: [LibraryCopy])
    -> ProtectionJudgment
  {
    let isNewest = copies.newest.map { $0.copy.madeAt <= newest.copy.madeAt } ?? true
    let name =
      "newest complete copy\(device)\(isNewest ? "" : " that has no known problem")"
    return .danger(
      "\(photos == 1 ? "The one photo was" : "All \(photos.grouped) photos were") added since the \(name), "
        + "from \(days.ago(newest.copy.madeAt)).",
      ProtectionActions.backUp(after: newest, of: protection))
  }

  private var unprotected: ProtectionJudgment {
    let best = best(of: useful)
    let devices = Set(best.map(\.device))
    let device =
      devices == [.memory]
      ? "in memory"
      : "on the device of the library" + (devices.contains(.memory) ? " or in memory" : "")
    let elsewhere = protection.copies.filter { $0.device == .anotherDevice }
    let job = best.first?.job ?? ""
    return .danger(
      "\(covered(by: best, "copies")), but \(best.count == 1 ? "it is" : "they are") \(device).",
      ProtectionActions.completing(elsewhere, of: protection, days)
        ?? Finding(
          .job(job), message: "no complete copy is on another disk; add a destination on one to job “\(job)”")
    )
  }

  // MARK: Attention

  private var unverified: ProtectionJudgment {
    let best = best(of: protecting)
    let archive = best.newest?.copy.archive ?? ""
    return .attention(
      "\(covered(by: best, "copies on another device")), but \(best.count == 1 ? "it is" : "they are") not verified.",
      Finding(.file(archive), message: "the copy \(archive) is not verified", remedy: .verifyArchive(archive))
    )
  }

  private var untested: ProtectionJudgment {
    let best = best(of: verified)
    guard let newest = best.newest else { return incomplete }
    let passedAt = best.compactMap { $0.test?.lastPassedAt }.max()
    return .attention(
      "\(covered(by: best, "verified copies on another device")), but no restore test has passed at "
        + "\(best.count == 1 ? "its destination" : "their destinations")"
        + (passedAt.map { " since \(days.day($0))." } ?? "."),
      ProtectionActions.test(newest, of: protection))
  }

  private var behind: ProtectionJudgment {
    guard let best = best(of: tested).newest else { return incomplete }
    let isNewest = protection.copies.allSatisfy { $0.copy.madeAt <= best.copy.madeAt }
    let name = "\(isNewest ? "the newest complete copy" : "a verified copy on another device"), from "
    let action = ProtectionActions.backUp(after: best, of: protection)
    guard let added = best.photosAdded else {
      return .attention("It is unknown whether \(name)\(days.ago(best.copy.madeAt)), has all photos.", action)
    }
    return .attention(
      "\(some(photos - added)) safe in \(name)\(days.ago(best.copy.madeAt)); \(added.grouped) "
        + "\(added == 1 ? "was" : "were") added since.", action)
  }

  // MARK: Safe

  private var safe: ProtectionJudgment {
    let tested = tested.filter { $0.photosAdded == 0 }.compactMap(\.testedAt).max()
    return .safe(
      "\(all) safe: \(count(complete.filter { $0.photosAdded == 0 }, "copies"))"
        + (tested.map { ", restore tested \(days.ago($0))." } ?? "."))
  }

  // MARK: Text

  private var photos: Int { protection.totals.photos }

  /// Returns the copies with the most photos of the library. If the numbers of all are unknown, returns all.
  private func best(of copies: [LibraryCopy]) -> [LibraryCopy] {
    let fewest = copies.compactMap(\.photosAdded).min()
    return copies.filter { $0.photosAdded == fewest }
  }

  /// Returns how many photos are in copies, and how many copies there are: `All 9 photos are in 2 copies, the newest
  /// from today`.
  ///
  /// - Parameters:
  ///   - best: copies with the same number of photos.
  ///   - kind: names the copies if there are other complete copies.
  private func covered(by best: [LibraryCopy], _ kind: String) -> String {
    let subject =
      switch best.first?.photosAdded {
      case nil where photos == 1: "It is unknown whether the one photo is"
      case nil: "An unknown number of the \(photos.grouped) photos is"
      case 0?: all
      case let added?: some(photos - added)
      }
    return "\(subject) in \(count(best, best.count < complete.count ? kind : "copies"))"
  }

  /// Returns the number of copies, and when the newest was made: `2 copies, the newest from today`.
  private func count(_ copies: [LibraryCopy], _ kind: String) -> String {
    let made = copies.newest.map { days.ago($0.copy.madeAt) } ?? ""
    return copies.count == 1
      ? "1 \(kind.replacing("copies", with: "copy")), from \(made)"
      : "\(copies.count.grouped) \(kind), the newest from \(made)"
  }

  private var all: String { photos == 1 ? "The one photo is" : "All \(photos.grouped) photos are" }

  private func some(_ count: Int) -> String {
    "\(count.grouped) of \(photos.grouped) photos \(count == 1 ? "is" : "are")"
  }
}

extension [LibraryCopy] {
  /// The copy that was made last; nil if there is no copy.
  var newest: LibraryCopy? { self.max { $0.copy.madeAt < $1.copy.madeAt } }
}
