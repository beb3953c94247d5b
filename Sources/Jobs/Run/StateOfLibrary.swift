import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// Whether there are archives of the library as it is.
extension JobBackup {
  /// The job's newest archives at each destination where they hold the library as it is now and can be restored.
  mutating func archivesOfThisState() throws -> [Int: [ArchiveDescriptor]] {
    var current: [Int: [ArchiveDescriptor]] = [:]
    try forEachUsable { backup, index in current[index] = try backup.archivesOfThisState(at: index) }
    return current
  }

  mutating func archivesOfThisState(at index: Int) throws -> [ArchiveDescriptor]? {
    let inventory = try inventory(at: index)
    let own = inventory.archives(of: job, in: libraryID)
    let now = context.now()
    if let ahead = own.last, ahead.isDatedAfter(now) {
      warnings.append("\(ahead.path) is dated in the future; is the clock right?")
    }
    guard let newest = own.last(where: { !$0.isDatedAfter(now) }) else { return nil }
    guard let members = try intactMembers(of: newest, inventory), newest.fingerprint == summary.state
    else { return nil }
    // what a base lacked, the increments on it have, or lack themselves
    let current =
      newest.part == nil ? [newest] : members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
    return try libraryHasMissingPhotos(of: current) ? nil : current
  }

  /// Returns what restoring an archive takes if all of it is intact, after verifying what is not known to be. Where one
  /// archive is damaged, another that satisfies the same reference takes its place.
  ///
  /// - Parameter reportsMissing: whether a missing member is reported.
  private mutating func intactMembers(
    of archive: ArchiveDescriptor, _ inventory: ArchiveInventory, reportsMissing: Bool = true
  ) throws -> [ArchiveDescriptor]? {
    var graph = inventory.graph
    while true {
      let members: [ArchiveDescriptor]
      do {
        members = try graph.members(of: archive)
      } catch {
        if reportsMissing { warnings.append("\(error)") }
        return nil
      }
      let damaged = try members.filter { try !verifier.areIntact([$0], counter) }
      if damaged.isEmpty { return members }
      graph = graph.excluding(Set(damaged.map(\.path)))
      guard try !damaged.contains(archive) && graph.members(of: archive) != members else { return nil }
    }
  }

  /// Notes what is wrong with a library of whose state there are archives already.
  mutating func lookAgain(at archives: [ArchiveDescriptor], at index: Int) throws {
    missingPhotos = archives.flatMap(\.missingPhotos)
    // for an increment, nobody has read what its base holds
    guard let newest = archives.first, newest.base != nil,
      let full = try inventory(at: index).members(of: newest).last
    else { return }
    let library = try Library(path: library)
    summary.damaged += try library.damaged(
      in: library.contents(), touchedAfter: full.date, options(), counter)
  }

  /// Verifies the archives that are the copy at a destination, where their health is not known, and reports files that
  /// cannot be read.
  mutating func verifyCopy(at index: Int) throws {
    let inventory = try inventory(at: index)
    noteUnreadable(inventory.unreadable)
    let now = context.now()
    for own in inventory.archives(of: job, in: libraryID).reversed() where !own.isDatedAfter(now) {
      guard let members = try intactMembers(of: own, inventory, reportsMissing: false) else { continue }
      // as `noteCopy` chooses
      if (own.part == nil ? [own] : members).allSatisfy(\.missingPhotos.isEmpty) { return }
    }
  }

  /// Names what may have been a backup, once.
  mutating func noteUnreadable(_ files: [ArchiveInventory.Unreadable]) {
    let known = Set(warnings)
    warnings += files.map { "\($0.path) may be a backup and cannot be read: \($0.reason)" }
      .filter { !known.contains($0) }
  }

  /// Says every night what a drill found wrong in the library, until nothing is: until then all of it is read.
  mutating func lookForKnownDamage() throws {
    guard isLibraryDamaged else { return }
    let library = try Library(path: library)
    let found = try library.damaged(in: library.contents(), touchedAfter: nil, options(), counter)
    let named = Set(summary.damaged.map(\.item))
    summary.damaged += found.filter { !named.contains($0.item) }
    isLibraryIntact = found.isEmpty && summary.missing.isEmpty
  }

  /// Whether the library holds a photo again, as it should be, that archives of its state lack.
  func libraryHasMissingPhotos(of archives: [ArchiveDescriptor]) throws -> Bool {
    let missing = Set(archives.flatMap(\.missingPhotos).map(\.id))
    guard !missing.isEmpty else { return false }
    let library = try Library(path: library)
    return try library.contents().photos.contains { photo in
      try missing.contains(photo.id) && library.holds(photo, whileReading: counter.checkCancellation)
    }
  }
}
