import FileSystem
import Foundation

/// Which archives of a folder depend on which: a pure value, made of their descriptors and their health.
///
/// Several archives may satisfy one reference to a base: copies of it, and what was repaired from it. One rule orders
/// them for every operation, best first:
///
/// 1. archives that no observation makes suspect,
/// 2. archives that were repaired from the base: a repair reads every byte, and was needed,
/// 3. archives written later, since a copy is made when another is damaged, then those with the later name.
///
/// An archive that a repair could recover in part is read by imports and searches, and is never a base.
package struct ArchiveGraph: Sendable {
  /// Every archive, oldest first.
  package let archives: [ArchiveDescriptor]
  /// The health of archives, by path; that of others is unverified.
  private let health: [String: ArchiveHealth]
  /// Archives that cannot be chosen, by path.
  private let excluded: Set<String>
  /// The places in `archives` of those with an ID.
  private let byID: [String: [Int]]

  /// Makes a graph.
  ///
  /// - Parameters:
  ///   - archives: in any order.
  ///   - health: by path.
  package init(_ archives: some Sequence<ArchiveDescriptor>, health: [String: ArchiveHealth] = [:]) {
    self.init(archives.sorted { ($0.date, $0.path) < ($1.date, $1.path) }, health, excluding: [])
  }

  private init(
    _ sorted: [ArchiveDescriptor], _ health: [String: ArchiveHealth], excluding excluded: Set<String>
  ) {
    archives = sorted
    (self.health, self.excluded) = (health, excluded)
    byID = Dictionary(grouping: sorted.indices.filter { sorted[$0].archiveID != nil }) {
      sorted[$0].archiveID ?? ""
    }
  }

  /// Returns the same graph in which archives cannot be chosen, since this operation has found them corrupt.
  ///
  /// - Parameter paths: of archives.
  package func excluding(_ paths: Set<String>) -> ArchiveGraph {
    paths.isSubset(of: excluded) ? self : ArchiveGraph(archives, health, excluding: excluded.union(paths))
  }

  /// Returns the health of an archive.
  package func health(of archive: ArchiveDescriptor) -> ArchiveHealth { health[archive.path] ?? .unverified }
}

// MARK: Bases

extension ArchiveGraph {
  /// Returns every archive that satisfies a reference, best first, partially recovered ones among them.
  package func candidates(for base: ArchiveDescriptor.BaseReference) -> [ArchiveDescriptor] {
    let able = byID[base.archiveID, default: []].map { archives[$0] }.filter { $0.satisfies(base) }
    return able.sorted { one, other in
      if isPoor(one) != isPoor(other) { return isPoor(other) }
      let isOriginal = (one.digest == base.digest, other.digest == base.digest)
      if isOriginal.0 != isOriginal.1 { return isOriginal.1 }
      return (one.modifiedAt, one.path) > (other.modifiedAt, other.path)
    }
  }

  private func isPoor(_ archive: ArchiveDescriptor) -> Bool {
    excluded.contains(archive.path) || health(of: archive).isSuspect
  }

  /// Returns the archives that an archive depends on, the nearest first, down to the full one; none for a full one.
  ///
  /// - Throws: `BrokenChain` if one is missing.
  package func chain(of archive: ArchiveDescriptor) throws(BrokenChain) -> [ArchiveDescriptor] {
    var chain: [ArchiveDescriptor] = []
    var current = archive
    while let base = current.base {
      let able = candidates(for: base)
      // a chain that leads to itself was made by hand
      guard let next = able.first(where: { !$0.isPartialRecovery }), next != archive, !chain.contains(next)
      else {
        throw BrokenChain(
          archive: archive.path, base: base.archiveID,
          cause: able.first(where: \.isPartialRecovery).map { .partiallyRecovered($0.path) }
            ?? (byID[base.archiveID] == nil ? .missing : .otherArchive))
      }
      chain.append(next)
      current = next
    }
    return chain
  }

  /// Returns every archive that could be one of those that an archive depends on, whatever is known about them. Pruning
  /// keeps all of them.
  package func possibleBases(of archive: ArchiveDescriptor) -> [ArchiveDescriptor] {
    var bases: [ArchiveDescriptor] = []
    var reference = archive.base
    while let wanted = reference {
      let found = candidates(for: wanted).filter { $0 != archive && !bases.contains($0) }
      bases += found
      reference = found.first?.base
    }
    return bases
  }

  /// Returns all archives that restoring one takes, that one first: the other parts of its set, or its chain.
  ///
  /// - Throws: `IncompleteSet` if a part is missing, or `BrokenChain`.
  package func members(of archive: ArchiveDescriptor) throws -> [ArchiveDescriptor] {
    guard let part = archive.part else { return [archive] + (try chain(of: archive)) }
    var parts: [Int: ArchiveDescriptor] = [:]
    for other in archives {
      guard let place = other.part, place.setID == part.setID else { continue }
      // of copies the better one, then the one with the later name
      if let known = parts[place.number], isPoor(other), !isPoor(known) { continue }
      parts[place.number] = other
    }
    parts[part.number] = archive
    let missing = (1...part.count).filter { parts[$0] == nil }
    guard missing.isEmpty else {
      throw IncompleteSet(archive: archive.path, missing: missing, count: part.count)
    }
    return [archive]
      + parts.values.filter { $0.part?.number != part.number }
      .sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
  }
}

// MARK: The base of the next export

/// What the next incremental export needs of the archive that it depends on.
package struct BaseRequirements: Sendable {
  /// The IDs of the library's exports, so that two libraries that share a folder never use each other's archives.
  package var exportIDs: Set<String>
  /// The digest of what is selected; nil for everything.
  package var selection: String?
  /// True if the export holds a selection.
  package var isPartial = false
  /// True if the export is encrypted.
  package var isEncrypted = false
  /// A tag that the base must have; nil for none.
  package var tag: String?
  /// The greatest chain depth.
  package var maximumDepth: Int
  /// The date of the export.
  package var date: Date

  /// Makes requirements of an export of everything, without encryption.
  package init(exportIDs: Set<String>, maximumDepth: Int, date: Date) {
    (self.exportIDs, self.maximumDepth, self.date) = (exportIDs, maximumDepth, date)
  }
}

/// Why an archive cannot be the base of the next export.
package enum BaseRejection: Error, Sendable, Equatable {
  /// Its content is one of another library, of phones, or of another selection.
  case otherContent
  /// It is one part of a set, or a document.
  case notComplete
  /// It has not the tag of the job.
  case otherTag
  /// A repair could not recover every photo.
  case partiallyRecovered
  /// It is encrypted and the export is not, or the other way round.
  case otherEncryption
  /// The password does not open it.
  case locked
  /// It is dated in the future.
  case datedInFuture
  /// Its chain has the greatest depth.
  case chainTooDeep(Int)
  /// An archive that it depends on is missing.
  case brokenChain(BrokenChain)
  /// It, or an archive that it depends on, is corrupt.
  case corrupt(path: String)
}

extension ArchiveGraph {
  /// Chooses the base of the next export: the newest archive that meets the requirements, with its chain.
  ///
  /// - Returns: that archive and its chain, nil if none will do; and why each newer archive will not do, newest first.
  package func base(
    for requirements: BaseRequirements
  ) -> (members: [ArchiveDescriptor]?, rejected: [(archive: ArchiveDescriptor, reason: BaseRejection)]) {
    var rejected: [(archive: ArchiveDescriptor, reason: BaseRejection)] = []
    for archive in archives.reversed() {
      do throws(BaseRejection) {
        return (try members(of: archive, for: requirements), rejected)
      } catch {
        rejected.append((archive, error))
        // an older archive with a shorter chain would put off the full one for ever
        if case .chainTooDeep = error { break }
      }
    }
    return (nil, rejected)
  }

  private func members(
    of archive: ArchiveDescriptor, for requirements: BaseRequirements
  ) throws(BaseRejection) -> [ArchiveDescriptor] {
    if archive.isLocked { throw requirements.isEncrypted ? .locked : .otherEncryption }
    let ids = [archive.archiveID, archive.flattenedFrom].compactMap { $0 }
    guard ids.contains(where: requirements.exportIDs.contains), archive.selection == requirements.selection
    else {
      throw .otherContent
    }
    guard archive.part == nil, !archive.isDocument else { throw .notComplete }
    if archive.isPartialRecovery { throw .partiallyRecovered }
    guard archive.isPartial == requirements.isPartial else { throw .otherContent }
    if let tag = requirements.tag, !archive.tags.contains(tag) { throw .otherTag }
    guard requirements.isEncrypted ? archive.isFullyEncrypted : !archive.isEncrypted else {
      throw .otherEncryption
    }
    // every increment would depend on it until that day, and none on the archive before it
    if archive.isDatedAfter(requirements.date) { throw .datedInFuture }
    let depth = archive.base?.depth ?? 0
    guard depth < requirements.maximumDepth else { throw .chainTooDeep(depth) }
    let members: [ArchiveDescriptor]
    do throws(BrokenChain) {
      members = [archive] + (try chain(of: archive))
    } catch {
      throw .brokenChain(error)
    }
    if let corrupt = members.first(where: { excluded.contains($0.path) }) {
      throw .corrupt(path: corrupt.path)
    }
    if let tag = requirements.tag, members.contains(where: { !$0.tags.contains(tag) }) { throw .otherTag }
    return members
  }
}

// MARK: Errors

/// An incremental backup whose base is missing.
package struct BrokenChain: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why there is no base.
  package enum Cause: Sendable, Equatable {
    /// No archive has its ID.
    case missing
    /// An archive with its ID has other content.
    case otherArchive
    /// This archive is what a repair could recover of it.
    case partiallyRecovered(String)
  }

  /// The path of the incremental backup.
  package var archive: String
  /// The ID of the base.
  package var base: String
  /// Why there is no base.
  package var cause: Cause
  /// A file of the folder that cannot be read, and may be the base.
  package var unreadable: String?

  /// Makes an error of these parts.
  package init(archive: String, base: String, cause: Cause, unreadable: String? = nil) {
    (self.archive, self.base, self.cause, self.unreadable) = (archive, base, cause, unreadable)
  }

  /// One line, with the remedy.
  package var description: String {
    let text =
      switch cause {
      case .missing:
        "\(archive) depends on archive \(base), which is missing from its folder"
          + (unreadable.map { ", if it is not \($0), which cannot be read" } ?? "") + "; put it back"
      case .otherArchive:
        "\(archive) depends on archive \(base), and the archive with that ID has other content; put the right one back"
      case .partiallyRecovered(let path):
        "\(archive) depends on archive \(base), of which \(path) is a partial recovery; put the complete one back, "
          + "or import what there is"
      }
    return text.escaped
  }
}

/// A set of split archives of which parts are missing.
package struct IncompleteSet: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of a part that is there.
  package var archive: String
  /// The numbers of the missing parts, from 1.
  package var missing: [Int]
  /// How many parts there should be.
  package var count: Int

  /// Makes an error of these parts.
  package init(archive: String, missing: [Int], count: Int) {
    (self.archive, self.missing, self.count) = (archive, missing, count)
  }

  /// One line, with the remedy.
  package var description: String {
    let numbers = missing.map(String.init).joined(separator: ", ")
    let (parts, them) = missing.count == 1 ? ("part \(numbers) is", "it") : ("parts \(numbers) are", "them")
    return "\(archive) is one of \(count) parts, and \(parts) missing from its folder; put \(them) back"
      .escaped
  }
}
