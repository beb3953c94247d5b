import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// What a restore test records of the copies.
@Suite struct RestoreTestCopyTests {
  /// The user has copied the older archive, or an archive of another job, over the newer one.
  @Test(
    "Restore test: another archive under the name of the last backup is refused", arguments: [true, false])
  func replacedArchive(isOfTheJob: Bool) async throws {
    var night = try await Night.afterBackup()
    let older = try #require(night.archives("two").first).path
    try night.changeLibrary(id: 7)
    let newer = try #require(try await night.backup(day: 2).archives.first)
    let before = try night.statusFile()
    try night.remove(newer)
    if isOfTheJob {
      try FileManager.default.copyItem(atPath: older, toPath: newer)
    } else {
      var options = night.job.exportOptions
      (options.tags, options.date) = (["other"], night.context.now().addingTimeInterval(5))
      _ = try await Work.export(night.library.path, to: FilePath(newer), options: options).summary
    }
    let report = try await night.drill()
    #expect(report.results.map(\.isRestored) == [false, true])
    #expect(report.exitCode == 4)
    #expect(
      report.results[0].failures.contains { $0.message.contains("\(newer) is not the archive that the last") }
    )
    let copies = try night.statusFile().copies
    #expect(copies[0].health.isSuspect)
    #expect(copies[0].files == before.copies[0].files)
    #expect(!copies[0].looksRestorable)
    #expect(copies[1].looksRestorable)
    #expect(copies[1].health.verifiedAt == before.copies[1].health.verifiedAt)
    // the next run makes another copy
    _ = try await night.backup(day: 3)
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies.allSatisfy { $0.looksRestorable })
  }

  /// The clock was ahead when the archive was made.
  @Test("Restore test: the archive of the last backup is tested whatever its date")
  func futureArchive() async throws {
    var night = try await Night.afterBackup()
    try night.changeLibrary(id: 7)
    let ahead = try #require(try await night.backup(day: 100).archives.first)
    night.on(day: 2)
    #expect(try await night.drill().results.map(\.comparison.identical) == [7, 7])
    try night.damage(ahead, keepsDate: true)
    let report = try await night.drill()
    #expect(report.exitCode == 4)
    #expect(report.results[0].restore?.archive == ahead)
    // the next backup takes its place in spite of an earlier date
    try night.changeLibrary(id: 8)
    _ = try await night.backup()
    #expect(try await night.drill().results.map(\.comparison.identical) == [8, 8])
  }

  /// The newest archive lacks a photo, so that the older one is the copy.
  @Test("Restore test: a copy that was not tested keeps its status")
  func untestedCopy() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    let copy = try night.statusFile().copies[0]
    let photo = try #require(night.library.contents.photos.first)
    try night.damage(night.library.path.appending(photo.path).string, at: 5)
    try night.changeLibrary(id: 7)
    #expect(try await night.backup(day: 2).outcome == .incomplete)
    #expect(try night.statusFile().copies == [copy])
    let report = try await night.drill()
    #expect(report.exitCode == 4)
    #expect(report.results[0].restore?.archive != copy.archive)
    #expect(try night.statusFile().copies == [copy])
  }

  /// The copy is older than the loss of a photo in the library, and has the photo.
  @Test("Restore test: a destination that is within reach again has the copy that it had")
  func returnedDestination() async throws {
    var night = try await Night.afterBackup()
    let copy = try night.statusFile().copies[1]
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    try night.changeLibrary(id: 7)
    let (two, away) = (night.folder("two").string, night.folder("away").string)
    _ = try await night.backup(day: 2)
    try FileManager.default.moveItem(atPath: two, toPath: away)
    _ = try await night.backup()
    #expect(try night.statusFile().copies[1].reachability == .unreachable)
    try night.move("away", to: "two")
    #expect(try await night.drill().results.map(\.isRestored) == [true, true])
    #expect(try night.statusFile().copies[1] == copy)
  }

  @Test("Restore test: a newer incomplete set fails and leaves the status of the copy")
  func incompleteSet() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    let copy = try night.statusFile().copies[0]
    night.on(day: 2)
    try night.remove(try await night.exportSet(to: "one")[1].string)
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().copies == [copy])
  }

  /// The sample has not restored the changed photo.
  @Test("Restore test: a changed copy that passes with a sample is present, not verified")
  func sampleOfChangedCopy() async throws {
    let night = try await Night.afterBackup(destinations: ["one"])
    let copy = try night.statusFile().copies[0]
    try night.damage(copy.archive, at: 50_000)
    #expect(try !night.statusFile().copies[0].looksRestorable)
    #expect(try await night.drill(sample: 1).hasPassed)
    let now = try night.statusFile().copies[0]
    #expect(now.looksRestorable)
    #expect(copy.health.verifiedAt != nil)
    #expect(now.health.verifiedAt == nil)
  }

  /// The base has more photos than the test of a later archive restores.
  @Test("Restore test: a suspect base stays suspect")
  func suspectBase() async throws {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    let base = try #require(night.archives("one").first)
    var edit = LibraryEdit()
    edit.removedPhotos = [1]
    try night.library.change(edit)
    _ = try await night.backup(day: 2)
    // corrupts the photo that the library no longer has
    try night.damage(base.path, keepsDate: true)
    night.markSuspect(base.path)
    #expect(try await night.drill().hasPassed)
    #expect(night.health(base.path).isSuspect)
    try night.changeLibrary(id: 8)
    let run = try await night.backup(day: 3)
    #expect(run.warnings.contains { $0.contains("\(base.path) is damaged") })
    #expect(try night.archives("one").last?.base == nil)
  }

  /// The disk has a new mount point, which the job file has as well.
  @Test("Restore test: a corrupt copy fails with samples after its destination has moved")
  func movedDestination() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    #expect(try await !night.drill().hasPassed)
    try night.move("one", to: "moved")
    night.job.destinations[0].path = night.folder("moved")
    for _ in 0..<2 { #expect(try await night.drill(sample: 1).exitCode == 4) }
  }

  /// The restore test fails at the missing archive and does not read the others.
  @Test("Backup: a chain with a missing archive is verified before the archive is copied")
  func missingChainMember() async throws {
    var night = try await Night.afterBackup("incremental: true")
    for day in 2...3 {
      try night.changeLibrary(id: Int64(5 + day))
      _ = try await night.backup(day: day)
    }
    let chain = try night.archives("one")
    try night.damage(chain[0].path, keepsDate: true)
    try night.remove(chain[1].path)
    #expect(try await night.drill().results.map(\.isRestored) == [false, true])
    #expect(try await night.backup(day: 4).warnings.contains { $0.contains("\(chain[0].path) is damaged") })
    #expect(try await night.drill().hasPassed)
    let members = try #require(try night.statusFile().copies.first).archives
    for path in members {
      let record = try ArchiveDescriptor(path: FilePath(path))
      #expect(try record.fault(nil, ProgressCounter()) == nil)
    }
  }

  /// A job whose last restore test found a corrupt photo in the library.
  private struct CorruptPhoto {
    var night: Night
    private let path: String
    private let bytes: Data

    init() async throws {
      night = try await Night.afterBackup()
      let photo = try #require(night.library.contents.photos.first)
      path = night.library.file(of: photo).string
      bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      try night.damage(path, at: 5, keepsDate: true)
      #expect(try await night.drill().exitCode == 4)
    }

    func repair() throws { try bytes.write(to: URL(fileURLWithPath: path)) }
  }

  @Test("Restore test: a corrupt photo of the library is reported by each test")
  func corruptPhotoOfLibrary() async throws {
    let night = try await CorruptPhoto().night
    #expect(try night.statusFile().lastRestoreTest?.damaged == 1)
    #expect(try night.prometheus().contains("smilepile_restore_test_damaged_photos{job_name=\"family\"} 1\n"))
    for _ in 0..<2 { #expect(try await night.drill(sample: 1).exitCode == 4) }
  }

  /// No photo is compared while the destinations are out of reach.
  @Test("Restore test: a corrupt photo of the library stays reported while no archive is within reach")
  func corruptPhotoWithoutArchives() async throws {
    let night = try await CorruptPhoto().night
    for name in ["one", "two"] { try night.move(name, to: "\(name)-away") }
    #expect(try await night.drill(sample: 1).exitCode == 4)
    #expect(try night.statusFile().lastRestoreTest?.damaged == 1)
    for name in ["one", "two"] { try night.move("\(name)-away", to: name) }
    #expect(try await night.drill(sample: 1).exitCode == 4)
  }

  @Test("Backup: a photo that a restore test found corrupt is reported, and nothing is pruned")
  func backupOfCorruptPhoto() async throws {
    var night = try await CorruptPhoto().night
    night.job.retention = RetentionPolicy(last: 1)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .incomplete)
    #expect(run.missing.count == 1)
    #expect(run.destinations.allSatisfy { $0.removed.isEmpty })
  }

  /// The status does not record which photo is corrupt.
  @Test("Restore test: the test after the repair of a photo restores all photos, the next one a sample")
  func testOfRepairedPhoto() async throws {
    let photo = try await CorruptPhoto()
    try photo.repair()
    #expect(try await photo.night.drill(sample: 1).results.map(\.comparison.identical) == [6, 6])
    #expect(try photo.night.statusFile().lastRestoreTest?.damaged == nil)
    #expect(try await photo.night.drill(sample: 1).results.map(\.comparison.identical) == [1, 1])
  }

  @Test("Backup: a photo that is repaired since the restore test is not reported")
  func backupOfRepairedPhoto() async throws {
    var photo = try await CorruptPhoto()
    try photo.repair()
    photo.night.on(day: 3)
    #expect(try await photo.night.backup().outcome != .incomplete)
    #expect(try photo.night.statusFile().lastRestoreTest?.damaged == nil)
  }

  /// The archive at the first destination only lacks a photo that the library lacks as well.
  @Test("Restore test: the archive that cannot be restored is reported")
  func reportedArchive() async throws {
    var night = try Night()
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    _ = try await night.backup()
    try night.damage(night.archives("two")[0].path, keepsDate: true)
    night.job.hooks.onFailure = "echo \"$SMILEPILE_ARCHIVES\" > '\(night.folder("hook-output"))'"
    #expect(try await night.drill().results.map(\.isRestored) == [true, false])
    let archive = try night.archives("two")[0].path
    #expect(try night.statusFile().lastRestoreTest?.archive == archive)
    #expect(try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8) == archive + "\n")
  }

  /// The chain of the last backup was flattened and then removed.
  @Test("Restore test: a flattened archive that passes is the verified copy")
  func flattenedArchive() async throws {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    let newest = try #require(try await night.backup(day: 2).archives.first)
    _ = try await Work.flatten(FilePath(newest)).summary
    for archive in try night.archives("one") where archive.base != nil || archive.photos == 6 {
      try night.remove(archive.path)
    }
    #expect(try !night.statusFile().copies[0].looksRestorable)
    night.on(day: 3)
    #expect(try await night.drill().hasPassed)
    let copy = try night.statusFile().copies[0]
    let flat = try #require(night.archives("one").first)
    #expect(copy.looksRestorable)
    #expect(copy.archive == flat.path)
    #expect(copy.others == [])
    #expect(copy.health.verifiedAt == Timestamp(night.context.now()))
  }

  /// Everything in the archives is restored.
  @Test("Restore test: a photo that both library and archives lack fails the test")
  func missingPhoto() async throws {
    let night = try Night()
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    _ = try await night.backup()
    let report = try await night.drill()
    #expect(report.results.map(\.isRestored) == [true, true])
    #expect(!report.hasPassed)
    #expect(report.exitCode == 4)
    let status = try night.statusFile()
    #expect(status.lastRestoreTest?.hasPassed == false)
    #expect(status.lastPassedTestAt == nil)
    #expect(status.copies.map(\.health.isSuspect) == [false, false])
    #expect(try night.prometheus().contains("smilepile_restore_test_passed{job_name=\"family\"} 0\n"))
    #expect(try night.prometheus().contains(/copy_missing_photos\{.+\} 1\n/))
  }

  @Test("Restore test: a destination without its sentinel file is out of reach, as for a backup")
  func missingSentinel() async throws {
    var night = try Night()
    night.job.destinations[0].sentinel = ".disk"
    let sentinel = night.folder("one").appending(".disk").string
    try Data().write(to: URL(fileURLWithPath: sentinel))
    _ = try await night.backup()
    try night.remove(sentinel)
    for _ in 0..<2 {
      #expect(try await night.drill().exitCode == 4)
      #expect(try night.statusFile().copies.map(\.reachability) == [.unreachable, .reachable])
      #expect(try await night.backup().outcome == .incomplete)
      #expect(try night.statusFile().copies.map(\.reachability) == [.unreachable, .reachable])
    }
    try Data().write(to: URL(fileURLWithPath: sentinel))
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .reachable])
  }
}
