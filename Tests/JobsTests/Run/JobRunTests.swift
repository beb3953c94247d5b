import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import GRDB
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite struct JobRunTests {
  @Test("Status file: the copy at a missing destination is kept as out of reach")
  func unreachableCopy() async throws {
    var night = try await Night.afterBackup()
    let copies = try night.statusFile().copies
    #expect(copies.count == 2)
    try night.move("two", to: "two-away")
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    let now = try night.statusFile().copies
    var away = copies[1]
    away.reachability = .unreachable
    try #require(now.count == 2)
    #expect(now[1] == away)
    #expect(now[0].madeAt == Timestamp(night.context.now()))
    #expect(try night.prometheus().contains("destination=\"\(night.folder("two"))\"} 1767319200"))
  }

  @Test("Status file: a copy at a destination that the job no longer has is forgotten")
  func formerDestination() async throws {
    var night = try await Night.afterBackup()
    night.job.destinations.removeLast()
    _ = try await night.backup()
    #expect(try night.statusFile().copies.map(\.path) == [night.folder("one").string])
  }

  /// Copies stay within reach, though the run did not check them.
  @Test("Status file: a run that fails in its before hook leaves the copies unchanged")
  func earlyFailure() async throws {
    var night = try await Night.afterBackup()
    let copies = try night.statusFile().copies
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    #expect(try night.statusFile().copies == copies)
    let metrics = try night.prometheus()
    #expect(metrics.contains(/copy_reachable\{.+\} 1\n/))
    #expect(!metrics.contains(/copy_reachable\{.+\} 0\n/))
    // the run did not count the photos
    #expect(!metrics.contains("smilepile_backup_photos"))
    #expect(!metrics.contains("backup_missing_photos"))
  }

  /// Two computers may both use the job name of the example.
  @Test("Backup: jobs of two libraries with the same name can share a destination")
  func sharedDestination() async throws {
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
    #expect(try await later.drill().hasPassed)
  }

  @Test("Status file: a symbolic link to the library is the same library")
  func linkedLibrary() async throws {
    var night = try await Night.afterBackup()
    #expect(try await night.drill().hasPassed)
    let before = try night.statusFile()
    try night.scratch.link("link", to: night.library.path.string)
    night.job.library = night.folder("link")
    #expect(try await night.drill().hasPassed)
    let linked = try night.statusFile()
    #expect(linked.libraryID != nil)
    #expect(linked.libraryID == before.libraryID)
    #expect(linked.lastRestoreTest?.round == 2)
    #expect(linked.copies.map(\.archive) == before.copies.map(\.archive))
  }

  /// Returns a job that was backed up and tested, and has another library since.
  private func changedLibrary() async throws -> (Night, before: JobStatus) {
    var night = try await Night.afterBackup()
    #expect(try await night.drill().hasPassed)
    let before = try night.statusFile()
    try Library.create(at: night.folder("other"))
    night.job.library = night.folder("other")
    night.on(day: 2)
    return (night, before)
  }

  @Test("Status file: until the job's other library is backed up, the copies are those of the former one")
  func failedBackupOfChangedLibrary() async throws {
    let (changed, before) = try await changedLibrary()
    var night = changed
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    #expect(try night.statusFile().copies.map(\.archive) == before.copies.map(\.archive))
  }

  @Test(
    "Restore test: archives of another library than the job's are damage, and the status keeps the last test")
  func testOfChangedLibrary() async throws {
    let (night, before) = try await changedLibrary()
    let report = try await night.drill()
    #expect(report.exitCode == 4)
    #expect(report.errors.contains { $0.contains("the last backup of the job was of another library") })
    let text = try String(contentsOfFile: #require(report.test?.path).string, encoding: .utf8)
    #expect(text.contains("was of another library"))
    #expect(night.context.ledger.history().first?.run.job == nil)
    #expect(try night.statusFile().lastRestoreTest == before.lastRestoreTest)
  }

  @Test("Status file: the backup of another library resets it")
  func backupOfChangedLibrary() async throws {
    let (night, before) = try await changedLibrary()
    _ = try await night.backup()
    let after = try night.statusFile()
    #expect(after.lastPassedTestAt == nil)
    #expect(after.copies.allSatisfy { $0.madeAt > before.copies[0].madeAt })
    #expect(after.library == night.folder("other").string)
    #expect(after.lastRestoreTest == nil)
  }

  @Test("Backup: a library replaced before the first backup is not reported")
  func changedBeforeFirstBackup() async throws {
    var night = try Night()
    #expect(try await night.drill().exitCode == 4)
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    let other = try SampleLibrary()
    night.job.library = other.path
    night.job.hooks.before = nil
    let report = try await night.drill()
    #expect(!report.errors.contains { $0.contains("another library") })
    #expect(try night.statusFile().lastRestoreTest?.round == 2)
    try night.remove(other.path.string)
    try FileManager.default.copyItem(atPath: night.library.path.string, toPath: other.path.string)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(run.message == nil)
    #expect(try night.statusFile().library == other.path.string)
  }

  /// The library ID identifies the library.
  @Test("Status file: a moved library keeps the results of its restore tests")
  func movedLibrary() async throws {
    var night = try await Night.afterBackup()
    #expect(try await night.drill().hasPassed)
    let before = try night.statusFile()
    let moved = night.folder("moved")
    try FileManager.default.moveItem(atPath: night.library.path.string, toPath: moved.string)
    night.job.library = moved
    #expect(try await night.backup(day: 2).outcome == .unchanged)
    let after = try night.statusFile()
    #expect(after.library == moved.string)
    #expect(after.lastPassedTestAt == before.lastPassedTestAt)
    #expect(after.lastRestoreTest == before.lastRestoreTest)
    #expect(after.lastPassedTestAt != nil)
  }

  @Test("Status file: runs with another library than the job's do not change it")
  func otherLibrary() async throws {
    let night = try await Night.afterBackup()
    let before = try night.statusFile()
    let library = try SampleLibrary()
    var other = night.job
    (other.library, other.usesOtherLibrary) = (library.path, true)
    let run = try await Work.backup(other, night.context).summary.run
    #expect(run.outcome == .done)
    #expect(run.warnings.contains { $0.contains("the job's status does not change") })
    #expect(!run.warnings.contains { $0.contains("was interrupted") })
    _ = try await night.drill(other)
    // a run that fails, and a run that cannot start
    other.hooks.before = "false"
    #expect(try await Work.backup(other, night.context).summary.run.outcome == .failed)
    other.lockWait = 0
    let lock = try FileLock("family.lock", in: Directory.open(night.folder("state")), exclusive: true)
    await #expect(throws: JobError.self) { _ = try await Work.backup(other, night.context).summary }
    lock.release()
    #expect(try night.statusFile() == before)
    #expect(night.context.state.status(of: "family") == before)
    #expect(try await night.backup().outcome == .unchanged)
  }

  /// A copied library has the library ID of the original, so that a prune would remove archives of the original.
  @Test("Prune: a run with another library than the job's removes no archive")
  func otherLibraryPrune() async throws {
    var night = try Night("retention: {keep-last: 1}")
    let copy = night.folder("copy")
    try FileManager.default.copyItem(atPath: night.library.path.string, toPath: copy.string)
    try night.changeLibrary(id: 7)
    _ = try await night.backup()
    var other = night.job
    (other.library, other.usesOtherLibrary) = (copy, true)
    night.on(day: 2)
    let run = try await Work.backup(other, night.context).summary.run
    #expect(run.outcome == .done)
    #expect(run.destinations.allSatisfy { $0.removed.isEmpty })
    #expect(try night.archives("one").map(\.photos) == [7, 6])
  }

  @Test("Status file: a first run with another library than the job's writes none")
  func otherLibraryFirst() async throws {
    let night = try Night()
    var other = night.job
    let library = try SampleLibrary()
    (other.library, other.usesOtherLibrary) = (library.path, true)
    #expect(try await Work.backup(other, night.context).summary.run.outcome == .done)
    #expect(try night.names("state").filter { $0.hasSuffix(".json") } == [])
    #expect(!FileManager.default.fileExists(atPath: night.folder("status.json").string))
  }

  @Test("Backup: a new library at the same path is reported once; old archives are kept")
  func replacedLibrary() async throws {
    var night = try Night()
    night.job.retention = RetentionPolicy(last: 1)
    _ = try await night.backup()
    #expect(try await night.drill().hasPassed)
    let other = try SampleLibrary()
    try night.remove(night.library.path.string)
    try FileManager.default.copyItem(atPath: other.path.string, toPath: night.library.path.string)
    // a failed run does not suppress the report
    night.job.hooks.before = "false"
    #expect(try await night.backup().outcome == .failed)
    night.job.hooks.before = nil
    // a restore test refuses the new library
    #expect(try await night.drill().exitCode == 4)
    #expect(try night.statusFile().lastRestoreTest?.hasPassed == true)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .incomplete)
    #expect(run.message?.contains("is not the library of the previous run") == true)
    let status = try night.statusFile()
    #expect(status.lastPassedTestAt == nil)
    #expect(status.lastRestoreTest == nil)
    #expect(status.lastSuccess == nil)
    #expect(try await night.drill().hasPassed)
    #expect(try await night.backup(day: 3).outcome == .unchanged)
    #expect(try night.archives("one").map(\.photos) == [6, other.contents.photos.count])
  }

  @Test("Backup: a corrupt copy that an interrupted run left is not counted")
  func corruptCopy() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one")
    for part in parts.dropLast() {
      let name = try #require(part.lastComponent).string
      try FileManager.default.copyItem(
        atPath: part.string, toPath: night.folder("two").appending(name).string)
    }
    let corrupt = try #require(try night.archives("two").first).path
    try night.damage(corrupt)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(!run.destinations[1].archives.contains(corrupt))
    #expect(try await night.drill().hasPassed)
  }

  @Test("Backup: a set with a missing part is not counted as a copy")
  func incompleteSet() async throws {
    var night = try Night()
    // another computer, whose clock is 30 seconds ahead, made the set; one part is missing
    let moment = night.context.now()
    night.context.now = { moment + 30 }
    let set = try await night.exportSet(to: "one")
    try night.remove(set[2].string)
    night.context.now = { moment }
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(set.map(\.string).contains(run.archives[0]) == false)
    let copies = try night.statusFile().copies
    #expect(copies[0].archive == run.archives[0])
    #expect(copies[0].madeAt == Timestamp(moment))
  }

  @Test("Hooks: after and finally see the current run in the status and metrics files")
  func hooksReadStatus() async throws {
    var night = try Night()
    night.job.hooks.after = "cp \"$SMILEPILE_STATUS_FILE\" '\(night.folder("after.json"))'"
    night.job.hooks.finally = "cp '\(night.folder("family.prom"))' '\(night.folder("finally.prom"))'; exit 7"
    _ = try await night.backup()
    let read = try StatusFile(night.folder("after.json"))
    #expect(read.run?.outcome == .done)
    #expect(read.run?.finishedAt != nil)
    #expect(read.copies.count == 2)
    // a run that is killed during the hook is not a success
    #expect(read.run?.hook == "after")
    #expect(read.lastSuccess == nil)
    let metrics = try String(contentsOfFile: night.folder("finally.prom").string, encoding: .utf8)
    #expect(metrics.contains("smilepile_backup_last_exit_code{job_name=\"family\"} NaN\n"))
    #expect(!metrics.contains("last_success"))
    // the finally hook failed, which changed the outcome
    let last = try night.statusFile()
    #expect(last.run?.outcome == .incomplete)
    #expect(last.failures == 1)
    #expect(last.lastSuccess == nil)
    #expect(last.run?.hook == nil)
  }

  @Test("Hooks: on-failure runs after a failed finally hook")
  func failedFinallyHook() async throws {
    let night = try Night("hooks: {finally: exit 3}")
    var job = night.job
    job.hooks.onFailure = "echo $SMILEPILE_OUTCOME >> '\(night.folder("told"))'"
    #expect(try await Work.backup(job, night.context).summary.run.outcome == .incomplete)
    #expect(try String(contentsOfFile: night.folder("told").string, encoding: .utf8) == "incomplete\n")
    #expect(try night.statusFile().failures == 1)
    #expect(try night.statusFile().run?.hook == nil)
  }

  @Test("Backup: a ledger of a newer version is refused and unchanged, and no archive is written")
  func newerLedger() async throws {
    let night = try await Night.afterBackup()
    let path = night.folder("state/ledger.sqlite")
    let queue = try DatabaseQueue(path: path.string)
    try await queue.writeWithoutTransaction {
      try $0.execute(sql: "CREATE TABLE later (id INTEGER); PRAGMA user_version = 99")
    }
    try queue.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path.string))
    var other = night
    other.context.state = StateFolder(path: night.folder("state"))
    await #expect(throws: JobError.newerLedger(.newerVersion(path))) { try await other.backup() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path.string)) == before)
    #expect(try night.archives("one").count == 1)
  }

  @Test("Backup: a corrupt ledger is reported once and makes one run incomplete")
  func corruptLedger() async throws {
    let night = try await Night.afterBackup()
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

  @Test("Backup: a status file that cannot be written is reported besides a corrupt ledger")
  func corruptLedgerAndUnwritableStatus() async throws {
    let night = try Night()
    try Data("no database".utf8).write(to: URL(fileURLWithPath: night.folder("state/ledger.sqlite").string))
    try night.scratch.makeFolder("status.json")
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.warnings.count { $0.contains("ledger.sqlite.corrupt-") } == 1)
    #expect(run.warnings.count { $0.contains("/status.json") } == 1)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: night.folder("state/ledger.sqlite").string))
    var other = night
    other.context.state = StateFolder(path: night.folder("state"))
    let report = try await other.drill()
    #expect(report.errors.count { $0.contains("ledger.sqlite.corrupt-") } == 1)
    #expect(report.errors.count { $0.contains("/status.json") } == 1)
  }

  @Test("Backup: the next run reports a killed run and counts it as a failure")
  func killedRuns() async throws {
    let night = try await Night.afterBackup()
    func recordKilledRun(_ change: (inout JobStatus.RunRecord) -> Void) {
      var run = JobStatus.RunRecord(startedAt: Timestamp(night.context.now()))
      change(&run)
      var entry = LedgerRun(run, of: "family", library: night.library.path)
      entry.hook = run.hook
      night.context.ledger.insert(&entry)
    }
    recordKilledRun { _ in }
    var failing = night
    failing.job.hooks.before = "false"
    let run = try await failing.backup()
    #expect(run.warnings.contains { $0.contains("was killed; ") })
    #expect(try night.statusFile().failures == 2)
    recordKilledRun { ($0.outcome, $0.hook) = (.done, "after") }
    let next = try await failing.backup()
    #expect(next.warnings.contains { $0.contains("was killed during its hook “after”") })
    #expect(try night.statusFile().failures == 4)
    recordKilledRun { ($0.outcome, $0.hook) = (.failed, "on-failure") }
    let last = try await failing.backup()
    #expect(last.warnings.contains { $0.contains("was killed during its hook “on-failure”; check") })
    #expect(try night.statusFile().failures == 6)
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try night.statusFile().failures == 0)
  }

  @Test("Status file: an archive pruned before an interruption is not a copy")
  func prunedBeforeInterruption() async throws {
    var night = try await Night.afterBackup("retention: {keep-last: 1}")
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let old = try #require(night.archives("one").first)
    _ = try await night.backupCancelled(at: .unlink, below: FilePath(old.path))
    let copy = try night.statusFile().copies[0]
    #expect(copy.archive != old.path)
    #expect(copy.looksRestorable)
  }

  @Test("Prune: an interrupted run reports the archives that it removed")
  func interruptedPrune() async throws {
    var night = try Night("incremental: true")
    for day in 1...2 {
      _ = try await night.backup(day: day)
      try night.changeLibrary(id: Int64(6 + day))
    }
    let chain = try night.archives("one").map(\.path)
    night.job.maximumChainDepth = nil
    night.job.retention = RetentionPolicy(last: 1)
    night.on(day: 3)
    // the incremental archive is removed before its base
    let run = try await night.backupCancelled(at: .unlink, below: FilePath(chain[1]))
    #expect(run.destinations.map(\.removed) == [[chain[1]], []])
    #expect(try night.archives("one").map(\.path) == [chain[0]] + run.archives)
  }

  @Test(
    "Prune: a folder that cannot be flushed makes the run incomplete, and the removed archives are reported")
  func unflushedPrune() async throws {
    var night = try await Night.afterBackup(destinations: ["one"])
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    let old = try #require(night.archives("one").first).path
    night.job.retention = RetentionPolicy(last: 1)
    // the library is unchanged, so that only the prune flushes the folder
    let fault = ArmedFault(.error(.ioError), of: [.sync], persists: true, below: night.folder("one"))
    let run = try await night.backup()
    fault.disarm()
    #expect(fault.place != nil)
    #expect(run.outcome == .incomplete)
    #expect(run.destinations.map(\.removed) == [[old]])
  }

  @Test("Status file: an interrupted run records the copy that it has written")
  func copyBeforeInterruption() async throws {
    var night = try await Night.afterBackup()
    let first = try night.statusFile().copies
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    // the first destination has the archive when the copy to the second begins
    let run = try await night.backupCancelled(at: .write, below: night.folder("two"))
    let copies = try night.statusFile().copies
    #expect(copies.map(\.archive) == run.archives + [first[1].archive])
    #expect(copies.map(\.madeAt) == [Timestamp(night.context.now()), first[1].madeAt])
  }

  @Test("Report: an issue that makes the run incomplete is an error, and a warning is not")
  func severities() async throws {
    var night = try await Night.afterBackup()
    let other = try SampleLibrary()
    try night.remove(night.library.path.string)
    try FileManager.default.copyItem(atPath: other.path.string, toPath: night.library.path.string)
    night.job.hooks.finally = "false"
    night.on(day: 2)
    let report = try await Work.backup(night.job, night.context).summary
    #expect(report.run.outcome == .incomplete)
    // another library, and the failed hook
    #expect(report.errors.count == 2)
    #expect(report.run.message == report.errors.first)
    // the destinations are on the device of the library
    #expect(!report.warnings.isEmpty)
    #expect(Set(report.errors).isDisjoint(with: report.warnings))
    #expect(Set(report.errors + report.warnings) == Set(report.run.warnings))
  }

  @Test("Status file: a restore test during a backup is recorded")
  func testDuringRun() async throws {
    var night = try await Night.afterBackup()
    night.on(day: 2)
    let (begun, drilled) = (try night.pipe("begun"), try night.pipe("drilled"))
    night.job.hooks.after = "echo > '\(begun)'; read line < '\(drilled)'"
    try night.changeLibrary(id: 7)
    let (job, context) = (night.job, night.context)
    async let run = Work.backup(job, context).summary.run
    await night.hear(begun)
    let report = try await night.drill()
    await night.answer(drilled)
    #expect(report.hasPassed)
    #expect(try night.prometheus().contains("smilepile_restore_test_passed{job_name=\"family\"} 1"))
    #expect(try await run.outcome == .done)
    #expect(context.state.status(of: "family").lastRestoreTest?.hasPassed == true)
    #expect(try night.statusFile() == context.state.status(of: "family"))
  }

  @Test("Backup: an interrupted run reports the archive that it has published")
  func interruption() async throws {
    var night = try Night()
    night.context.exitCode = { _ in 130 }
    // the first destination has the archive when the copy to the second begins
    let run = try await night.backupCancelled(at: .write, below: night.folder("two"))
    let archive = try #require(try night.archives("one").first)
    #expect(run.exitCode == 130)
    #expect(run.message == "stopped; the library is backed up in \(archive.path)")
    #expect(try night.names("two") == [])
  }
}
