import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// What a drill learns of archives reaches whoever has to know; what kept it from being made says nothing of them.
@Suite struct DrillDoubtTests {
  /// Nothing but opening it tells, and the drill is the first to do so.
  @Test func aDirectoryThatHasRottenIsDoubted() async throws {
    var night = try Night()
    _ = try await night.backup()
    for path in try ["one", "two"].map({ try night.archives($0)[0].path }) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let record = try #require(bytes.range(of: Data([0x50, 0x4B, 1, 2])))
      try night.damage(path, at: record.lowerBound, keepsDate: true)
    }
    #expect(try await !night.drill().isProven)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .done && run.destinations.allSatisfy { $0.isNew })
    #expect(try await night.drill().isProven)
  }

  /// A sample without the photo that failed says nothing of it.
  @Test func whatFailedIsTriedAgain() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    // the first photo's
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    #expect(try await !night.drill(sample: 1).isProven)
    for _ in 0..<3 { #expect(try await !night.drill(sample: 1).isProven) }
    #expect(try night.statusFile().copies[0].isSuspect)
    night.on(day: 2)
    _ = try await night.backup()
    #expect(try await night.drill(sample: 1).results.map(\.comparison.proven) == [1])
    // one that was doubted for a passing fault is trusted by whoever asks
    let path = try #require(night.archives("one").last).path
    night.markSuspect(path)
    #expect(try await night.drill(sample: 1).results.map(\.comparison.proven) == [6])
    #expect(!night.health(path).isSuspect)
  }

  /// It is in neither of them, though everything that is in the archive comes back.
  @Test func whatWasLostBeforeIsNotProven() async throws {
    var night = try Night()
    let file = night.library.path.appending(try #require(night.library.contents.photos.first).path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try night.remove(file.string)
    #expect(try await night.backup().outcome == .incomplete)
    #expect(try night.statusFile().copies.map(\.missingPhotos) == [1, 1])
    for sample in [nil, 1] {
      let report = try await night.drill(sample: sample)
      #expect(report.exitCode == 4 && report.results.map(\.comparison.damagedInLibrary.count) == [1, 1])
    }
    try bytes.write(to: URL(fileURLWithPath: file.string))
    #expect(try await night.drill().exitCode == 0)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .done)
    #expect(try night.statusFile().copies.map(\.missingPhotos) == [nil, nil])
  }

  /// It is the newest of those that can bring everything back.
  @Test func anOlderArchiveThatLacksNothingIsTheCopy() async throws {
    var night = try Night()
    _ = try await night.backup()
    let whole = try #require(night.archives("one").first)
    try night.remove(
      night.library.path.appending(try #require(night.library.contents.photos.first).path).string)
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .incomplete)
    let copy = try night.statusFile().copies[0]
    #expect(copy.archive == whole.path && copy.madeAt == whole.date && copy.missingPhotos == nil)
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().copies[0] == copy)
  }

  @Test func aCopyThatIsBackAndRestoresIsWithinReach() async throws {
    var night = try Night()
    _ = try await night.backup()
    let (two, away) = (night.folder("two").string, night.folder("away").string)
    try FileManager.default.moveItem(atPath: two, toPath: away)
    night.on(day: 2)
    _ = try await night.backup()
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [nil, true])
    try FileManager.default.moveItem(atPath: away, toPath: two)
    #expect(try await night.drill().isProven)
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [nil, nil])
  }

  @Test func noPlaceToRestoreToCastsNoDoubt() async throws {
    let night = try Night()
    _ = try await night.backup()
    var options = RestoreTestOptions()
    options.scratch = night.library.path.appending("photos")
    await #expect(throws: LibraryError.self) {
      try await Work.restoreTest(night.job, night.context, options: options).summary
    }
    #expect(try night.statusFile().copies.allSatisfy { $0.isSuspect == false })
    #expect(try await night.backup().outcome == .unchanged)
  }

  /// What is known of the first destination is told, though the second could not be tried.
  @Test func whatFailedBeforeSomethingStoppedTheDrillIsTold() async throws {
    var night = try Night()
    night.job.password = .command("unused")
    night.job.hooks.onFailure = "env > '\(night.folder("told"))'"
    night.context.password = { _ in Secret("correct horse battery") }
    _ = try await night.backup()
    let rotten = try night.names("one")[0]
    try night.damage(night.folder("one").appending(rotten).string, keepsDate: true)
    try night.remove(night.folder("two").appending(night.names("two")[0]).string)
    var options = night.job.exportOptions
    options.password = Secret("another horse battery")
    _ = try await Work.export(night.library.path, to: night.folder("two"), options: options).summary
    let report = try await night.drill()
    #expect(report.exitCode == 4 && report.results.map(\.destination) == [night.folder("one")])
    #expect(report.warnings.count == 1 && report.warnings[0].hasSuffix(": wrong password"))
    let text = try String(contentsOfFile: #require(report.path).string, encoding: .utf8)
    #expect(text.contains("/one: DOES NOT RESTORE"))
    #expect(
      text.contains("\n\nwarning: not every destination was tested: ") && text.hasSuffix(": wrong password\n")
    )
    #expect(try night.statusFile().lastRestoreTest?.isProven == false)
    #expect(try night.statusFile().copies.map(\.isSuspect) == [true, false])
    let told = try String(contentsOfFile: night.folder("told").string, encoding: .utf8)
    #expect(told.contains("SMILEPILE_OUTCOME=not restored\n") && told.contains("SMILEPILE_EXIT_CODE=4\n"))
    #expect(told.contains("\(rotten)\n") && !told.contains("SMILEPILE_MISSING=0\n"))
  }

  /// What did not come back is known, though the drill did not come to its end.
  @Test func whatDidNotComeBackBeforeADrillIsStoppedIsDoubted() async throws {
    var night = try Night()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    night.job.lockWait = 0
    let lock = try FileLock("readers.lock", in: Directory.open(night.library.path), exclusive: true)
    let report = try await night.drill()
    lock.release()
    #expect(report.exitCode == 4 && report.warnings.contains { $0.contains("is in use by") })
    #expect(try night.statusFile().lastRestoreTest?.isProven == false)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .done)
    #expect(try await night.drill().isProven)
  }

  @Test func whatFailedBeforeADrillWasCancelledIsNoted() async throws {
    let night = try Night()
    _ = try await night.backup()
    try night.remove(night.folder("one").string)
    let drill = Mutex<Work<RestoreTestReport>?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    // the first destination is gone, and the second is being restored at the moment of the cancellation
    let fault = ArmedFault(
      Fault(
        .then {
          isStarted.wait()
          drill.withLock { $0?.cancel() }
        }, of: .only([.write]), below: night.folder("scratch")))
    defer { fault.disarm() }
    var options = RestoreTestOptions()
    options.scratch = try night.scratch.makeFolder("scratch")
    let started = Work.restoreTest(night.job, night.context, options: options)
    drill.withLock { $0 = started }
    isStarted.signal()
    await #expect(throws: CancellationError.self) { try await started.summary }
    #expect(try night.statusFile().lastRestoreTest?.isProven == false)
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [true, nil])
  }

  /// When it is mounted again, what was read back there is as whole as it was.
  @Test func aDestinationThatIsAwayIsNotDoubted() async throws {
    let night = try Night()
    _ = try await night.backup()
    let copies = try night.statusFile().copies
    try FileManager.default.moveItem(atPath: night.folder("one").string, toPath: night.folder("away").string)
    #expect(try await night.drill().exitCode == 4)
    var away = copies[0]
    away.isOutOfReach = true
    #expect(try night.statusFile().copies[0] == away)
    try FileManager.default.moveItem(atPath: night.folder("away").string, toPath: night.folder("one").string)
    #expect(try await night.drill(sample: 1).isProven)
    #expect(try night.statusFile().copies == copies)

    // one that was reached and does not restore is no longer away
    try FileManager.default.moveItem(atPath: night.folder("one").string, toPath: night.folder("away").string)
    _ = try await night.drill()
    #expect(
      try night.prometheus().contains(
        "copy_reachable{job_name=\"family\",destination=\"\(copies[0].path)\"} 0\n"))
    try FileManager.default.moveItem(atPath: night.folder("away").string, toPath: night.folder("one").string)
    try night.damage(copies[0].archive, keepsDate: true)
    _ = try await night.drill()
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [nil, nil])
    let metrics = try night.prometheus()
    #expect(metrics.contains("copy_suspect{job_name=\"family\",destination=\"\(copies[0].path)\"} 1\n"))
    #expect(metrics.contains("copy_suspect{job_name=\"family\",destination=\"\(copies[1].path)\"} 0\n"))
  }

  /// It has read nothing.
  @Test func aDrillThatCannotRestoreEndsNoDoubt() async throws {
    let night = try Night()
    _ = try await night.backup()
    let archive = try #require(night.archives("one").first)
    night.markSuspect(archive.path)
    var options = RestoreTestOptions()
    options.scratch = night.folder("nowhere")
    await #expect(throws: FileError.self) {
      _ = try await Work.restoreTest(night.job, night.context, options: options).summary
    }
    #expect(night.health(archive.path).isSuspect)
    // nor one that goes no further than the first photo
    let fault = ArmedFault(
      Fault(.error(.noSpace), of: .only([.write]), persists: true, below: night.folder("scratch")))
    await #expect(throws: (any Error).self) { _ = try await night.drill() }
    fault.disarm()
    #expect(fault.place != nil)
    #expect(night.health(archive.path).isSuspect)
  }

  /// By another process, which has read something that this one has not.
  @Test func whatIsFoundDuringADrillStays() async throws {
    var night = try Night()
    _ = try await night.backup()
    let archive = try #require(night.archives("one").first)
    let other = night
    for sample in [1, nil] {
      // when the first photo is restored
      let fault = ArmedFault(
        Fault(
          .then { other.markSuspect(archive.path) }, of: .only([.write]), below: night.folder("scratch")))
      #expect(try await night.drill(sample: sample).isProven)
      fault.disarm()
      #expect(night.health(archive.path).isSuspect)
      #expect(try night.statusFile().copies.map(\.isSuspect) == [true, false])
      night.markVerified(archive.path)
    }
    // what was known when it began, it ends
    night.on(day: 2)
    night.markSuspect(archive.path)
    #expect(try await night.drill(sample: 1).isProven)
    #expect(!night.health(archive.path).isSuspect)
  }

  /// A backup has its own view of the archives, from before.
  @Test func whatADrillFindsDuringABackupStays() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    let archive = try #require(night.archives("one").first)
    // what rests on it is no better
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let other = night
    let fault = ArmedFault(
      Fault(.then { other.markSuspect(archive.path) }, of: .only([.write]), below: night.folder("two")))
    defer { fault.disarm() }
    _ = try await night.backup()
    let copies = try night.statusFile().copies
    #expect(copies.map(\.isSuspect) == [true, false])
    #expect(copies[0].archive == archive.path)
  }

  /// A sample has not read it all; neither has one that restores nothing of what went since its base.
  @Test func aDrillOfEveryPhotoIsAReadingBack() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    _ = try await night.backup()
    let before = try night.statusFile().copies
    night.on(day: 3)
    #expect(try await night.drill().isProven)
    #expect(try night.statusFile().copies == before)

    night.job.maximumChain = nil
    night.context.isForced = true
    _ = try await night.backup()
    night.on(day: 4)
    #expect(try await night.drill(sample: 3).isProven)
    let made = try #require(try night.statusFile().copies.first)
    #expect(made.verifiedAt == made.madeAt)
    let archive = try #require(night.archives("one").last)
    night.markSuspect(archive.path)
    #expect(try await night.drill(sample: 3).isProven)
    #expect(try night.statusFile().copies[0].verifiedAt == night.context.now().milliseconds)
    #expect(night.health(archive.path).verifiedAt == night.context.now().milliseconds)
  }

  /// It says nothing of the archive, nor of the library.
  @Test(arguments: [true, false]) func aShortageCastsNoDoubt(isOfTheArchive: Bool) async throws {
    let night = try Night()
    _ = try await night.backup()
    let place = isOfTheArchive ? night.folder("one") : night.library.path.appending("photos")
    let fault = ArmedFault(
      Fault(.error(.noMemory), of: .only([.read]), persists: true, below: place))
    await #expect(throws: (any Error).self) { try await night.drill() }
    fault.disarm()
    #expect(fault.place != nil)
    #expect(try night.statusFile().lastRestoreTest == nil)
    #expect(try night.statusFile().copies.allSatisfy { $0.isSuspect == false })
    #expect(try await night.drill().isProven)
  }

  /// A drill writes nothing there.
  @Test func aDestinationThatIsMountedForReadingAloneRestores() async throws {
    let night = try Night()
    _ = try await night.backup()
    let fault = ArmedFault(
      Fault(.error(.readOnlyFileSystem), of: .only([.access]), persists: true, below: night.folder("one")))
    defer { fault.disarm() }
    #expect(try await night.drill().isProven)
  }

  /// By whatever process: another job's, another computer's.
  @Test func whatIsBeingRestoredIsNotPruned() async throws {
    var night = try Night()
    _ = try await night.backup()
    let folder = night.folder("one")
    let isKept = Mutex(false)
    // when the first photo is restored
    let fault = ArmedFault(
      Fault(
        .then { isKept.withLock { $0 = (try? FolderLock(folder, exclusive: true)) == nil } },
        of: .only([.write]), below: night.folder("scratch")))
    #expect(try await night.drill().isProven)
    fault.disarm()
    #expect(isKept.withLock { $0 })
    night.job.lockWait = 0
    let lock = try FolderLock(folder, exclusive: true)
    let drilled = night
    await #expect(throws: FileLock.Busy.self) { try await drilled.drill() }
    withExtendedLifetime(lock) {}
    #expect(try night.statusFile().copies.allSatisfy { $0.isSuspect == false })
  }

  @Test func aDrillThatIsStoppedInItsHookIsNoFailure() async throws {
    var night = try Night()
    let begun = try night.pipe("begun")
    night.job.hooks.before = "echo > '\(begun)'; sleep 600"
    night.job.hooks.onFailure = "touch '\(night.folder("told"))'"
    let drill = Work.restoreTest(night.job, night.context)
    await night.hear(begun)
    drill.cancel()
    await #expect(throws: CancellationError.self) { try await drill.summary }
    #expect(!FileManager.default.fileExists(atPath: night.folder("told").string))
  }

  /// The exit code that the command ends with, and a failure for whoever waits to hear of one.
  @Test func aPhotoThatHasRottenInTheLibraryIsHeardOf() async throws {
    var night = try Night()
    night.job.hooks.onFailure = "env > '\(night.folder("told"))'"
    _ = try await night.backup()
    let photo = try #require(try night.library.contents.photos.first)
    try night.damage(night.library.file(of: photo).string, keepsDate: true)
    let report = try await night.drill()
    #expect(report.isProven && report.exitCode == 4)
    let told = try String(contentsOfFile: night.folder("told").string, encoding: .utf8)
    #expect(told.contains("SMILEPILE_OUTCOME=incomplete\n") && told.contains("SMILEPILE_EXIT_CODE=4\n"))
    #expect(told.contains("SMILEPILE_TASK=drill\n"))
    #expect(told.contains("SMILEPILE_MISSING=0\n"))
  }

  /// Hooks that unmount the disk after a drill would do so under the backup.
  @Test func aJobThatMountsItsDiskIsNotDrilledAmidABackup() async throws {
    var night = try Night()
    let (begun, answered) = (try night.pipe("begun"), try night.pipe("answered"))
    night.job.hooks.before = "echo > '\(begun)'; read line < '\(answered)'"
    let backup = Work.backup(night.job, night.context)
    await night.hear(begun)
    night.job.hooks.before = "true"
    night.job.lockWait = 0
    let drilled = night
    await #expect(throws: JobError.self) { try await drilled.drill() }
    await night.answer(answered)
    #expect(try await backup.summary.run.outcome == .done)
    #expect(try await night.drill().isProven)
  }
}
