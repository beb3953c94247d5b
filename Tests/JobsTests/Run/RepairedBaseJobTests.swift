import Backup
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Backups of an incremental job whose base was corrupt and has been repaired.
struct RepairedBaseJobTests {
  /// Makes a full and an incremental backup, and corrupts a photo in the full one.
  ///
  /// - Parameter isRestoreTested: runs a restore test, which finds the corruption.
  private func night(isRestoreTested: Bool = true) async throws -> (Night, base: FilePath) {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    let base = try night.archives("one")[0].path
    try night.damage(base, keepsDate: true)
    if isRestoreTested { _ = try await night.drill() }
    night.on(day: 3)
    return (night, FilePath(base))
  }

  private func repair(_ base: FilePath, _ night: Night, withLibrary: Bool) async throws -> FilePath {
    var options = RewriteOptions()
    if withLibrary { options.library = night.library.path }
    return try #require(try await Work.repair(base, options: options).summary.archive)
  }

  @Test(
    "Backup: a completely repaired base is used, beside the corrupt one or alone", arguments: [true, false])
  func repairedBase(keepsOld: Bool) async throws {
    var (night, base) = try await night()
    _ = try await repair(base, night, withLibrary: true)
    if !keepsOld { try night.remove(base.string) }
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try await night.drill().hasPassed)
    #expect(try await night.backup(day: 4).outcome == .unchanged)
    #expect(
      night.context.state.status(of: "family").copies[0].archive == (try night.archives("one").last?.path))
  }

  /// No restore test has run before, so that copying is the first to find the corrupt base.
  @Test("Backup: a repaired base is copied to a new destination the same night")
  func newDestination() async throws {
    var (night, base) = try await night(isRestoreTested: false)
    _ = try await repair(base, night, withLibrary: true)
    var two = night.job.destinations[0]
    two.path = night.folder("two")
    night.job.destinations.append(two)
    let run = try await night.backup()
    #expect(run.outcome == .done, "\(run.message ?? "")")
    #expect(run.destinations[1].failure == nil, "\(run.message ?? "")")
    #expect(try await night.drill().hasPassed)
  }

  /// One photo is in no archive, but in the library.
  @Test("Backup: a partially recovered base is replaced by a full backup", arguments: [true, false])
  func partiallyRecoveredBase(keepsOld: Bool) async throws {
    var (night, base) = try await night()
    let repaired = try await repair(base, night, withLibrary: false)
    if !keepsOld {
      try night.remove(base.string)
      try FileManager.default.moveItem(atPath: repaired.string, toPath: base.string)
    }
    let run = try await night.backup()
    #expect(run.outcome == .done)
    let newest = try #require(night.archives("one").last)
    #expect(newest.base == nil)
    #expect(newest.photoFiles == 7)
    #expect(try await night.drill().hasPassed)
    #expect(try await night.backup(day: 4).outcome == .unchanged)
  }

  /// A repair with photos of the library changes `metadata.json`. The next incremental backup depends on the changed
  /// archive.
  @Test("Backup: both destinations have the complete chain after a base was repaired")
  func completeChains() async throws {
    var night = try Night("incremental: true")
    let file = night.library.path.appending(try #require(night.library.contents.photos.first).path)
    let intact = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try Data(repeating: 99, count: intact.count).write(to: URL(fileURLWithPath: file.string))
    _ = try await night.backup()
    try intact.write(to: URL(fileURLWithPath: file.string))
    let base = try #require(night.archives("one").first).path
    try night.damage(base, at: 12_000, keepsDate: true)
    let repaired = try await repair(FilePath(base), night, withLibrary: true)
    try #require(try OpenedBackup(path: repaired).metadata.smilepile?.repairedFrom.count == 1)
    try night.remove(base)
    for day in 2...3 {
      try night.changeLibrary(id: Int64(5 + day))
      #expect(try await night.backup(day: day).outcome == .done)
      for name in ["one", "two"] {
        let inventory = try ArchiveInventory(folder: night.folder(name))
        #expect(try inventory.members(of: #require(inventory.archives.last)).isEmpty == false)
      }
      #expect(try await night.drill().hasPassed)
    }
  }

  @Test("Prune: a partially recovered base is kept while an incremental backup depends on it")
  func requiredBase() async throws {
    var (night, base) = try await night()
    let repaired = try await repair(base, night, withLibrary: false)
    let inventory = try ArchiveInventory(folder: night.folder("one"))
    let increment = try #require(inventory.archives.last { $0.base != nil })
    #expect(Set(inventory.graph.possibleBases(of: increment).map(\.path)) == [base.string, repaired.string])
    try night.remove(base.string)
    night.job.retention = RetentionPolicy(last: 1)
    _ = try await night.backup()
    let kept = try night.archives("one").map(\.path)
    #expect(kept.contains(repaired.string))
    #expect(kept.contains(increment.path))
  }

  /// The flattened archive has the content of the chain under another name.
  @Test("Restore test: a flattened archive replaces the chain of the last backup")
  func flattenedChain() async throws {
    var (night, base) = try await night()
    _ = try await repair(base, night, withLibrary: true)
    try night.remove(base.string)
    let newest = try #require(night.archives("one").last).path
    _ = try await Work.flatten(FilePath(newest)).summary
    try night.remove(newest)
    let report = try await night.drill()
    #expect(report.hasPassed)
    #expect(report.results[0].restore?.archive.hasSuffix(".full.zip") == true)
    #expect(try await night.backup(day: 4).outcome == .unchanged)
  }
}
