/// The dependencies between the archives of a folder: a pure value, made of descriptors and health.
///
/// Several archives may satisfy a reference to a base: copies of the base, and archives repaired from the base. One
/// rule orders these candidates for every operation, best first:
///
/// 1. archives that are not suspect;
/// 2. archives that were repaired from the base, because a repair reads every byte;
/// 3. archives with the later modification date, because users copy an archive when another copy is damaged; then
///    archives with the later name.
///
/// Imports and searches read partially recovered archives. Exports never use one as a base.
///
/// `archives` are in one total order for every operation; see `ArchiveOrder`.
package struct ArchiveGraph: Sendable {
  /// Every archive, oldest first.
  package let archives: [ArchiveDescriptor]
  /// The health of archives, by path. Other archives are unverified.
  private let health: [String: ArchiveHealth]
  /// The paths of archives that cannot be a base.
  private let excluded: Set<String>
  /// The user IDs of the owners of other users' archives, by path. Another user can make an archive that displaces
  /// those of this user.
  package let otherOwners: [String: UInt32]
  /// For each archive ID, the indices in `archives`.
  private let byID: [String: [Int]]

  /// Makes a graph.
  ///
  /// - Parameters:
  ///   - archives: in any order.
  ///   - health: by path.
  ///   - otherOwners: the user IDs of the owners of other users' archives, by path.
  package init(
    _ archives: some Sequence<ArchiveDescriptor>, health: [String: ArchiveHealth] = [:],
    otherOwners: [String: UInt32] = [:]
  ) {
    self.init(ArchiveOrder.sorted(archives), health, otherOwners, excluding: [])
  }

  private init(
    _ sorted: [ArchiveDescriptor], _ health: [String: ArchiveHealth], _ otherOwners: [String: UInt32],
    excluding excluded: Set<String>
  ) {
    archives = sorted
    (self.health, self.otherOwners, self.excluded) = (health, otherOwners, excluded)
    byID = Dictionary(grouping: sorted.indices.filter { sorted[$0].archiveID != nil }) {
      sorted[$0].archiveID ?? ""
    }
  }

  /// Returns the same graph without the archives that this operation has found corrupt as candidates for a base.
  ///
  /// - Parameter paths: the paths of the corrupt archives.
  package func excluding(_ paths: Set<String>) -> ArchiveGraph {
    paths.isSubset(of: excluded)
      ? self : ArchiveGraph(archives, health, otherOwners, excluding: excluded.union(paths))
  }

  /// Returns true if another user of this machine owns an archive. Such an archive can be restored. Pruning keeps it,
  /// and it is no backup of this user: retention, copies, unchanged libraries and new exports ignore it.
  package func hasOtherOwner(_ archive: ArchiveDescriptor) -> Bool { otherOwners[archive.path] != nil }

  /// Returns false if the owner of `other` could damage the archive of this user by changing `other`.
  private func mayDepend(_ archive: ArchiveDescriptor, on other: ArchiveDescriptor) -> Bool {
    hasOtherOwner(archive) || !hasOtherOwner(other)
  }

  /// Returns the health of an archive.
  package func health(of archive: ArchiveDescriptor) -> ArchiveHealth { health[archive.path] ?? .unverified }
}

// MARK: Bases

extension ArchiveGraph {
  /// Returns every archive that satisfies a reference, best first, including partially recovered archives.
  package func candidates(for base: ArchiveDescriptor.BaseReference) -> [ArchiveDescriptor] {
    let candidates = byID[base.archiveID, default: []].map { archives[$0] }.filter { $0.satisfies(base) }
    return candidates.sorted { one, other in
      if isSecondChoice(one) != isSecondChoice(other) { return isSecondChoice(other) }
      let isOriginal = (one.digest == base.digest, other.digest == base.digest)
      if isOriginal.0 != isOriginal.1 { return isOriginal.1 }
      return (one.modifiedAt, one.path) > (other.modifiedAt, other.path)
    }
  }

  private func isSecondChoice(_ archive: ArchiveDescriptor) -> Bool {
    excluded.contains(archive.path) || health(of: archive).isSuspect
  }

  /// Returns the archives that an archive depends on, nearest first, down to the full archive; empty for a full
  /// archive.
  ///
  /// - Throws: `BrokenChain` if an archive of the chain is missing.
  package func chain(of archive: ArchiveDescriptor) throws(BrokenChain) -> [ArchiveDescriptor] {
    var chain: [ArchiveDescriptor] = []
    var current = archive
    while let base = current.base {
      let candidates = candidates(for: base)
      // the reference leads back to an archive of the chain
      guard let next = candidates.first(where: { !$0.isPartiallyRecovered && mayDepend(archive, on: $0) }),
        next != archive, !chain.contains(next)
      else {
        throw BrokenChain(
          archive: archive.path, base: base.archiveID,
          cause: candidates.first(where: \.isPartiallyRecovered).map { .partiallyRecovered($0.path) }
            ?? candidates.first.map { .otherOwner($0.path) }
            ?? (byID[base.archiveID] == nil ? .missing : .otherArchive))
      }
      chain.append(next)
      current = next
    }
    return chain
  }

  /// Returns every archive that may be in the chain of an archive, also suspect and partially recovered archives.
  /// Pruning keeps all of them.
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

  /// Returns all archives that a restore of one archive requires, that archive first: the other parts of its set, or
  /// its chain.
  ///
  /// - Throws: `IncompleteSet` if a part is missing, or `BrokenChain`.
  package func members(of archive: ArchiveDescriptor) throws -> [ArchiveDescriptor] {
    guard let part = archive.part else { return [archive] + (try chain(of: archive)) }
    // as in a chain: an archive that is not suspect, then a suspect one, then a partial recovery
    func rank(_ part: ArchiveDescriptor) -> Int {
      part.isPartiallyRecovered ? 2 : isSecondChoice(part) ? 1 : 0
    }
    var parts: [Int: ArchiveDescriptor] = [:]
    for other in archives where mayDepend(archive, on: other) {
      guard let candidate = other.part, candidate.setID == part.setID else { continue }
      // the better of two copies, then the later name
      if let known = parts[candidate.number], rank(known) < rank(other) { continue }
      parts[candidate.number] = other
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

extension ArchiveGraph {
  /// Chooses the base of the next export: the newest archive that meets the requirements, with its chain.
  ///
  /// - Returns: the base and its chain, nil if no archive meets the requirements; and the rejected newer archives
  ///   with the reasons, newest first.
  package func base(
    for requirements: BaseRequirements
  ) -> (members: [ArchiveDescriptor]?, rejected: [(archive: ArchiveDescriptor, reason: BaseRejection)]) {
    var rejected: [(archive: ArchiveDescriptor, reason: BaseRejection)] = []
    for archive in archives.reversed() {
      do throws(BaseRejection) {
        return (try members(of: archive, for: requirements), rejected)
      } catch {
        rejected.append((archive, error))
        // with an older archive and its shorter chain, no export would ever be full again
        if case .chainTooDeep = error { break }
      }
    }
    return (nil, rejected)
  }

  private func members(
    of archive: ArchiveDescriptor, for requirements: BaseRequirements
  ) throws(BaseRejection) -> [ArchiveDescriptor] {
    if hasOtherOwner(archive) { throw .otherOwner }
    if archive.isLocked { throw requirements.isEncrypted ? .otherPassword : .otherEncryption }
    guard archive.exportIDs.contains(where: requirements.exportIDs.contains),
      archive.selection == requirements.selection
    else {
      throw .otherContent
    }
    guard archive.part == nil, !archive.isDocument else { throw .notComplete }
    if archive.isPartiallyRecovered { throw .partiallyRecovered }
    // Older versions did not mark an archive as partially recovered. Such an archive without settings has the same
    // selection as an export without settings, but `isPartial` is true.
    guard archive.isPartial == requirements.isPartial else { throw .otherContent }
    if let tag = requirements.tag, !archive.tags.contains(tag) { throw .otherTag }
    guard requirements.isEncrypted ? archive.isFullyEncrypted : !archive.isEncrypted else {
      throw .otherEncryption
    }
    // until that day, every increment would choose this archive
    if archive.isOrderUnknown(at: requirements.date) { throw .datedInFuture }
    let depth = archive.base?.depth ?? 0
    guard depth < requirements.maximumChainDepth else { throw .chainTooDeep(depth) }
    let members: [ArchiveDescriptor]
    do throws(BrokenChain) {
      members = [archive] + (try chain(of: archive))
    } catch {
      throw .brokenChain(error)
    }
    if members.contains(where: \.isLocked) { throw .otherPassword }
    if let corrupt = members.first(where: { excluded.contains($0.path) }) {
      throw .corrupt(path: corrupt.path)
    }
    if let tag = requirements.tag, members.contains(where: { !$0.tags.contains(tag) }) { throw .otherTag }
    return members
  }
}
