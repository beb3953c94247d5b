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

/// What a drill says of copies is said of the archives that it has tried.
@Suite struct DrillCopyTests {
  /// Somebody copied the older archive over the newer one, or that of another job.
  @Test(arguments: [true, false]) func anotherArchiveUnderTheNameIsNotTheCopy(isOfTheJob: Bool) async throws {
    var night = try Night()
    _ = try await night.backup()
    let older = try #require(night.archives("two").first).path
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let newer = try #require(try await night.backup().archives.first)
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
    #expect(report.results.map(\.isRestored) == [false, true] && report.exitCode == 4)
    #expect(
      report.results[0].failures.contains { $0.message.contains("\(newer) is not the archive that the last") }
    )
    let copies = try night.statusFile().copies
    #expect(copies[0].isSuspect && copies[0].files == before.copies[0].files && !copies[0].isThere)
    #expect(copies[1].isThere && copies[1].verifiedAt == before.copies[1].verifiedAt)
    // the next run makes another
    night.on(day: 3)
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    #expect(try night.statusFile().copies.allSatisfy(\.isThere))
  }

  /// The clock was ahead when it was made, and nothing was made since.
  @Test func theLastBackupIsTriedWhateverItsDate() async throws {
    var night = try Night()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 100)
    let ahead = try #require(try await night.backup().archives.first)
    night.on(day: 2)
    #expect(try await night.drill().results.map(\.comparison.proven) == [7, 7])
    try night.damage(ahead, keepsDate: true)
    let report = try await night.drill()
    #expect(report.exitCode == 4 && report.results[0].trial?.archive == ahead)
    // as soon as there is another, it says nothing of today
    try night.changeLibrary(id: 8)
    _ = try await night.backup()
    #expect(try await night.drill().results.map(\.comparison.proven) == [8, 8])
  }

  /// The newest lacks a photo, so that the copy is the one before.
  @Test func whatWasNotTriedIsNotDoubted() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    let copy = try night.statusFile().copies[0]
    let photo = try #require(night.library.contents.photos.first)
    try night.damage(night.library.path.appending(photo.path).string, at: 5)
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .incomplete)
    #expect(try night.statusFile().copies == [copy])
    let report = try await night.drill()
    #expect(report.exitCode == 4 && report.results[0].trial?.archive != copy.archive)
    #expect(try night.statusFile().copies == [copy])
  }

  /// A disk that was away when a photo was lost has the copy that it had.
  @Test func aCopyThatIsBackStaysTheBetterOne() async throws {
    var night = try Night()
    _ = try await night.backup()
    let copy = try night.statusFile().copies[1]
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    try night.changeLibrary(id: 7)
    let (two, away) = (night.folder("two").string, night.folder("away").string)
    night.on(day: 2)
    _ = try await night.backup()
    try FileManager.default.moveItem(atPath: two, toPath: away)
    _ = try await night.backup()
    #expect(try night.statusFile().copies[1].isOutOfReach == true)
    try FileManager.default.moveItem(atPath: away, toPath: two)
    #expect(try await night.drill().isRestored)
    #expect(try night.statusFile().copies[1] == copy)
  }

  /// Nor is a copy whose newer one could not be put together.
  @Test func aSetThatIsNotWholeSaysNothingOfTheCopy() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    let copy = try night.statusFile().copies[0]
    night.on(day: 2)
    try night.remove(try await night.exportSet(to: "one")[1].string)
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().copies == [copy])
  }

  /// A sample that did not meet the change says that it restores, and not that it is whole.
  @Test func whatWasChangedIsNotVerifiedBySamples() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    let copy = try night.statusFile().copies[0]
    try night.damage(copy.archive, at: 50_000)
    #expect(try !night.statusFile().copies[0].isThere)
    #expect(try await night.drill(sample: 1).isProven)
    let now = try night.statusFile().copies[0]
    #expect(now.isThere && copy.verifiedAt != nil && now.verifiedAt == nil)
  }

  /// A base holds more than what is restored of it.
  @Test func aDrillEndsNoDoubtOfABase() async throws {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    let base = try #require(night.archives("one").first)
    var edit = LibraryEdit()
    edit.removedPhotos = [1]
    try night.library.change(edit)
    night.on(day: 2)
    _ = try await night.backup()
    // the photo that is gone
    try night.damage(base.path, keepsDate: true)
    night.markSuspect(base.path)
    #expect(try await night.drill().isProven)
    #expect(night.health(base.path).isSuspect)
    try night.changeLibrary(id: 8)
    night.on(day: 3)
    let run = try await night.backup()
    #expect(run.warnings.contains { $0.contains("\(base.path) is damaged") })
    #expect(try night.archives("one").last?.base == nil)
  }

  /// The disk is mounted elsewhere, and the job file says so: what a drill found wrong goes with it.
  @Test func aCopyThatNobodyHasNotedIsTriedAsAWhole() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    #expect(try await !night.drill().isProven)
    try FileManager.default.moveItem(atPath: night.folder("one").string, toPath: night.folder("moved").string)
    night.job.destinations[0].path = night.folder("moved")
    for _ in 0..<2 { #expect(try await night.drill(sample: 1).exitCode == 4) }
  }

  /// A drill that failed for what is missing said nothing of what is there, and nobody has read that since.
  @Test func whatIsThereIsReadBeforeWhatIsMissingIsCopied() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    for day in 2...3 {
      try night.changeLibrary(id: Int64(5 + day))
      night.on(day: day)
      _ = try await night.backup()
    }
    let chain = try night.archives("one")
    try night.damage(chain[0].path, keepsDate: true)
    try night.remove(chain[1].path)
    #expect(try await night.drill().results.map(\.isRestored) == [false, true])
    night.on(day: 4)
    #expect(try await night.backup().warnings.contains { $0.contains("\(chain[0].path) is damaged") })
    #expect(try await night.drill().isProven)
    let members = try #require(try night.statusFile().copies.first).archives
    for path in members {
      let record = try ArchiveDescriptor(path: FilePath(path))
      #expect(try ArchiveVerification.fault(of: record, nil, ProgressCounter()) == nil)
    }
  }

  /// Which of the library's photos it was nobody keeps: the next drill tries all of them.
  @Test func damageInTheLibraryIsRemembered() async throws {
    var night = try Night()
    _ = try await night.backup()
    let photo = try #require(night.library.contents.photos.first)
    let path = night.library.path.appending(photo.path).string
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try night.damage(path, at: 5, keepsDate: true)
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().lastRestoreTest?.damaged == 1)
    #expect(try night.prometheus().contains("smilepile_restore_test_damaged_photos{job_name=\"family\"} 1\n"))
    for _ in 0..<2 { #expect(try await night.drill(sample: 1).exitCode == 4) }
    // nothing is compared while the disks are away
    for name in ["one", "two"] {
      try FileManager.default.moveItem(
        atPath: night.folder(name).string, toPath: night.folder("\(name)-away").string)
    }
    #expect(try await night.drill(sample: 1).exitCode == 4)
    #expect(try night.statusFile().lastRestoreTest?.damaged == 1)
    for name in ["one", "two"] {
      try FileManager.default.moveItem(
        atPath: night.folder("\(name)-away").string, toPath: night.folder(name).string)
    }
    #expect(try await night.drill(sample: 1).exitCode == 4)
    // nor does a backup pass over what is known, though it need not read it
    night.job.retention = RetentionPolicy()
    night.job.retention?.last = 1
    night.on(day: 2)
    let run = try await night.backup()
    #expect(
      run.outcome == .incomplete && run.missing.count == 1 && run.destinations.allSatisfy(\.removed.isEmpty))
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try await night.drill(sample: 1).results.map(\.comparison.proven) == [6, 6])
    #expect(try night.statusFile().lastRestoreTest?.damaged == nil)
    #expect(try await night.drill(sample: 1).results.map(\.comparison.proven) == [1, 1])

    // healed before the next drill
    try night.damage(path, at: 5, keepsDate: true)
    #expect(try await night.drill().exitCode == 4)
    try bytes.write(to: URL(fileURLWithPath: path))
    night.on(day: 3)
    #expect(try await night.backup().outcome != .incomplete)
    #expect(try night.statusFile().lastRestoreTest?.damaged == nil)
  }

  /// Where one lacks what the library lost, and another does not restore, it is that other.
  @Test func theArchiveThatDoesNotRestoreIsNamed() async throws {
    var night = try Night()
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    _ = try await night.backup()
    try night.damage(night.archives("two")[0].path, keepsDate: true)
    night.job.hooks.onFailure = "echo \"$SMILEPILE_ARCHIVES\" > '\(night.folder("told"))'"
    #expect(try await night.drill().results.map(\.isRestored) == [true, false])
    let archive = try night.archives("two")[0].path
    #expect(try night.statusFile().lastRestoreTest?.archive == archive)
    #expect(try String(contentsOfFile: night.folder("told").string, encoding: .utf8) == archive + "\n")
  }

  /// What was flattened since, and what it stands for pruned, is the copy.
  @Test func whatWasRestoredIsTheCopy() async throws {
    var night = try Night("incremental: true")
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let newest = try #require(try await night.backup().archives.first)
    _ = try await Work.flatten(FilePath(newest)).summary
    for archive in try night.archives("one") where archive.base != nil || archive.photos == 6 {
      try night.remove(archive.path)
    }
    #expect(try !night.statusFile().copies[0].isThere)
    night.on(day: 3)
    #expect(try await night.drill().isProven)
    let copy = try night.statusFile().copies[0]
    let flat = try #require(night.archives("one").first)
    #expect(copy.isThere && copy.archive == flat.path && copy.others == [])
    #expect(copy.verifiedAt == night.context.now().milliseconds)
  }

  /// The library as somebody believes to have it does not come back.
  @Test func whatNeitherHasIsNotProven() async throws {
    let night = try Night()
    let photo = try #require(night.library.contents.photos.first)
    try night.remove(night.library.path.appending(photo.path).string)
    _ = try await night.backup()
    let report = try await night.drill()
    #expect(report.isRestored && !report.isProven && report.exitCode == 4)
    let status = try night.statusFile()
    #expect(status.lastRestoreTest?.isProven == false && status.lastProvenAt == nil)
    #expect(status.copies.map(\.isSuspect) == [false, false])
    #expect(try night.prometheus().contains("smilepile_restore_test_proven{job_name=\"family\"} 0\n"))
    #expect(try night.prometheus().contains(/copy_missing_photos\{.+\} 1\n/))
  }

  /// A disk of which a backup said that it is not the one.
  @Test func theWrongDiskIsOutOfReachForBackupAndDrill() async throws {
    var night = try Night()
    night.job.destinations[0].marker = ".disk"
    let marker = night.folder("one").appending(".disk").string
    try Data().write(to: URL(fileURLWithPath: marker))
    _ = try await night.backup()
    try night.remove(marker)
    for _ in 0..<2 {
      #expect(try await night.drill().exitCode == 4)
      #expect(try night.statusFile().copies.map(\.isOutOfReach) == [true, nil])
      #expect(try await night.backup().outcome == .incomplete)
      #expect(try night.statusFile().copies.map(\.isOutOfReach) == [true, nil])
    }
    try Data().write(to: URL(fileURLWithPath: marker))
    #expect(try await night.drill().isProven)
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [nil, nil])
  }
}
