import Backup
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Nights of an incremental job whose base has rotten, and was repaired.
struct RepairedBaseJobTests {
  /// A full archive and an increment on it, of which a byte of a photo in the full one is flipped.
  ///
  /// - Parameter isRestoreTested: a drill has found that.
  private func night(isRestoreTested: Bool = true) async throws -> (Night, base: FilePath) {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    _ = try await night.backup()
    let base = try night.archives("one")[0].path
    try night.damage(base, keepsDate: true)
    if isRestoreTested { _ = try await night.drill() }
    night.on(day: 3)
    return (night, FilePath(base))
  }

  private func repair(_ base: FilePath, _ night: Night, withLibrary: Bool) async throws -> FilePath {
    var options = RepairOptions()
    if withLibrary { options.library = night.library.path }
    return try #require(try await Work.repair(base, options: options).summary.archive)
  }

  /// The damaged one may stay beside it.
  @Test(arguments: [true, false]) func whatWasRepairedWithoutALossServes(isOldThere: Bool) async throws {
    var (night, base) = try await night()
    _ = try await repair(base, night, withLibrary: true)
    if !isOldThere { try night.remove(base.string) }
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try await night.drill().isProven)
    night.on(day: 4)
    #expect(try await night.backup().outcome == .unchanged)
    #expect(
      night.context.state.status(of: "family").copies[0].archive == (try night.archives("one").last?.path))
  }

  /// Another destination gets its copy the same night, though copying is the first to find what is rotten.
  @Test func aCopyIsMadeOfWhatWasRepaired() async throws {
    var (night, base) = try await night(isRestoreTested: false)
    _ = try await repair(base, night, withLibrary: true)
    var two = night.job.destinations[0]
    two.path = night.folder("two")
    night.job.destinations.append(two)
    let run = try await night.backup()
    #expect(run.outcome == .done && run.destinations[1].failure == nil, "\(run.message ?? "")")
    #expect(try await night.drill().isProven)
  }

  /// A photo is in none of them, and the library has it.
  @Test(arguments: [true, false]) func whatLacksAPhotoDoesNot(isOldThere: Bool) async throws {
    var (night, base) = try await night()
    let repaired = try await repair(base, night, withLibrary: false)
    if !isOldThere {
      try night.remove(base.string)
      try FileManager.default.moveItem(atPath: repaired.string, toPath: base.string)
    }
    let run = try await night.backup()
    #expect(run.outcome == .done)
    let newest = try #require(night.archives("one").last)
    #expect(newest.base == nil && newest.photoFiles == 7)
    #expect(try await night.drill().isProven)
    night.on(day: 4)
    #expect(try await night.backup().outcome == .unchanged)
  }

  /// What was repaired has another `metadata.json` where a photo was made whole with it, and the next increment names that.
  @Test func anotherDestinationGetsWhatTheNextIncrementNames() async throws {
    var night = try Night("incremental: true")
    let file = night.library.path.appending(try #require(night.library.contents.photos.first).path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try Data(repeating: 99, count: whole.count).write(to: URL(fileURLWithPath: file.string))
    _ = try await night.backup()
    try whole.write(to: URL(fileURLWithPath: file.string))
    let base = try #require(night.archives("one").first).path
    try night.damage(base, at: 12_000, keepsDate: true)
    let repaired = try await repair(FilePath(base), night, withLibrary: true)
    try #require(try OpenedBackup(path: repaired).metadata.smilepile?.repairedFrom.count == 1)
    try night.remove(base)
    for day in 2...3 {
      try night.changeLibrary(id: Int64(5 + day))
      night.on(day: day)
      #expect(try await night.backup().outcome == .done)
      for name in ["one", "two"] {
        let inventory = try ArchiveInventory(folder: night.folder(name))
        #expect(try inventory.members(of: #require(inventory.archives.last)).isEmpty == false)
      }
      #expect(try await night.drill().isProven)
    }
  }

  /// While an increment rests on what is left of its base, that stays, though nothing is decided by it.
  @Test func whatIsLeftOfABaseIsNotPruned() async throws {
    var (night, base) = try await night()
    let repaired = try await repair(base, night, withLibrary: false)
    let inventory = try ArchiveInventory(folder: night.folder("one"))
    let increment = try #require(inventory.archives.last { $0.base != nil })
    #expect(Set(inventory.graph.possibleBases(of: increment).map(\.path)) == [base.string, repaired.string])
    try night.remove(base.string)
    var policy = RetentionPolicy()
    policy.last = 1
    night.job.retention = policy
    _ = try await night.backup()
    let kept = try night.archives("one").map(\.path)
    #expect(kept.contains(repaired.string) && kept.contains(increment.path))
  }

  /// It holds what the chain held, under another name.
  @Test func whatIsAsNewAsTheLastIsNoLoss() async throws {
    var (night, base) = try await night()
    _ = try await repair(base, night, withLibrary: true)
    try night.remove(base.string)
    let newest = try #require(night.archives("one").last).path
    _ = try await Work.flatten(FilePath(newest)).summary
    try night.remove(newest)
    let report = try await night.drill()
    #expect(report.isProven && report.results[0].trial?.archive.hasSuffix(".full.zip") == true)
    night.on(day: 4)
    #expect(try await night.backup().outcome == .unchanged)
  }
}
