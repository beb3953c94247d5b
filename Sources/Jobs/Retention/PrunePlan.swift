import ArchiveCatalog
import Backup
import Foundation
import Operations

/// The archives of a folder that a policy keeps or removes, with reasons. A pure value, so that a dry run
/// prints the plan.
package struct PrunePlan: Sendable {
  /// An archive with its copies in the folder, or the parts of one export. They are kept or removed together.
  package struct Decision: Sendable {
    /// The archives, sorted by part.
    package var archives: [ArchiveDescriptor]
    /// Why the archives are kept; empty if the policy removes them.
    package var reasons: [String]

    /// True if the archives are kept.
    package var isKept: Bool { !reasons.isEmpty }
    /// When the newest of the archives was made.
    package var date: Timestamp { archives.map(\.date).max() ?? 0 }
    /// The index of the newest of the archives in the graph's order.
    fileprivate let order: Int
    /// The IDs of photos that are missing from the archives or damaged in them.
    fileprivate var missingPhotos: Set<Int64> { Set(archives.flatMap { $0.missingPhotos.map(\.id) }) }
    /// The total size of the archives in bytes.
    package var bytes: Int { archives.saturatedSum(\.fileBytes) }
  }

  /// The decisions, newest first.
  package private(set) var decisions: [Decision] = []
  /// Why the plan must not remove anything; empty if it may.
  package private(set) var refusals: [String] = []

  /// The archives to remove. Increments precede their bases, so that an interruption leaves no broken chain.
  package var removals: [ArchiveDescriptor] {
    guard refusals.isEmpty else { return [] }
    let obsolete = decisions.filter { !$0.isKept }.flatMap(\.archives)
    return obsolete.sorted { ($0.base?.depth ?? 0, $0.path) > ($1.base?.depth ?? 0, $1.path) }
  }

  /// Makes the plan. Keeps archives of the phones and of other users, unreadable files, and archives whose place is
  /// unknown, and does not count them. Plans archives of different libraries, branches, selections and tags
  /// separately, and an archive of an unknown library alone. Keeps the bases of each kept archive.
  ///
  /// - Parameters:
  ///   - fresh: the paths of archives that were just written; the plan keeps them.
  ///   - earlierIDs: reads the IDs of the earlier exports from an archive; see `ArchiveBranches`.
  ///   - isIncluded: returns true if the plan includes an archive; all other archives are kept.
  ///   - reasonToKeepAll: returns why nothing may be removed while these are the newest archive of a group and its
  ///     bases; nil if they are intact.
  /// - Throws: the errors of `earlierIDs` and `reasonToKeepAll`.
  package init(
    _ graph: ArchiveGraph, _ policy: RetentionPolicy, calendar: Calendar = .current, now: Date = Date(),
    fresh: Set<String> = [], isIncluded: (ArchiveDescriptor) -> Bool = { _ in true },
    earlierIDs: (ArchiveDescriptor) throws -> [String]?,
    reasonToKeepAll: ([ArchiveDescriptor]) throws -> String?
  ) rethrows {
    let ours = graph.archives.filter {
      $0.isOurs && !$0.isLocked && !graph.hasOtherOwner($0) && isIncluded($0)
    }
    var groups = try Dictionary(grouping: ours, by: Group.init).values.flatMap {
      try ArchiveBranches($0, earlierIDs: earlierIDs).branches
    }.map { GroupPlan($0, graph, policy, calendar, now) }
    for index in groups.indices { groups[index].keep(fresh: fresh) }
    // every archive that stays keeps its bases, also archives outside the plan
    let removed = Set(groups.flatMap(\.removals).map(\.path))
    var needed: [String: String] = [:]
    for archive in graph.archives.reversed() where !removed.contains(archive.path) {
      for base in graph.possibleBases(of: archive) {
        needed[base.path] = needed[base.path] ?? archive.name
      }
    }
    for index in groups.indices {
      groups[index].keep(needed)
      decisions += groups[index].decisions
      guard !groups[index].removals.isEmpty else { continue }
      if let refusal = try groups[index].refusal(reasonToKeepAll), !refusals.contains(refusal) {
        refusals.append(refusal)
      }
    }
    decisions.sort { $0.order > $1.order }
    refusals.sort()
  }

  /// The properties that archives share if a newer one replaces an older one.
  private struct Group: Hashable {
    let source: String?
    let selection: String?
    let isDocument: Bool
    /// A partial recovery does not replace a complete backup. Parts stay with their set.
    let isPartiallyRecovered: Bool
    let tags: [String]

    init(_ archive: ArchiveDescriptor) {
      // a repaired backup of a phone has no library ID and replaces no archive
      source = archive.libraryID ?? archive.part?.setID ?? archive.archiveID
      selection = archive.selection
      isDocument = archive.isDocument
      isPartiallyRecovered = archive.isPartiallyRecovered && archive.part == nil
      tags = archive.tags.sorted()
    }
  }
}

/// The plan for one group of archives.
private struct GroupPlan {
  private(set) var decisions: [PrunePlan.Decision] = []
  /// The newest archive that can be restored, and its bases.
  private var newest: [ArchiveDescriptor] = []
  /// The path of a newer archive that cannot be restored; nil if none exists.
  private var newerIncomplete: String?

  init(
    _ archives: [ArchiveDescriptor], _ graph: ArchiveGraph, _ policy: RetentionPolicy, _ calendar: Calendar,
    _ now: Date
  ) {
    // two paths are one key if they differ only in their normal forms
    let order = Dictionary(
      graph.archives.indices.map { (graph.archives[$0].path, $0) }, uniquingKeysWith: max)
    var restorable: [PrunePlan.Decision] = []
    var incomplete: [PrunePlan.Decision] = []
    // copies of an archive count as one
    let candidates = Dictionary(grouping: archives) { archive in
      archive.part?.setID ?? "\(archive.archiveID ?? archive.path) \(archive.digest ?? "")"
    }
    for parts in candidates.values {
      var decision = PrunePlan.Decision(
        archives: parts.sorted { ($0.part?.number ?? 0, $0.path) < ($1.part?.number ?? 0, $1.path) },
        reasons: [], order: parts.compactMap { order[$0.path] }.max() ?? 0)
      if parts.contains(where: { $0.isOrderUnknown(at: now) }) {
        // the archive would replace those of today
        decision.reasons = ["dated in the future"]
      } else if let fault = Self.fault(of: parts[0], graph) {
        decision.reasons = [fault]
        incomplete.append(decision)
      } else {
        restorable.append(decision)
        continue
      }
      decisions.append(decision)
    }
    restorable.sort { $0.order > $1.order }
    if let first = restorable.first {
      // of several copies the one with the last name, like in `ArchiveGraph`
      newest = first.archives.last.flatMap { try? graph.members(of: $0) } ?? first.archives
      newerIncomplete = incomplete.filter { $0.order > first.order }.map(\.archives[0].path).min()
    }
    let counted = restorable.map { (date: $0.date.date, tags: $0.archives[0].tags) }
    let reasons = policy.reasons(for: counted, calendar: calendar, now: now)
    // a misspelt tag matches no rule and must not remove all archives
    let isEachWithoutRule = reasons.allSatisfy(\.isEmpty)
    for index in restorable.indices {
      restorable[index].reasons =
        isEachWithoutRule
        ? ["no rule keeps an archive of this library, selection and tags"] : reasons[index]
    }
    // keeps an archive that may contain photos that the newest one lacks
    let missing = restorable.first?.missingPhotos ?? []
    for index in restorable.indices
    where !restorable[index].isKept && !missing.isSubset(of: restorable[index].missingPhotos) {
      restorable[index].reasons = ["may contain photos that are missing or damaged in the newest archive"]
    }
    decisions += restorable
  }

  /// Returns why an archive cannot be restored; nil if it can be restored.
  private static func fault(of archive: ArchiveDescriptor, _ graph: ArchiveGraph) -> String? {
    do {
      _ = try graph.members(of: archive)
      return nil
    } catch let error as IncompleteSet {
      let there = error.count - error.missing.count
      return "only \(there) of \(error.count) parts exist"
    } catch {
      return "its base is missing"
    }
  }

  /// The archives to remove if the plan has no refusal.
  var removals: [ArchiveDescriptor] { decisions.filter { !$0.isKept }.flatMap(\.archives) }

  /// Keeps the archives that were just written.
  mutating func keep(fresh: Set<String>) {
    for index in decisions.indices where !decisions[index].isKept {
      if decisions[index].archives.contains(where: { fresh.contains($0.path) }) {
        decisions[index].reasons = ["just written"]
      }
    }
  }

  /// Keeps the bases of kept archives.
  ///
  /// - Parameter needed: the name of a dependent archive for the path of each base.
  mutating func keep(_ needed: [String: String]) {
    for index in decisions.indices where !decisions[index].isKept {
      if let increment = decisions[index].archives.compactMap({ needed[$0.path] }).first {
        decisions[index].reasons = ["\(increment) depends on it"]
      }
    }
  }

  /// Returns why the plan must not remove archives of the group; nil if it may.
  func refusal(_ reasonToKeepAll: ([ArchiveDescriptor]) throws -> String?) rethrows -> String? {
    guard !newest.isEmpty else { return "no archive of this library can be restored; nothing is removed" }
    if let newerIncomplete {
      return
        "\(newerIncomplete) is newer than every archive that can be restored, and cannot be restored itself; nothing is removed"
    }
    return try reasonToKeepAll(newest).map { "\($0); nothing is removed" }
  }
}
