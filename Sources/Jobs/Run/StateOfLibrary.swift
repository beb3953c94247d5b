import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// Whether there are archives of the library as it is.
extension JobBackup {
  /// The job's newest archives at each destination where they hold the library as it is now and can be restored.
  mutating func archivesOfThisState() throws -> [Int: [ArchiveRecord]] {
    var current: [Int: [ArchiveRecord]] = [:]
    try forEachUsable { backup, index in current[index] = try backup.archivesOfThisState(at: index) }
    return current
  }

  mutating func archivesOfThisState(at index: Int) throws -> [ArchiveRecord]? {
    let catalog = try catalog(at: index)
    let own = catalog.archives(of: job, in: libraryID)
    let now = context.now()
    if let ahead = own.last, ahead.isAhead(of: now) {
      warnings.append("\(ahead.path) is dated in the future; is the clock right?")
    }
    guard let newest = own.last(where: { !$0.isAhead(of: now) }) else { return nil }
    guard let members = try wholeMembers(of: newest, catalog), newest.state == summary.state
    else { return nil }
    // what a base lacked, the increments on it have, or lack themselves
    let current =
      newest.part == nil ? [newest] : members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
    return try libraryHasMended(current) ? nil : current
  }

  /// What restoring an archive takes, if all of that is whole: read back where nobody knows. Of several that it can rest
  /// on, the others are tried where one is damaged.
  ///
  /// - Parameter isNewest: whether it is said where some of it is not there.
  private mutating func wholeMembers(
    of archive: ArchiveRecord, _ catalog: Catalog, isNewest: Bool = true
  ) throws -> [ArchiveRecord]? {
    while true {
      let members: [ArchiveRecord]
      let damaged = readBack.damaged
      do {
        members = try catalog.members(of: archive, passingOver: damaged)
      } catch {
        if isNewest { warnings.append("\(error)") }
        return nil
      }
      // there is no other
      if members.contains(where: readBack.isDamaged) { return nil }
      if try readBack.areWhole(members, counter) { return members }
      // it went, or is locked
      if readBack.damaged == damaged { return nil }
    }
  }

  /// Notes what is wrong with a library of whose state there are archives already.
  mutating func lookAgain(at archives: [ArchiveRecord], at index: Int) throws {
    lacking = archives.flatMap(\.lacking)
    // for an increment, nobody has read what its base holds
    guard let newest = archives.first, newest.base != nil,
      let full = try catalog(at: index).members(of: newest).last
    else { return }
    let library = try Library(path: library)
    summary.damaged += try library.damaged(
      in: library.contents(), touchedAfter: full.date, options(), counter)
  }

  /// Reads back what the copy at a destination is to be, where nobody knows whether it is whole as it is now, and names what
  /// cannot be read.
  mutating func readBackCopy(at index: Int) throws {
    let catalog = try catalog(at: index)
    noteUnreadable(catalog.unreadable)
    noteVerified(in: catalog)
    let now = context.now()
    for own in catalog.archives(of: job, in: libraryID).reversed() where !own.isAhead(of: now) {
      guard let members = try wholeMembers(of: own, catalog, isNewest: false) else { continue }
      // as `noteCopy` chooses
      if (own.part == nil ? [own] : members).allSatisfy(\.lacking.isEmpty) { return }
    }
  }

  /// Names what may have been a backup, once.
  mutating func noteUnreadable(_ files: [Catalog.Unreadable]) {
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
    isLibraryMended = found.isEmpty && summary.missing.isEmpty
  }

  /// Whether the library holds a photo again, as it should be, that archives of its state lack.
  func libraryHasMended(_ archives: [ArchiveRecord]) throws -> Bool {
    let lacking = Set(archives.flatMap(\.lacking).map(\.id))
    guard !lacking.isEmpty else { return false }
    let library = try Library(path: library)
    return try library.contents().photos.contains { photo in
      try lacking.contains(photo.id) && library.holds(photo, whileReading: counter.checkCancellation)
    }
  }
}
