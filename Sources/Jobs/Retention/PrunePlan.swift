import ArchiveCatalog
import Backup
import Foundation

/// Which archives of a folder a policy keeps and which go, and why: a pure value, so that a dry run is the plan.
package struct PrunePlan: Sendable {
  /// An archive with its copies in the folder, or the parts of one export, which stay and go together.
  package struct Decision: Sendable {
    /// The archives, by part.
    package var archives: [ArchiveDescriptor]
    /// Why they stay; empty if they go.
    package var reasons: [String]

    /// Whether they stay.
    package var isKept: Bool { !reasons.isEmpty }
    /// When they were made, in milliseconds since 1970.
    package var date: Int64 { archives.map(\.date).max() ?? 0 }
    /// The newest last; of two of one moment, the one that rests on the other's chain first.
    fileprivate var order: (Int64, Int, String) {
      (date, -(archives[0].base?.depth ?? 0), archives[0].path)
    }
    /// The numbers of photos that are not in it, or not as they should be.
    fileprivate var missingPhotos: Set<Int64> { Set(archives.flatMap { $0.missingPhotos.map(\.id) }) }
    /// Bytes of the archives.
    package var bytes: Int { archives.reduce(0) { $0 + $1.fileBytes } }
  }

  /// What is decided of each, newest first.
  package private(set) var decisions: [Decision] = []
  /// What makes removing unsafe: nothing is removed then.
  package private(set) var refusals: [String] = []

  /// What goes: increments before what they rest on, so that whatever stops the removing leaves whole chains.
  package var removals: [ArchiveDescriptor] {
    guard refusals.isEmpty else { return [] }
    let gone = decisions.filter { !$0.isKept }.flatMap(\.archives)
    return gone.sorted { ($0.base?.depth ?? 0, $0.date) > ($1.base?.depth ?? 0, $1.date) }
  }

  /// Makes the plan. Only archives of this project's are touched: those of the phones, those that cannot be read, and
  /// those dated in the future stay and count for nothing. Archives of different libraries, selections and tags are
  /// looked at apart, and one whose library is not known is looked at alone, but for what they rest on: any archive that
  /// stays keeps that.
  ///
  /// - Parameters:
  ///   - fresh: archives that have just been made, by path; they stay.
  ///   - isMeant: which archives it is about; the others stay, and are not in the plan.
  ///   - obstacle: why nothing may go while the newest archive of a group and what it rests on are as they are; nil if
  ///     they read back whole.
  /// - Throws: what `obstacle` throws.
  package init(
    _ graph: ArchiveGraph, _ policy: RetentionPolicy, calendar: Calendar = .current, now: Date = Date(),
    fresh: Set<String> = [], isMeant: (ArchiveDescriptor) -> Bool = { _ in true },
    obstacle: ([ArchiveDescriptor]) throws -> String?
  ) rethrows {
    let ours = graph.archives.filter { $0.isOurs && !$0.isLocked && isMeant($0) }
    var groups = Dictionary(grouping: ours, by: Group.init).values.map {
      GroupPlan($0, graph, policy, calendar, now)
    }
    for index in groups.indices { groups[index].keep(fresh: fresh) }
    // whatever stays, in this group, in another, or in none, keeps what it rests on
    let gone = Set(groups.flatMap(\.removals).map(\.path))
    var needed: [String: String] = [:]
    for archive in graph.archives.reversed() where !gone.contains(archive.path) {
      for base in graph.possibleBases(of: archive) {
        needed[base.path] = needed[base.path] ?? archive.name
      }
    }
    for index in groups.indices {
      groups[index].keep(needed)
      decisions += groups[index].decisions
      guard !groups[index].removals.isEmpty else { continue }
      if let refusal = try groups[index].refusal(obstacle), !refusals.contains(refusal) {
        refusals.append(refusal)
      }
    }
    decisions.sort { ($0.date, $0.archives.first?.path ?? "") > ($1.date, $1.archives.first?.path ?? "") }
    refusals.sort()
  }

  /// What archives have in common that stand for one another.
  private struct Group: Hashable {
    let source: String?
    let selection: String?
    let isDocument: Bool
    /// What could be rescued does not stand for a whole backup. Parts stay with their set, whatever they lack.
    let isPartialRecovery: Bool
    let tags: [String]

    init(_ archive: ArchiveDescriptor) {
      // a repaired backup of a phone's names no library, and may be anybody's: it stands for nothing but itself
      source = archive.libraryID ?? archive.part?.setID ?? archive.archiveID
      selection = archive.selection
      isDocument = archive.isDocument
      isPartialRecovery = archive.isPartialRecovery && archive.part == nil
      tags = archive.tags.sorted()
    }
  }
}

/// The plan for archives that stand for one another.
private struct GroupPlan {
  private(set) var decisions: [PrunePlan.Decision] = []
  /// The newest that is whole, and what it rests on.
  private var newest: [ArchiveDescriptor] = []
  /// Something newer than that is not whole.
  private var newerFragment: String?

  init(
    _ archives: [ArchiveDescriptor], _ graph: ArchiveGraph, _ policy: RetentionPolicy, _ calendar: Calendar,
    _ now: Date
  ) {
    var whole: [PrunePlan.Decision] = []
    var fragments: [PrunePlan.Decision] = []
    // copies of an archive count as the one that they are
    let snapshots = Dictionary(grouping: archives) { archive in
      archive.part?.setID ?? "\(archive.archiveID ?? archive.path) \(archive.digest ?? "")"
    }
    for parts in snapshots.values {
      var decision = PrunePlan.Decision(
        archives: parts.sorted { ($0.part?.number ?? 0, $0.path) < ($1.part?.number ?? 0, $1.path) },
        reasons: [])
      if parts.contains(where: { $0.isDatedAfter(now) }) {
        // it would stand for today's, and those of today would go
        decision.reasons = ["dated in the future"]
      } else if let fault = Self.fault(of: parts[0], graph) {
        decision.reasons = [fault]
        fragments.append(decision)
      } else {
        whole.append(decision)
        continue
      }
      decisions.append(decision)
    }
    // one that was flattened has the date of the increment that it stands for, and comes before it
    whole.sort { $0.order > $1.order }
    if let first = whole.first {
      // of copies the one with the last name, as for whatever rests on it
      newest = first.archives.last.flatMap { try? graph.members(of: $0) } ?? first.archives
      newerFragment = fragments.filter { $0.date > first.date }.map(\.archives[0].path).min()
    }
    let counted = whole.map { decision in
      Snapshot(
        id: decision.archives[0].path, date: Date(timeIntervalSince1970: Double(decision.date) / 1000),
        tags: decision.archives[0].tags)
    }
    let reasons = policy.reasons(for: counted, calendar: calendar, now: now)
    for index in whole.indices {
      // where a tag is misspelt, no rule keeps anything: nobody can have meant that all of them go
      whole[index].reasons =
        reasons.isEmpty ? ["no rule keeps any of its kind"] : reasons[whole[index].archives[0].path] ?? []
    }
    // whatever a policy says, what may hold a photo stays that the newest lacks
    let lost = whole.first?.missingPhotos ?? []
    for index in whole.indices where !whole[index].isKept && !lost.isSubset(of: whole[index].missingPhotos) {
      whole[index].reasons = ["may hold photos that the newest has not as they should be"]
    }
    decisions += whole
  }

  /// Why an archive cannot be restored from, nil if it can.
  private static func fault(of archive: ArchiveDescriptor, _ graph: ArchiveGraph) -> String? {
    do {
      _ = try graph.members(of: archive)
      return nil
    } catch let error as IncompleteSet {
      let there = error.count - error.missing.count
      return "a set that is not whole: \(there) of \(error.count) parts"
    } catch {
      return "its base is gone"
    }
  }

  /// What goes, if nothing speaks against it.
  var removals: [ArchiveDescriptor] { decisions.filter { !$0.isKept }.flatMap(\.archives) }

  /// Keeps what has just been made.
  mutating func keep(fresh: Set<String>) {
    for index in decisions.indices where !decisions[index].isKept {
      if decisions[index].archives.contains(where: { fresh.contains($0.path) }) {
        decisions[index].reasons = ["just made"]
      }
    }
  }

  /// Keeps what others rest on.
  ///
  /// - Parameter needed: those, by path, each with the name of one that rests on it.
  mutating func keep(_ needed: [String: String]) {
    for index in decisions.indices where !decisions[index].isKept {
      if let increment = decisions[index].archives.compactMap({ needed[$0.path] }).first {
        decisions[index].reasons = ["\(increment) rests on it"]
      }
    }
  }

  /// Why nothing of the group may go.
  func refusal(_ obstacle: ([ArchiveDescriptor]) throws -> String?) rethrows -> String? {
    guard !newest.isEmpty else { return "there is no whole archive among them" }
    if let newerFragment {
      return "\(newerFragment) is newer than every whole archive, and is not whole itself; nothing is removed"
    }
    return try obstacle(newest).map { "\($0); nothing is removed" }
  }
}
