import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite struct JobRunTests {
  @Test func theCopyOnADiskThatIsAwayAges() async throws {
    var night = try Night()
    _ = try await night.backup()
    let copies = try night.statusFile().copies
    #expect(copies.count == 2)
    try FileManager.default.moveItem(
      atPath: night.folder("two").string, toPath: night.folder("two-away").string)
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    _ = try await night.backup()
    let now = try night.statusFile().copies
    var away = copies[1]
    away.isOutOfReach = true
    #expect(now.count == 2 && now[1] == away && now[0].madeAt == night.context.now().milliseconds)
    #expect(try night.prometheus().contains("destination=\"\(night.folder("two"))\"} 1767319200"))

    // one that is no longer of the job is forgotten
    night.job.destinations.removeLast()
    _ = try await night.backup()
    #expect(try night.statusFile().copies.map(\.path) == [night.folder("one").string])
  }

  /// Copies that lie where they lay are within reach, though a run did not get to look at them.
  @Test func aRunThatFailsEarlySaysNothingOfTheCopies() async throws {
    var night = try Night()
    _ = try await night.backup()
    let copies = try night.statusFile().copies
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    #expect(try night.statusFile().copies == copies)
    let metrics = try night.prometheus()
    #expect(metrics.contains(/copy_reachable\{.+\} 1\n/) && !metrics.contains(/copy_reachable\{.+\} 0\n/))
    // nor does it know how many photos there are
    #expect(!metrics.contains("smilepile_backup_photos") && !metrics.contains("backup_missing_photos"))
  }

  /// Two computers, each with a job of the example's name, and one folder for both.
  @Test func archivesOfAnotherLibraryAreNotTheJobs() async throws {
    let (mine, others) = (try Night(), try Night())
    var other = others.job
    other.destinations = mine.job.destinations
    _ = try await mine.backup()
    var context = others.context
    context.now = { mine.context.now().addingTimeInterval(30) }
    #expect(try await Work.backup(other, context).summary.run.outcome == .done)
    #expect(try mine.archives("one").count == 2)
    var later = mine
    later.on(day: 2)
    #expect(try await later.backup().outcome == .unchanged)
    #expect(try await later.drill().isProven)
  }

  /// By another name it is the same library; in another folder another one, of which nothing is known.
  @Test func whatIsKnownIsOfOneLibrary() async throws {
    var night = try Night()
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    let before = try night.statusFile()
    let link = night.folder("link")
    try FileManager.default.createSymbolicLink(
      atPath: link.string, withDestinationPath: night.library.path.string)
    night.job.library = link
    #expect(try await night.drill().isProven)
    let linked = try night.statusFile()
    #expect(linked.libraryID == before.libraryID && linked.lastRestoreTest?.round == 2)
    #expect(linked.libraryID != nil && linked.copies.map(\.archive) == before.copies.map(\.archive))
    let other = try SampleLibrary()
    night.job.library = other.path
    night.on(day: 2)
    // while nothing of it is backed up, what is known is of the first
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    #expect(try night.statusFile().copies.map(\.archive) == before.copies.map(\.archive))
    night.job.hooks.before = nil
    let report = try await night.drill()
    #expect(
      report.exitCode == 4 && report.warnings.contains { $0.contains("is another library than the one") })
    #expect(try night.statusFile().lastRestoreTest == linked.lastRestoreTest)
    _ = try await night.backup()
    let after = try night.statusFile()
    #expect(after.lastProvenAt == nil && after.copies.allSatisfy { $0.madeAt > before.copies[0].madeAt })
    #expect(after.library == other.path.string && after.lastRestoreTest == nil)
  }

  /// Before anything is backed up there is no library that another could stand in the place of.
  @Test func nothingIsMissedOfALibraryThatNobodyBackedUp() async throws {
    var night = try Night()
    #expect(try await night.drill().exitCode == 4)
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    let other = try SampleLibrary()
    night.job.library = other.path
    night.job.hooks.before = nil
    let report = try await night.drill()
    #expect(!report.warnings.contains { $0.contains("another library") })
    #expect(try night.statusFile().lastRestoreTest?.round == 2)
    try night.remove(other.path.string)
    try FileManager.default.copyItem(atPath: night.library.path.string, toPath: other.path.string)
    let run = try await night.backup()
    #expect(run.outcome == .done && run.message == nil)
    #expect(try night.statusFile().library == other.path.string)
  }

  /// Its number tells that it is the same.
  @Test func aLibraryThatWasMovedKeepsItsProof() async throws {
    var night = try Night()
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    let before = try night.statusFile()
    let place = night.folder("moved")
    try FileManager.default.moveItem(atPath: night.library.path.string, toPath: place.string)
    night.job.library = place
    night.on(day: 2)
    #expect(try await night.backup().outcome == .unchanged)
    let after = try night.statusFile()
    #expect(after.library == place.string && after.lastProvenAt == before.lastProvenAt)
    #expect(after.lastRestoreTest == before.lastRestoreTest && after.lastProvenAt != nil)
  }

  /// What is known of the job's own stays.
  @Test func anotherLibraryForOnceChangesNothingThatIsKnown() async throws {
    let night = try Night()
    _ = try await night.backup()
    let before = try night.statusFile()
    let library = try SampleLibrary()
    var other = night.job
    (other.library, other.isOtherLibrary) = (library.path, true)
    let run = try await Work.backup(other, night.context).summary.run
    #expect(run.outcome == .done && run.warnings.contains { $0.contains("the job's status does not change") })
    #expect(!run.warnings.contains { $0.contains("was interrupted") })
    var options = RestoreTestOptions()
    options.scratch = try night.scratch.makeFolder("scratch")
    _ = try await Work.restoreTest(other, night.context, options: options).summary
    // one that fails, and one that could not begin
    other.hooks.before = "false"
    #expect(try await Work.backup(other, night.context).summary.run.outcome == .failed)
    other.lockWait = 0
    let lock = try FileLock("family.lock", in: Directory.open(night.folder("state")), exclusive: true)
    await #expect(throws: JobError.self) { _ = try await Work.backup(other, night.context).summary }
    lock.release()
    #expect(try night.statusFile() == before && night.context.state.status(of: "family") == before)
    #expect(try await night.backup().outcome == .unchanged)
  }

  /// A library that was copied has the number of the first, and what goes of its archives would be missed there.
  @Test func anotherLibraryForOnceIsNotPruned() async throws {
    var night = try Night("retention: {keep-last: 1}")
    let copy = night.folder("copy")
    try FileManager.default.copyItem(atPath: night.library.path.string, toPath: copy.string)
    try night.changeLibrary(id: 7)
    _ = try await night.backup()
    var other = night.job
    (other.library, other.isOtherLibrary) = (copy, true)
    night.on(day: 2)
    let run = try await Work.backup(other, night.context).summary.run
    #expect(run.outcome == .done && run.destinations.allSatisfy(\.removed.isEmpty))
    #expect(try night.archives("one").map(\.photos) == [7, 6])
  }

  /// What is known nowhere is not known of another one either.
  @Test func anotherLibraryForOnceIsNotTheJobsFirst() async throws {
    let night = try Night()
    var other = night.job
    let library = try SampleLibrary()
    (other.library, other.isOtherLibrary) = (library.path, true)
    #expect(try await Work.backup(other, night.context).summary.run.outcome == .done)
    #expect(try night.names("state").filter { $0.hasSuffix(".json") } == [])
    #expect(!FileManager.default.fileExists(atPath: night.folder("status.json").string))
  }

  /// Somebody made a new library where the old one was: one night says so, and the archives of the old one stay.
  @Test func anotherLibraryInThePlaceOfTheFirstIsSaid() async throws {
    var night = try Night()
    night.job.retention = RetentionPolicy()
    night.job.retention?.last = 1
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    let other = try SampleLibrary()
    try night.remove(night.library.path.string)
    try FileManager.default.copyItem(atPath: other.path.string, toPath: night.library.path.string)
    // a night that fails does not hide it
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    night.job.hooks.before = nil
    // a drill does not take it for the job's
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().lastRestoreTest?.isProven == true)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(
      run.outcome == .incomplete && run.message?.contains("is another library than in the run before") == true
    )
    let status = try night.statusFile()
    #expect(status.lastProvenAt == nil && status.lastRestoreTest == nil && status.lastSuccess == nil)
    #expect(try await night.drill().isProven)
    night.on(day: 3)
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try night.archives("one").map(\.photos) == [6, other.contents.photos.count])
  }

  /// What a run copied before it was cut off may have rotten since.
  @Test func aCopyThatIsThereIsReadBeforeItCounts() async throws {
    var night = try Night()
    let parts = try await night.exportSet(to: "one")
    for part in parts.dropLast() {
      let name = try #require(part.lastComponent).string
      try FileManager.default.copyItem(
        atPath: part.string, toPath: night.folder("two").appending(name).string)
    }
    let rotten = try #require(try night.archives("two").first).path
    try night.damage(rotten)
    let run = try await night.backup()
    #expect(run.outcome == .done && !run.destinations[1].archives.contains(rotten))
    #expect(try await night.drill().isProven)
  }

  @Test func whatIsNotWholeIsNoCopy() async throws {
    var night = try Night()
    // a set of a computer whose clock is a little ahead, of which a part is gone
    let moment = night.context.now()
    night.context.now = { moment + 30 }
    let set = try await night.exportSet(to: "one")
    try night.remove(set[2].string)
    night.context.now = { moment }
    let run = try await night.backup()
    #expect(run.outcome == .done && set.map(\.string).contains(run.archives[0]) == false)
    let copies = try night.statusFile().copies
    #expect(copies[0].archive == run.archives[0] && copies[0].madeAt == moment.milliseconds)
  }

  @Test func hooksReadHowTheRunEnded() async throws {
    var night = try Night()
    night.job.hooks.after = "cp \"$SMILEPILE_STATUS_FILE\" '\(night.folder("after.json"))'"
    night.job.hooks.finally = "cp '\(night.folder("family.prom"))' '\(night.folder("finally.prom"))'; exit 7"
    _ = try await night.backup()
    let read = try Night.status(in: night.folder("after.json"))
    #expect(read.run?.outcome == .done && read.run?.finishedAt != nil && read.copies.count == 2)
    // whoever is killed now has not come to the end
    #expect(read.run?.hook == "after" && read.lastSuccess == nil)
    let metrics = try String(contentsOfFile: night.folder("finally.prom").string, encoding: .utf8)
    #expect(metrics.contains("smilepile_backup_last_exit_code{job_name=\"family\"} NaN\n"))
    #expect(!metrics.contains("last_success"))
    // a hook that failed then made it another end
    let last = try night.statusFile()
    #expect(last.run?.outcome == .incomplete && last.failures == 1 && last.lastSuccess == nil)
    #expect(last.run?.hook == nil)
  }

  /// Whoever is told of failures hears of that of the last hook, too.
  @Test func aLastHookThatFailsIsToldOf() async throws {
    let night = try Night("hooks: {finally: exit 3}")
    var job = night.job
    job.hooks.onFailure = "echo $SMILEPILE_OUTCOME >> '\(night.folder("told"))'"
    #expect(try await Work.backup(job, night.context).summary.run.outcome == .incomplete)
    #expect(try String(contentsOfFile: night.folder("told").string, encoding: .utf8) == "incomplete\n")
    #expect(try night.statusFile().failures == 1 && night.statusFile().run?.hook == nil)
  }

  @Test("Backup: a ledger of a newer version is left unchanged, and nothing is begun")
  func newerLedger() async throws {
    let night = try Night()
    _ = try await night.backup()
    let path = night.folder("state/ledger.sqlite")
    // https://www.sqlite.org/fileformat2.html#the_database_header: user version at byte 60
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
    try file.seek(toOffset: 60)
    try file.write(contentsOf: [0, 0, 0, 99])
    try file.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path.string))
    var other = night
    other.context.state = StateFolder(path: night.folder("state"))
    await #expect(throws: JobError.newerLedger(.newerVersion(path))) { try await other.backup() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path.string)) == before)
    #expect(try night.archives("one").count == 1)
  }

  @Test("Backup: a corrupt ledger is reported once, and makes one run incomplete")
  func corruptLedger() async throws {
    let night = try Night()
    _ = try await night.backup()
    try Data("no database".utf8).write(to: URL(fileURLWithPath: night.folder("state/ledger.sqlite").string))
    var other = night
    other.context.state = StateFolder(path: night.folder("state"))
    let run = try await other.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.exitCode == 3)
    #expect(run.message?.contains("ledger.sqlite.corrupt-") == true)
    other.context.state = StateFolder(path: night.folder("state"))
    let next = try await other.backup()
    #expect(next.outcome == .unchanged)
    #expect(!next.warnings.contains { $0.contains("corrupt") })
    #expect(try night.archives("one").count == 1)
  }

  /// They could not count themselves.
  @Test func runsThatWereKilledAreFailures() async throws {
    let night = try Night()
    _ = try await night.backup()
    func cutShort(_ change: (inout JobStatus.RunRecord) -> Void) {
      var run = JobStatus.RunRecord(startedAt: night.context.now().milliseconds)
      change(&run)
      var entry = RunEntry(run, of: "family", library: night.library.path)
      entry.hook = run.hook
      night.context.ledger.insert(&entry)
    }
    cutShort { _ in }
    var failing = night
    failing.job.hooks.before = "false"
    let run = try await failing.backup()
    #expect(run.warnings.contains { $0.contains("was killed; ") })
    #expect(try night.statusFile().failures == 2)
    cutShort { ($0.outcome, $0.hook) = (.done, "after") }
    let next = try await failing.backup()
    #expect(next.warnings.contains { $0.contains("was killed during its hook “after”") })
    #expect(try night.statusFile().failures == 4)
    cutShort { ($0.outcome, $0.hook) = (.failed, "on-failure") }
    let last = try await failing.backup()
    #expect(last.warnings.contains { $0.contains("was killed during its hook “on-failure”; check") })
    #expect(try night.statusFile().failures == 6)
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try night.statusFile().failures == 0)
  }

  /// What is gone is no copy, though the run was stopped before its end.
  @Test func whatWasPrunedBeforeAnInterruptionIsNoCopy() async throws {
    var night = try Night("retention: {keep-last: 1}")
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let work = Mutex<Work<JobReport>?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    let old = try #require(night.archives("one").first)
    let fault = ArmedFault(
      Fault(
        .then {
          isStarted.wait()
          work.withLock { $0?.cancel() }
        }, of: .only([.unlink]), below: FilePath(old.path)))
    defer { fault.disarm() }
    let started = Work.backup(night.job, night.context)
    work.withLock { $0 = started }
    isStarted.signal()
    #expect(try await started.summary.run.outcome == .interrupted)
    #expect(fault.place != nil)
    let copy = try night.statusFile().copies[0]
    #expect(copy.archive != old.path && copy.isThere)
  }

  @Test func aDrillAmidARunIsRemembered() async throws {
    var night = try Night()
    _ = try await night.backup()
    night.on(day: 2)
    let (begun, drilled) = (try night.pipe("begun"), try night.pipe("drilled"))
    night.job.hooks.after = "echo > '\(begun)'; read line < '\(drilled)'"
    try night.changeLibrary(id: 7)
    let (job, context) = (night.job, night.context)
    async let run = Work.backup(job, context).summary.run
    await night.hear(begun)
    let report = try await night.drill()
    await night.answer(drilled)
    #expect(report.isProven)
    #expect(try night.prometheus().contains("smilepile_restore_test_proven{job_name=\"family\"} 1"))
    #expect(try await run.outcome == .done)
    #expect(context.state.status(of: "family").lastRestoreTest?.isProven == true)
    #expect(try night.statusFile() == context.state.status(of: "family"))
  }

  @Test func anInterruptionSaysWhatIsThere() async throws {
    var night = try Night()
    // the archive lies at the first destination when the second gets its own
    let work = Mutex<Work<JobReport>?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    let fault = ArmedFault(
      Fault(
        .then {
          isStarted.wait()
          work.withLock { $0?.cancel() }
        }, of: .only([.write]), below: night.folder("two")))
    defer { fault.disarm() }
    night.context.exitCode = { _ in 130 }
    let started = Work.backup(night.job, night.context)
    work.withLock { $0 = started }
    isStarted.signal()
    let run = try await started.summary.run
    let archive = try #require(try night.archives("one").first)
    #expect(run.outcome == .interrupted && run.exitCode == 130)
    #expect(run.message == "stopped; the library is backed up in \(archive.path)")
    #expect(try night.names("two") == [])
  }
}
