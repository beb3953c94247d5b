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

/// What a restore test records of the health of archives.
@Suite struct RestoreTestHealthTests {
  /// Only opening the archives reveals the corruption, and the restore test is the first to open them.
  @Test("Restore test: archives with a corrupt central directory are replaced by a backup")
  func corruptDirectory() async throws {
    var night = try await Night.afterBackup()
    for path in try ["one", "two"].map({ try night.archives($0)[0].path }) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let record = try #require(bytes.range(of: Data([0x50, 0x4B, 1, 2])))
      try night.damage(path, at: record.lowerBound, keepsDate: true)
    }
    #expect(try await !night.drill().hasPassed)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .done)
    #expect(run.destinations.allSatisfy { $0.isNew })
    #expect(try await night.drill().hasPassed)
  }

  /// A sample may not have the photo that failed.
  @Test("Restore test: every photo of a suspect copy is restored until the copy passes")
  func suspectCopy() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    // corrupts the first photo
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    #expect(try await !night.drill(sample: 1).hasPassed)
    for _ in 0..<3 { #expect(try await !night.drill(sample: 1).hasPassed) }
    #expect(try night.statusFile().copies[0].health.isSuspect)
    _ = try await night.backup(day: 2)
    #expect(try await night.drill(sample: 1).results.map(\.comparison.identical) == [1])
    // an archive that passes in full is no longer suspect
    let path = try #require(night.archives("one").last).path
    night.markSuspect(path)
    #expect(try await night.drill(sample: 1).results.map(\.comparison.identical) == [6])
    #expect(!night.health(path).isSuspect)
  }

  /// Everything in the archive is restored.
  @Test("Restore test: a photo that library and archive lack fails the test until it is back")
  func missingPhoto() async throws {
    var night = try Night()
    let file = night.library.path.appending(try #require(night.library.contents.photos.first).path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
    try night.remove(file.string)
    #expect(try await night.backup().outcome == .incomplete)
    #expect(try night.statusFile().copies.map(\.missingPhotos) == [1, 1])
    for sample in [nil, 1] {
      let report = try await night.drill(sample: sample)
      #expect(report.exitCode == 4)
      #expect(report.results.map(\.comparison.damagedInLibrary.count) == [1, 1])
    }
    try bytes.write(to: URL(fileURLWithPath: file.string))
    #expect(try await night.drill().exitCode == 0)
    #expect(try await night.backup(day: 2).outcome == .done)
    #expect(try night.statusFile().copies.map(\.missingPhotos) == [0, 0])
  }

  @Test("Status: the copy is the newest archive with every photo")
  func olderCompleteArchive() async throws {
    var night = try await Night.afterBackup()
    let complete = try #require(night.archives("one").first)
    try night.remove(
      night.library.path.appending(try #require(night.library.contents.photos.first).path).string)
    try night.changeLibrary(id: 7)
    #expect(try await night.backup(day: 2).outcome == .incomplete)
    let copy = try night.statusFile().copies[0]
    #expect(copy.archive == complete.path)
    #expect(copy.madeAt == complete.date)
    #expect(copy.missingPhotos == 0)
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().copies[0] == copy)
  }

  @Test("Restore test: a copy that passes is within reach again")
  func returnedDestination() async throws {
    var night = try await Night.afterBackup()
    try night.move("two", to: "away")
    _ = try await night.backup(day: 2)
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .unreachable])
    try night.move("away", to: "two")
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .reachable])
  }

  @Test("Restore test: a scratch folder in the library is refused and makes no copy suspect")
  func scratchFolderInLibrary() async throws {
    var night = try await Night.afterBackup()
    night.context.exitCode = { $0 is LibraryError ? 10 : 1 }
    let report = try await night.drill(night.job, in: night.library.path.appending("photos"))
    #expect(report.run.outcome == .failed)
    #expect(report.exitCode == 10)
    #expect(report.results.isEmpty)
    #expect(try night.statusFile().copies.allSatisfy { $0.health.isSuspect == false })
    #expect(try await night.backup().outcome == .unchanged)
  }

  @Test("Restore test: the failure of one destination is reported if another cannot be tested")
  func incompleteTest() async throws {
    var night = try Night()
    night.job.password = .command("unused")
    night.job.hooks.onFailure = "env > '\(night.folder("hook-output"))'"
    night.context.password = { _ in Secret("correct horse battery") }
    _ = try await night.backup()
    let corrupt = try night.names("one")[0]
    try night.damage(night.folder("one").appending(corrupt).string, keepsDate: true)
    try night.remove(night.folder("two").appending(night.names("two")[0]).string)
    var options = night.job.exportOptions
    options.password = Secret("another horse battery")
    _ = try await Work.export(night.library.path, to: night.folder("two"), options: options).summary
    let report = try await night.drill()
    #expect(report.exitCode == 4)
    #expect(report.results.map(\.destination) == [night.folder("one")])
    try #require(report.warnings.count == 1)
    #expect(report.warnings[0].hasSuffix(": wrong password"))
    let text = try String(contentsOfFile: #require(report.test?.path).string, encoding: .utf8)
    #expect(text.contains("/one: DOES NOT RESTORE"))
    #expect(text.contains("\n\nwarning: not every destination was tested: "))
    #expect(text.hasSuffix(": wrong password\n"))
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == false)
    #expect(try night.statusFile().copies.map(\.health.isSuspect) == [true, false])
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_OUTCOME=not restored\n"))
    #expect(hookOutput.contains("SMILEPILE_EXIT_CODE=4\n"))
    #expect(hookOutput.contains("\(corrupt)\n"))
    #expect(!hookOutput.contains("SMILEPILE_MISSING=0\n"))
  }

  @Test("Restore test: a failed copy is recorded and replaced although the library is in use")
  func libraryInUse() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    night.job.lockWait = 0
    let lock = try FileLock("readers.lock", in: Directory.open(night.library.path), exclusive: true)
    let report = try await night.drill()
    lock.release()
    #expect(report.exitCode == 4)
    #expect(report.warnings.contains { $0.contains("is in use by") })
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == false)
    #expect(try await night.backup(day: 2).outcome == .done)
    #expect(try await night.drill().hasPassed)
  }

  @Test("Restore test: a failure before a cancellation is recorded")
  func cancellation() async throws {
    var night = try await Night.afterBackup()
    try night.remove(night.folder("one").string)
    night.context.exitCode = { _ in 130 }
    var options = RestoreTestOptions()
    options.scratch = try night.scratch.makeFolder("scratch")
    let (job, context, chosen) = (night.job, night.context, options)
    // the first destination is missing, and the cancellation comes while the second is restored
    let report = try await Night.cancelled(at: .write, below: night.folder("scratch")) {
      Work.restoreTest(job, context, options: chosen)
    }
    #expect(report.run.outcome == .interrupted)
    #expect(report.exitCode == 130)
    #expect(report.results.map(\.isRestored) == [false])
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == false)
    #expect(try night.statusFile().restoreTestFailure == nil)
    #expect(try night.statusFile().copies.map(\.reachability) == [.unreachable, .reachable])
  }

  @Test("Restore test: the result of each destination is recorded, and counts by itself")
  func resultOfEachDestination() async throws {
    var night = try await Night.afterBackup()
    #expect(try night.statusFile().restoreTests.isEmpty)
    try night.move("one", to: "away")
    #expect(try await night.drill().exitCode == 4)
    var tests = try night.statusFile().restoreTests
    #expect(tests.map(\.outcome) == [.unreachable, .passed])
    #expect(tests[0].failure?.contains("is missing; check that its disk is mounted") == true)
    let passedAt = Timestamp(night.context.now())
    #expect(tests.map(\.lastPassedAt) == [nil, passedAt])
    #expect(try night.statusFile().lastPassedTestAt == nil)
    let protection = try LibraryProtection(of: Library(path: night.library.path), night.context.state)
    #expect(protection.testedAt == passedAt)
    #expect(protection.copies.map(\.testedAt) == [nil, passedAt])
    try night.move("away", to: "one")

    night.on(day: 2)
    try night.remove(night.archives("one")[0].path)
    try night.damage(night.archives("two")[0].path, keepsDate: true)
    #expect(try await night.drill().exitCode == 4)
    tests = try night.statusFile().restoreTests
    #expect(tests.map(\.outcome) == [.missing, .failed])
    #expect(tests.map(\.lastPassedAt) == [nil, passedAt])
    let after = try LibraryProtection(of: Library(path: night.library.path), night.context.state)
    #expect(after.copies.map(\.problem) == [.missing, .suspect])
    #expect(after.copies.map(\.testedAt) == [nil, nil])
  }

  @Test("Restore test: a destination that is out of reach is not suspect")
  func unreachableDestination() async throws {
    let night = try await Night.afterBackup()
    let copies = try night.statusFile().copies
    try night.move("one", to: "away")
    #expect(try await night.drill().exitCode == 4)
    var away = copies[0]
    away.reachability = .unreachable
    #expect(try night.statusFile().copies[0] == away)
    try night.move("away", to: "one")
    #expect(try night.statusFile().copies[0].looksRestorable)
    #expect(try await night.drill(sample: 1).hasPassed)
    #expect(try night.statusFile().copies == copies)

    // a destination that fails within reach is suspect, not out of reach
    try night.move("one", to: "away")
    _ = try await night.drill()
    #expect(
      try night.prometheus().contains(
        "copy_reachable{job_name=\"family\",destination=\"\(copies[0].path)\"} 0\n"))
    try night.move("away", to: "one")
    try night.damage(copies[0].archive, keepsDate: true)
    _ = try await night.drill()
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .reachable])
    let metrics = try night.prometheus()
    #expect(metrics.contains("copy_suspect{job_name=\"family\",destination=\"\(copies[0].path)\"} 1\n"))
    #expect(metrics.contains("copy_suspect{job_name=\"family\",destination=\"\(copies[1].path)\"} 0\n"))
  }

  @Test("Restore test: a copy in a folder that cannot be opened is out of reach, and not suspect")
  func unreadableDestination() async throws {
    let night = try await Night.afterBackup()
    let fault = ArmedFault(.error(.permissionDenied), of: [.open], persists: true, below: night.folder("one"))
    #expect(try await night.drill().exitCode == 4)
    fault.disarm()
    #expect(fault.place != nil)
    #expect(try night.statusFile().copies.map(\.health.isSuspect) == [false, false])
    #expect(try night.statusFile().copies.map(\.reachability) == [.unreachable, .reachable])
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .reachable])
  }

  /// Other programs remove old temporary files.
  @Test("Restore test: a scratch folder that disappears during the test says nothing about the archives")
  func removedScratchFolder() async throws {
    let night = try await Night.afterBackup()
    var number = 0
    var wasHit = true
    while wasHit {
      number += 1
      let fault = ArmedFault(
        .error(.noSuchFileOrDirectory), at: number, of: [.open], persists: true,
        below: night.folder("scratch"))
      let report = try await night.drill()
      fault.disarm()
      wasHit = fault.place != nil
      #expect(report.results.allSatisfy { $0.hasPassed }, "\(number): \(fault.place ?? "")")
      #expect(try night.statusFile().copies.map(\.health.isSuspect) == [false, false])
    }
    #expect(number > 10)
  }

  @Test("Restore test: an unusable state folder runs the hook on-failure")
  func unusableStateFolder() async throws {
    var night = try Night()
    night.job.hooks.onFailure = "touch \(night.folder("failed"))"
    _ = try night.scratch.write([], to: "file")
    var context = night.context
    context.state = StateFolder(path: night.folder("file"))
    await #expect(throws: FileError.self) { try await Work.restoreTest(night.job, context).summary }
    #expect(FileManager.default.fileExists(atPath: night.folder("failed").string))
  }

  @Test("Restore test: a test that cannot write leaves a suspect archive suspect")
  func unwritableScratchFolder() async throws {
    let night = try await Night.afterBackup()
    let archive = try #require(night.archives("one").first)
    night.markSuspect(archive.path)
    #expect(try await night.drill(night.job, in: night.folder("nowhere")).run.outcome == .failed)
    #expect(try night.statusFile().restoreTestFailure?.contains("/nowhere") == true)
    #expect(night.health(archive.path).isSuspect)
    // the same holds for a test that fails at the first photo
    let fault = ArmedFault(.error(.noSpace), of: [.write], persists: true, below: night.folder("scratch"))
    #expect(try await night.drill().run.outcome == .failed)
    fault.disarm()
    #expect(fault.place != nil)
    #expect(night.health(archive.path).isSuspect)
  }

  @Test("Restore test: a finding of another process during the test stays recorded")
  func concurrentFinding() async throws {
    var night = try await Night.afterBackup()
    let archive = try #require(night.archives("one").first)
    let other = night
    for sample in [1, nil] {
      // the other process records its finding when the first photo is restored
      let fault = ArmedFault(
        .then { other.markSuspect(archive.path) }, of: [.write], below: night.folder("scratch"))
      #expect(try await night.drill(sample: sample).hasPassed)
      fault.disarm()
      #expect(night.health(archive.path).isSuspect)
      #expect(try night.statusFile().copies.map(\.health.isSuspect) == [true, false])
      night.markVerified(archive.path)
    }
    // a test that passes clears what was recorded before it began
    night.on(day: 2)
    night.markSuspect(archive.path)
    #expect(try await night.drill(sample: 1).hasPassed)
    #expect(!night.health(archive.path).isSuspect)
  }

  /// The backup has listed the archives before the finding.
  @Test("Backup: a finding of another process during the run stays recorded")
  func findingDuringBackup() async throws {
    var night = try await Night.afterBackup("incremental: true")
    let archive = try #require(night.archives("one").first)
    // the next archive depends on the suspect one
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let other = night
    let fault = ArmedFault(
      .then { other.markSuspect(archive.path) }, of: [.write], below: night.folder("two"))
    defer { fault.disarm() }
    _ = try await night.backup()
    let copies = try night.statusFile().copies
    #expect(copies.map(\.health.isSuspect) == [true, false])
    #expect(copies[0].archive == archive.path)
  }

  /// Neither a sample nor the test of an incremental backup reads everything: the base may have photos that the library
  /// no longer has.
  @Test("Restore test: a test that reads all of the archive verifies the copy")
  func verification() async throws {
    var night = try await Night.afterBackup("incremental: true")
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    let before = try night.statusFile().copies
    night.on(day: 3)
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies == before)

    night.job.maximumChainDepth = nil
    night.context.isForced = true
    _ = try await night.backup()
    night.on(day: 4)
    #expect(try await night.drill(sample: 3).hasPassed)
    let made = try #require(try night.statusFile().copies.first)
    #expect(made.health.verifiedAt == made.madeAt)
    let archive = try #require(night.archives("one").last)
    night.markSuspect(archive.path)
    #expect(try await night.drill(sample: 3).hasPassed)
    #expect(try night.statusFile().copies[0].health.verifiedAt == Timestamp(night.context.now()))
    #expect(night.health(archive.path).verifiedAt == Timestamp(night.context.now()))
  }

  @Test("Restore test: lack of memory is reported and makes no copy suspect", arguments: [true, false])
  func lackOfMemory(isOfTheArchive: Bool) async throws {
    let night = try await Night.afterBackup()
    let place = isOfTheArchive ? night.folder("one") : night.library.path.appending("photos")
    let fault = ArmedFault(.error(.noMemory), of: [.read], persists: true, below: place)
    let report = try await night.drill()
    fault.disarm()
    #expect(fault.place != nil)
    #expect(report.run.outcome == .failed)
    #expect(report.results.isEmpty)
    #expect(try night.statusFile().lastRestoreTest == nil)
    #expect(try night.statusFile().restoreTestFailure == report.errors.first)
    #expect(try night.statusFile().copies.allSatisfy { $0.health.isSuspect == false })
    #expect(try await night.drill().hasPassed)
  }

  /// A restore test does not write to destinations.
  @Test("Restore test: a read-only destination passes")
  func readOnlyDestination() async throws {
    let night = try await Night.afterBackup()
    let fault = ArmedFault(
      .error(.readOnlyFileSystem), of: [.access], persists: true, below: night.folder("one"))
    defer { fault.disarm() }
    #expect(try await night.drill().hasPassed)
  }

  /// The lock excludes processes of other jobs and other computers.
  @Test("Restore test: the destination is locked, so that no process can prune it")
  func destinationLock() async throws {
    var night = try await Night.afterBackup()
    let folder = night.folder("one")
    let isKept = Mutex(false)
    // tries to lock the folder when the first photo is restored
    let fault = ArmedFault(
      .then { isKept.withLock { $0 = (try? FolderLock(folder, exclusive: true)) == nil } }, of: [.write],
      below: night.folder("scratch"))
    #expect(try await night.drill().hasPassed)
    fault.disarm()
    #expect(isKept.withLock { $0 })
    night.job.lockWait = 0
    night.context.exitCode = { $0 is FileLock.Busy ? 11 : 1 }
    let lock = try FolderLock(folder, exclusive: true)
    #expect(try await night.drill().exitCode == 11)
    withExtendedLifetime(lock) {}
    #expect(try night.statusFile().copies.allSatisfy { $0.health.isSuspect == false })
  }

  @Test("Restore test: a cancellation during a hook is not a failure")
  func cancellationDuringHook() async throws {
    var night = try Night()
    let begun = try night.pipe("begun")
    night.job.hooks.before = "echo > '\(begun)'; sleep 600"
    night.job.hooks.onFailure = "touch '\(night.folder("hook-output"))'"
    let drill = Work.restoreTest(night.job, night.context)
    await night.hear(begun)
    drill.cancel()
    #expect(try await drill.summary.run.outcome == .interrupted)
    #expect(night.context.state.status(of: "family").restoreTestFailure == nil)
    #expect(!FileManager.default.fileExists(atPath: night.folder("hook-output").string))
  }

  /// The hook gets the exit code of the command.
  @Test("Restore test: a corrupt photo of the library runs the failure hook")
  func corruptPhotoOfLibrary() async throws {
    var night = try Night()
    night.job.hooks.onFailure = "env > '\(night.folder("hook-output"))'"
    _ = try await night.backup()
    let photo = try #require(try night.library.contents.photos.first)
    try night.damage(night.library.file(of: photo).string, keepsDate: true)
    let report = try await night.drill()
    #expect(report.hasPassed)
    #expect(report.exitCode == 4)
    #expect(report.run.outcome == .incomplete)
    #expect(night.context.ledger.history().first?.outcome == .incomplete)
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_OUTCOME=incomplete\n"))
    #expect(hookOutput.contains("SMILEPILE_EXIT_CODE=4\n"))
    #expect(hookOutput.contains("SMILEPILE_TASK=drill\n"))
    #expect(hookOutput.contains("SMILEPILE_MISSING=0\n"))
  }

  @Test("Restore test: a failed hook finally makes the test incomplete, and runs on-failure")
  func failedFinallyHook() async throws {
    var night = try await Night.afterBackup()
    night.job.hooks.finally = "exit 7"
    night.job.hooks.onFailure = "echo $SMILEPILE_OUTCOME >> '\(night.folder("hook-output"))'"
    let report = try await night.drill()
    #expect(report.hasPassed)
    #expect(report.exitCode == 3)
    #expect(report.errors.count == 1)
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput == "incomplete\n")
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == true)
    #expect(night.context.ledger.history().first?.outcome == .incomplete)
  }

  @Test("Restore test: a failed hook before is recorded as the reason why there is no result")
  func failedBeforeHook() async throws {
    var night = try await Night.afterBackup()
    #expect(try await night.drill().hasPassed)
    night.job.hooks.before = "exit 7"
    let report = try await night.drill()
    #expect(report.run.outcome == .failed)
    #expect(report.results.isEmpty)
    #expect(try night.statusFile().restoreTestFailure == report.errors.first)
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == true)
    #expect(night.context.ledger.history().first?.outcome == .failed)
    night.job.hooks.before = nil
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().restoreTestFailure == nil)
  }

  @Test("Restore test: the hook after does not run")
  func afterHook() async throws {
    var night = try await Night.afterBackup()
    night.job.hooks.after = "touch '\(night.folder("hook-output"))'"
    #expect(try await night.drill().exitCode == 0)
    #expect(!FileManager.default.fileExists(atPath: night.folder("hook-output").string))
  }

  @Test("Restore test: a test that finds another one in progress runs no hook and is not recorded")
  func concurrentTest() async throws {
    var night = try Night()
    night.job.hooks.onFailure = "touch '\(night.folder("hook-output"))'"
    let lock = try FileLock("family.drill.lock", in: Directory.open(night.folder("state")), exclusive: true)
    let drilled = night
    await #expect(throws: JobError.self) { try await drilled.drill() }
    withExtendedLifetime(lock) {}
    #expect(!FileManager.default.fileExists(atPath: night.folder("hook-output").string))
    #expect(night.context.ledger.history().isEmpty)
  }

  /// A hook that unmounts the disk after the restore test would interrupt the backup.
  @Test("Restore test: a job with hooks is not tested during its backup")
  func concurrentBackup() async throws {
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
    #expect(try await night.drill().hasPassed)
  }
}
