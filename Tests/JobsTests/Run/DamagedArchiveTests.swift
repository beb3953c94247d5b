import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Jobs whose archives at a destination are corrupt, truncated or missing.
@Suite struct DamagedArchiveTests {
  @Test("Backup: an unchanged library is backed up again if its archives are corrupt")
  func corruptArchives() async throws {
    var night = try await Night.afterBackup()
    #expect(try await night.backup().outcome == .unchanged)
    let old = try ["one", "two"].map { try night.archives($0)[0].path }
    for path in old { try night.damage(path) }
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .done)
    for path in old { #expect(run.warnings.contains { $0.hasPrefix("\(path) is damaged (") }) }
    for name in ["one", "two"] {
      #expect(try night.archives(name).count == 2)
    }
    #expect(try await night.drill().hasPassed)
    #expect(try night.statusFile().copies.map(\.archive).allSatisfy { !old.contains($0) })
  }

  @Test("Backup: a corrupt copy is replaced by a copy of the intact archive")
  func corruptCopy() async throws {
    let night = try await Night.afterBackup()
    let copy = try night.archives("two")[0].path
    try night.damage(copy)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(!run.destinations[0].isNew)
    #expect(run.destinations[1].isNew)
    #expect(try night.archives("one").count == 1)
    #expect(try night.archives("two").count == 2)
    #expect(try night.statusFile().copies[1].archive != copy)
  }

  @Test("Backup: a corrupt copy is suspect even if the run cannot write another")
  func corruptCopyOfFailedRun() async throws {
    var night = try Night()
    night.job.password = .command("unused")
    night.context.password = { _ in Secret("correct horse battery") }
    _ = try await night.backup()
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    // the export refuses to encrypt archives for phones
    night.job.splitsForPhones = true
    #expect(try await night.backup(day: 2).outcome == .failed)
    #expect(try night.statusFile().copies.map(\.health.isSuspect) == [true, true])
    #expect(try night.statusFile().copies.allSatisfy { $0.health.verifiedAt == nil })
  }

  @Test("Incremental backup: a corrupt archive is not used as the base")
  func corruptBase() async throws {
    var night = try await Night.afterBackup("incremental: true")
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    try night.changeLibrary(id: 7)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .done)
    #expect(try night.archives("one").map { $0.base == nil } == [true, true])
    #expect(try await night.drill().hasPassed)
  }

  @Test("Backup: a corrupt base that was never verified is reported and replaced by full archives")
  func corruptBaseDirectory() async throws {
    var night = try await Night.afterBackup("incremental: true", "verify: false")
    let old = try ["one", "two"].map { try night.archives($0)[0].path }
    for path in old {
      let directory = try #require(
        try Data(contentsOf: URL(fileURLWithPath: path)).firstRange(of: Data([0x50, 0x4B, 1, 2])))
      try night.damage(path, at: directory.lowerBound, keepsDate: true)
    }
    try night.changeLibrary(id: 7)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .done)
    #expect(run.destinations.map(\.isNew) == [true, true])
    for name in ["one", "two"] {
      let new = try #require(try night.archives(name).last { !old.contains($0.path) })
      #expect(new.base == nil)
    }
    #expect(run.warnings.contains { $0.hasPrefix("\(old[0]) is damaged (") })
  }

  /// The file has its old size and date, so that only the failed copy reveals the corruption.
  @Test("Backup: an archive that fails to be copied is reported as corrupt, then replaced")
  func failedCopy() async throws {
    var night = try await Night.afterBackup()
    let first = try night.archives("one")[0].path
    try night.damage(first, keepsDate: true)
    try night.remove(night.archives("two")[0].path)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .incomplete)
    #expect(run.warnings.contains { $0.hasPrefix("\(first) is damaged (") })
    let next = try await night.backup()
    #expect(next.outcome == .done)
    #expect(next.destinations.allSatisfy { $0.isNew })
  }

  /// The older archive may be the only one with the intact photo.
  @Test("Backup: a run with a missing or corrupt photo prunes nothing", arguments: [true, false])
  func incompleteRun(isMissing: Bool) async throws {
    var night = try await Night.afterBackup("retention: {keep-last: 1}")
    let path = try night.library.path.appending(#require(try night.library.contents.photos.first).path)
    if isMissing { try night.remove(path.string) } else { try night.damage(path.string) }
    try night.changeLibrary(id: 7)
    let run = try await night.backup(day: 2)
    #expect(run.outcome == .incomplete)
    #expect(run.missing.count == 1)
    #expect(run.warnings.contains { $0.hasPrefix("nothing was pruned") })
    #expect(try night.archives("one").count == 2)
  }

  @Test("Backup: an archive that is missing since the last run is reported once")
  func missingArchive() async throws {
    let night = try await Night.afterBackup()
    let missing = try night.archives("one")[0].path
    try night.remove(missing)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(
      run.warnings.filter { $0.hasPrefix("\(missing), which the run of ") }.contains {
        $0.hasSuffix(" is missing")
      })
    #expect(try await !night.backup().warnings.contains { $0.contains("the run of") })
  }

  @Test("Backup: an interrupted run is reported by the next run only")
  func interruptedRun() async throws {
    var night = try Night()
    let begun = try night.pipe("begun")
    night.job.hooks.before = "echo > '\(begun)'; sleep 600"
    let work = Work.backup(night.job, night.context)
    await night.hear(begun)
    work.cancel()
    let run = try await work.summary.run
    #expect(run.outcome == .interrupted)
    #expect(run.message?.hasPrefix("stopped") == true)
    night.job.hooks.before = nil
    let next = try await night.backup()
    #expect(next.outcome == .done)
    #expect(next.warnings.contains { $0.contains(/^the run of .*was interrupted: stopped/) })
    #expect(try await !night.backup().warnings.contains { $0.contains("the run of") })
  }

  /// Makes a job whose status file cannot be written.
  private func nightWithoutStatusFile() throws -> Night {
    let night = try Night()
    try night.scratch.makeFolder("status.json")
    return night
  }

  /// A program that watches the status file would take the old one for current.
  @Test("Status: a status file that cannot be written makes the run incomplete")
  func unwritableStatusFile() async throws {
    let night = try nightWithoutStatusFile()
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.exitCode == 3)
    #expect(run.warnings.count { $0.hasPrefix("the status of job family cannot be written") } == 1)
    #expect(try night.archives("one").count == 1)
  }

  @Test("Status: each run whose status file cannot be written counts as a failure, also one with a hook")
  func failuresWithoutStatusFile() async throws {
    var night = try nightWithoutStatusFile()
    for failures in 1...3 {
      // a run with a hook writes its status again after the hook
      night.job.hooks.after = failures == 3 ? "true" : nil
      #expect(try await night.backup().outcome == .incomplete)
      let status = night.context.state.status(of: "family")
      #expect(status.run?.outcome == .incomplete)
      #expect(status.failures == failures)
      #expect(status.lastSuccess == nil)
    }
  }

  @Test(
    "Status: if the status in the state folder cannot be written, the status file counts the failure once")
  func unwritableState() async throws {
    let night = try nightWithoutStatusFile()
    _ = try await night.backup()
    try night.scratch.remove("status.json")
    let state = night.context.state.statusPath(of: "family").string
    let kept = try Data(contentsOf: URL(fileURLWithPath: state))
    let fault = ArmedFault(.error(.noSpace), of: [.rename], persists: true, below: night.folder("state"))
    #expect(try await night.backup().outcome == .incomplete)
    fault.disarm()
    #expect(fault.place != nil)
    #expect((try? Data(contentsOf: URL(fileURLWithPath: state))) == kept)
    #expect(try night.statusFile().failures == 2)
  }

  @Test("Backup: a state folder that cannot be made is reported to hook and status file")
  func invalidStateFolder() async throws {
    var night = try await Night.afterBackup()
    let file = night.folder("file")
    try Data().write(to: URL(fileURLWithPath: file.string))
    night.context = JobEnvironment(
      state: StateFolder(environment: ["STATE_DIRECTORY": file.appending("state").string]),
      password: { _ in throw CancellationError() }, exitCode: { _ in 1 })
    night.job.hooks.onFailure = "env > '\(night.folder("hook-output"))'"
    do {
      _ = try await night.backup()
      Issue.record("the backup has not thrown an error")
    } catch let error as FileError {
      #expect(error.errno == .notDirectory, "\(error)")
    }
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_OUTCOME=failed\n"))
    #expect(try night.statusFile().failures == 1)
    // missing parent folders are made
    night.context.state = StateFolder(environment: ["STATE_DIRECTORY": night.folder("a/b/c").string])
    #expect(try await night.backup().outcome == .unchanged)
    #expect(night.context.state.path == night.folder("a/b/c"))
    #expect(try night.statusFile().failures == 0)
  }

  @Test("Restore test: a failure runs the hook and is in the status file")
  func failureHook() async throws {
    var night = try Night("hooks: {on-failure: 'env > hook-output'}")
    night.job.hooks.onFailure = "env > \(night.folder("hook-output"))"
    _ = try await night.backup()
    #expect(try await night.drill().hasPassed)
    #expect(!FileManager.default.fileExists(atPath: night.folder("hook-output").string))
    let passedAt = try #require(try night.statusFile().lastPassedTestAt)
    try night.damage(try night.archives("one")[0].path)
    night.on(day: 3)
    #expect(try await !night.drill().hasPassed)
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_HOOK=on-failure\n"))
    #expect(hookOutput.contains("SMILEPILE_EXIT_CODE=4\n"))
    let status = try night.statusFile()
    #expect(status.lastPassedTestAt == passedAt)
    #expect(status.lastRestoreTest?.hasPassed == false)
  }

  /// The clock of the older run was 30 seconds ahead.
  @Test("Prune: the new archive replaces an older one that has a later date")
  func newArchive() async throws {
    var night = try Night("retention: {keep-last: 1}")
    let now = night.context.now()
    night.context.now = { now.addingTimeInterval(30) }
    _ = try await night.backup()
    night.context.now = { now }
    try night.changeLibrary(id: 7)
    let run = try await night.backup()
    #expect(run.destinations.allSatisfy { $0.removed.count == 1 })
    #expect(run.archives.allSatisfy(FileManager.default.fileExists))
  }

  @Test("Prune: an archive with a photo that the newest lacks is kept")
  func completeArchive() async throws {
    var night = try await Night.afterBackup("retention: {keep-last: 1}")
    let first = try night.archives("one")[0].path
    try night.remove(
      night.library.path.appending(#require(try night.library.contents.photos.first).path).string)
    _ = try await night.backup(day: 2)
    var prune = PruneRun(
      folder: night.folder("one"), policy: try #require(night.job.retention), counter: ProgressCounter())
    prune.now = night.context.now()
    #expect(try prune.run().removed.isEmpty)
    #expect(FileManager.default.fileExists(atPath: first))
  }

  /// The base would be copied to every destination, and the retention policy of the job would never remove it there.
  @Test("Incremental backup: an archive without the job's tag is not used as the base")
  func manualArchive() async throws {
    var night = try await Night.afterBackup("incremental: true")
    let first = try #require(try night.archives("one").first)
    var options = night.job.exportOptions
    options.tags = []
    options.isIncremental = false
    options.date = night.context.now().addingTimeInterval(60)
    _ = try await Work.export(night.library.path, to: night.folder("one"), options: options).summary
    try night.changeLibrary(id: 7)
    #expect(try await night.backup(day: 2).outcome == .done)
    #expect(try night.archives("one").last?.base?.archiveID == first.archiveID)
    #expect(try night.archives("two").map(\.date) == [first.date, Timestamp(night.context.now())])
    #expect(try await night.drill().hasPassed)
  }

  /// The newest archive lacks a photo, so that the older one counts as the copy.
  @Test("Backup: an older archive that counts as the copy is re-verified if it changed")
  func changedOlderCopy() async throws {
    var night = try await Night.afterBackup()
    let first = try night.archives("one")[0].path
    let photo = try #require(try night.library.contents.photos.first)
    try night.remove(night.library.file(of: photo).string)
    _ = try await night.backup(day: 2)
    #expect(try night.statusFile().copies.map(\.archive).first == first)
    try night.damage(first)
    let run = try await night.backup(day: 3)
    #expect(run.warnings.contains { $0.hasPrefix("\(first) is damaged (") })
    let copy = try #require(try night.statusFile().copies.first)
    #expect(copy.archive != first)
    #expect(copy.missingPhotos == 1)
  }

  @Test(
    "Backup: a truncated archive is reported every night",
    arguments: ["", "retention: {keep-last: 2}", "incremental: true"])
  func truncatedArchive(_ line: String) async throws {
    var night = try await Night.afterBackup(line)
    let first = try night.archives("one")[0].path
    try #require(truncate(first, 5000) == 0)
    for day in 2...3 {
      let run = try await night.backup(day: day)
      let reports = run.warnings.filter { $0.hasPrefix(first) && $0.hasSuffix("; the file may be a backup") }
      #expect(reports.count == 1, "\(run.warnings)")
    }
  }

  @Test("Backup: copies that failed a restore test are replaced, even without verification")
  func failedRestoreTest() async throws {
    var night = try await Night.afterBackup("verify: false")
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try await !night.drill().hasPassed)
    let copies = try night.statusFile().copies
    #expect(!copies.contains { !$0.health.isSuspect })
    #expect(copies.compactMap(\.health.verifiedAt) == [])
    #expect(try await night.backup(day: 2).outcome == .done)
    #expect(try await night.drill().hasPassed)
  }

  /// The archives that depend on the corrupt one can be restored with the archive that replaces it.
  @Test("Incremental backup: a corrupt archive in a chain is replaced, and pruning continues")
  func corruptChainMember() async throws {
    var night = try Night("incremental: true", "retention: {keep-last: 2}")
    for day in 1...3 {
      _ = try await night.backup(day: day)
      try night.changeLibrary(id: Int64(6 + day))
    }
    try night.damage(try night.archives("one")[1].path)
    for day in 4...6 {
      let run = try await night.backup(day: day)
      #expect(run.outcome == .done, "\(run.warnings)")
      #expect(!run.warnings.contains { $0.contains("nothing is removed") }, "\(run.warnings)")
      #expect(try await night.drill().hasPassed)
      try night.changeLibrary(id: Int64(6 + day))
    }
    #expect(
      try night.statusFile().copies.map(\.madeAt)
        == [night.context.now(), night.context.now()].map(Timestamp.init))
  }

  /// Only reading reveals the corruption. The next run chooses another base.
  @Test("Backup: a corrupt base that pruning finds makes the run incomplete")
  func corruptionFoundByPrune() async throws {
    var night = try Night()
    for day in 1...2 {
      _ = try await night.backup(day: day)
      try night.changeLibrary(id: Int64(6 + day))
    }
    for base in try ["one", "two"].map({ try #require(try night.archives($0).last?.path) }) {
      try night.damage(base, keepsDate: true)
    }
    let intact = try night.archives("one")[0]
    night.job.maximumChainDepth = 7
    night.job.retention = RetentionPolicy(last: 1)
    let run = try await night.backup(day: 3)
    #expect(run.outcome == .incomplete)
    #expect(run.exitCode == 3)
    #expect(run.destinations[0].removed.isEmpty)
    #expect(run.warnings.contains { $0.contains(/is damaged.*nothing is removed/) })
    // the new archive depends on the corrupt base, so that the run reports no archive
    #expect(run.archives == [])
    #expect(run.destinations.allSatisfy { $0.archives == [] })
    #expect(run.destinations.allSatisfy { $0.failure != nil })
    // the copy is the archive before the corrupt base
    #expect(try night.statusFile().copies[0].archive == intact.path)
    let next = try await night.backup(day: 4)
    #expect(next.outcome == .done)
    #expect(next.destinations.allSatisfy { $0.isNew })
    #expect(try night.archives("one").last?.base?.archiveID == intact.archiveID)
    #expect(try await night.drill().hasPassed)
  }

  @Test("Inventory: an archive has the same health through every symbolic link")
  func links() async throws {
    let night = try await Night.afterBackup()
    let archive = try #require(night.archives("one").first)
    let (folder, link) = (night.folder("linked"), night.folder("link.zip"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.string, withDestinationPath: night.folder("one").string)
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: archive.path)
    night.markSuspect(link.string)
    #expect(night.health(archive.path).isSuspect)
    let linked = try ArchiveInventory(folder: folder, ledger: night.context.ledger)
    #expect(linked.archives.map(\.path) == [folder.appending(archive.name).string])
    #expect(linked.archives.allSatisfy { linked.graph.health(of: $0).isSuspect })
  }

  @Test("Inventory: an encrypted archive has the health that the ledger recorded")
  func encryptedArchive() async throws {
    var night = try Night()
    let password = Secret("correct horse battery staple")
    night.job.password = .command("unused")
    night.context.password = { _ in password }
    _ = try await night.backup()
    let ledger = night.context.ledger
    func health() throws -> ArchiveHealth {
      let inventory = try ArchiveInventory(folder: night.folder("one"), password: password, ledger: ledger)
      let archive = try #require(inventory.archives.first)
      #expect(archive.isFullyEncrypted)
      return inventory.graph.health(of: archive)
    }
    #expect(try health().verifiedAt != nil)
    night.markSuspect(try #require(night.names("one").first.map { night.folder("one").appending($0).string }))
    #expect(try health().isSuspect)
  }

  @Test("Prune: copies of one archive in a folder count once")
  func duplicateArchives() async throws {
    var night = try Night()
    for day in 1...3 {
      try night.changeLibrary(id: Int64(6 + day))
      _ = try await night.backup(day: day)
    }
    let newest = try #require(try night.archives("one").last?.path)
    for number in 1...2 {
      try FileManager.default.copyItem(
        atPath: newest, toPath: night.folder("one").appending("copy\(number).zip").string)
    }
    var policy = RetentionPolicy(last: 3)
    var prune = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    prune.now = night.context.now()
    #expect(try prune.run().removed.isEmpty)
    policy.last = 2
    prune.policy = policy
    #expect(try prune.run().removed.count == 1)
    #expect(try night.names("one").count == 4)
  }

  @Test("Status: the copy at a missing destination is out of reach")
  func missingDestination() async throws {
    var night = try await Night.afterBackup()
    try night.remove(night.folder("two").string)
    #expect(try await night.backup(day: 2).outcome == .incomplete)
    #expect(try night.statusFile().copies.map(\.reachability) == [.reachable, .unreachable])
    #expect(
      try night.prometheus().contains(
        "smilepile_backup_copy_reachable{job_name=\"family\",destination=\"\(night.folder("two"))\"} 0\n"))
  }

  /// A run that hangs blocks all later runs, which the user must learn.
  @Test("Backup: a run that another run blocks is reported to hook and status file")
  func blockedRun() async throws {
    var night = try Night()
    let (begun, answered) = (try night.pipe("begun"), try night.pipe("answered"))
    night.job.hooks.before = "echo > '\(begun)'; read line < '\(answered)'"
    let first = Work.backup(night.job, night.context)
    await night.hear(begun)
    night.job.hooks = Hooks()
    night.job.hooks.onFailure = "env > '\(night.folder("hook-output"))'"
    night.job.lockWait = 0
    await #expect(throws: JobError.self) { try await night.backup() }
    let status = try night.statusFile()
    #expect(status.failures == 1)
    #expect(status.run?.outcome == .running)
    #expect(try night.prometheus().contains("consecutive_failures{job_name=\"family\"} 1\n"))
    await night.answer(answered)
    #expect(try await first.summary.run.outcome == .done)
    #expect(try night.statusFile().failures == 0)
    let hookOutput = try String(contentsOfFile: night.folder("hook-output").string, encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_OUTCOME=failed\n"))
    #expect(hookOutput.contains("is running a backup or a restore test of job “family”"))
  }

  /// The job file cannot refuse the destination if the library is an option of the command.
  @Test("Backup: a destination in the library is refused")
  func destinationInLibrary() async throws {
    var night = try Night()
    night.job.destinations[1] = JobDestination(path: night.library.path.appending("photos"))
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.destinations[1].failure != nil)
  }
}
