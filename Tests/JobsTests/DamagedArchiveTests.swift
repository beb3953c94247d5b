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

/// What has rotten at a destination counts for nothing: it is named, nothing rests on it, and another takes its place.
@Suite struct DamagedArchiveTests {
  @Test func anUnchangedLibraryIsWrittenAgainWhereItsArchivesAreDamaged() async throws {
    var night = try Night()
    _ = try await night.backup()
    #expect(try await night.backup().outcome == .unchanged)
    let old = try ["one", "two"].map { try night.archives($0)[0].path }
    for path in old { try night.damage(path) }
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    for path in old { #expect(run.warnings.contains { $0.hasPrefix("\(path) is damaged (") }) }
    for name in ["one", "two"] {
      #expect(try night.archives(name).count == 2)
    }
    #expect(try await night.drill().isProven)
    #expect(try night.statusFile().copies.map(\.archive).allSatisfy { !old.contains($0) })
  }

  @Test func aDamagedCopyIsMadeAgainFromTheWholeOne() async throws {
    let night = try Night()
    _ = try await night.backup()
    let copy = try night.archives("two")[0].path
    try night.damage(copy)
    let run = try await night.backup()
    #expect(run.outcome == .done && !run.destinations[0].isNew && run.destinations[1].isNew)
    #expect(try night.archives("one").count == 1 && night.archives("two").count == 2)
    #expect(try night.statusFile().copies[1].archive != copy)
  }

  /// What was read back and is damaged is no copy, though no other could be written in its place.
  @Test func aDamagedCopyIsDoubtedWhereNoOtherCouldBeWritten() async throws {
    var night = try Night()
    _ = try await night.backup()
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    // it is refused when it comes to writing
    night.job.splitsForPhones = true
    night.job.password = .command("unused")
    night.context.password = { _ in Secret("correct horse battery") }
    night.on(day: 2)
    #expect(try await night.backup().outcome == .failed)
    #expect(try night.statusFile().copies.map(\.isSuspect) == [true, true])
    #expect(try night.statusFile().copies.allSatisfy { $0.verifiedAt == nil })
  }

  @Test func nothingRestsOnADamagedArchive() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(try night.archives("one").map { $0.base == nil } == [true, true])
    #expect(try await night.drill().isProven)
  }

  @Test("Backup: a base that rotted, and was never verified, is reported and replaced by full archives")
  func corruptBaseDirectory() async throws {
    var night = try Night("incremental: true", "verify: false")
    _ = try await night.backup()
    let old = try ["one", "two"].map { try night.archives($0)[0].path }
    for path in old {
      let directory = try #require(
        try Data(contentsOf: URL(fileURLWithPath: path)).firstRange(of: Data([0x50, 0x4B, 1, 2])))
      try night.damage(path, at: directory.lowerBound, keepsDate: true)
    }
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(run.destinations.map(\.isNew) == [true, true])
    for name in ["one", "two"] {
      let new = try #require(try night.archives(name).last { !old.contains($0.path) })
      #expect(new.base == nil)
    }
    #expect(run.warnings.contains { $0.hasPrefix("\(old[0]) is damaged (") })
  }

  /// The file is as long and as old as it was, so that nothing tells that it changed but a copy that fails.
  @Test func whatCannotBeCopiedIsReadAgain() async throws {
    var night = try Night()
    _ = try await night.backup()
    let first = try night.archives("one")[0].path
    try night.damage(first, keepsDate: true)
    try night.remove(night.archives("two")[0].path)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.warnings.contains { $0.hasPrefix("\(first) is damaged (") })
    let next = try await night.backup()
    #expect(next.outcome == .done && next.destinations.allSatisfy { $0.isNew })
  }

  /// The archive from before may be the only one that holds the photo as it was.
  @Test(arguments: [true, false]) func anIncompleteRunPrunesNothing(isGone: Bool) async throws {
    var night = try Night("retention: {keep-last: 1}")
    _ = try await night.backup()
    let path = try night.library.path.appending(#require(try night.library.contents.photos.first).path)
    if isGone { try night.remove(path.string) } else { try night.damage(path.string) }
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.outcome == .incomplete && run.missing.count == 1)
    #expect(run.warnings.contains { $0.hasPrefix("nothing was pruned") })
    #expect(try night.archives("one").count == 2)
  }

  @Test func whatHasGoneSinceIsSaid() async throws {
    let night = try Night()
    _ = try await night.backup()
    let gone = try night.archives("one")[0].path
    try night.remove(gone)
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(
      run.warnings.contains { $0.hasPrefix("\(gone), which the run of ") && $0.hasSuffix(" is missing") })
    #expect(try await !night.backup().warnings.contains { $0.contains("the run of") })
  }

  @Test func aRunThatWasStoppedIsSaidByTheNext() async throws {
    var night = try Night()
    let begun = try night.pipe("begun")
    night.job.hooks.before = "echo > '\(begun)'; sleep 600"
    let work = Work.backup(night.job, night.context)
    await night.hear(begun)
    work.cancel()
    let run = try await work.summary.run
    #expect(run.outcome == .interrupted && run.message?.hasPrefix("stopped") == true)
    night.job.hooks.before = nil
    let next = try await night.backup()
    #expect(next.outcome == .done)
    #expect(
      next.warnings.contains {
        $0.hasPrefix("the run of ") && $0.contains("was interrupted: stopped")
      })
    #expect(try await !night.backup().warnings.contains { $0.contains("the run of") })
  }

  /// Somebody watches that file, and would take the old one for the truth.
  @Test func aStatusFileThatCannotBeWrittenMakesARunIncomplete() async throws {
    let night = try Night()
    _ = try night.scratch.makeFolder("status.json")
    let run = try await night.backup()
    #expect(run.outcome == .incomplete && run.exitCode == 3)
    #expect(run.warnings.count { $0.hasPrefix("its status cannot be written") } == 1)
    #expect(try night.archives("one").count == 1)
    for failures in 1...3 {
      let status = night.context.state.status(of: "family")
      #expect(status.run?.outcome == .incomplete && status.failures == failures && status.lastSuccess == nil)
      _ = try await night.backup()
    }
    // where it is the job's own that cannot be written, others are told no more than there were
    try night.remove(night.folder("status.json").string)
    let state = night.context.state.statusPath(of: "family").string
    let kept = try Data(contentsOf: URL(fileURLWithPath: state))
    let fault = ArmedFault(
      Fault(.error(.noSpace), of: .only([.rename]), persists: true, below: night.folder("state")))
    #expect(try await night.backup().outcome == .incomplete)
    fault.disarm()
    #expect(fault.place != nil && (try? Data(contentsOf: URL(fileURLWithPath: state))) == kept)
    #expect(try night.statusFile().failures == 5)
    try night.remove(night.folder("status.json").string)
    _ = try night.scratch.makeFolder("status.json")
    // told of when the last hook has ended, too
    var hooked = night
    hooked.job.hooks.after = "true"
    #expect(try await hooked.backup().outcome == .incomplete)
    #expect(night.context.state.status(of: "family").run?.outcome == .incomplete)
    #expect(night.context.state.status(of: "family").failures == 6)
  }

  /// Whoever is to hear of backups that fail hears of it.
  @Test func aStateFolderThatCannotBeMadeIsHeardOf() async throws {
    var night = try Night()
    _ = try await night.backup()
    let file = night.folder("file")
    try Data().write(to: URL(fileURLWithPath: file.string))
    night.context = JobContext(
      state: StateFolder(environment: ["STATE_DIRECTORY": file.appending("state").string]),
      password: { _ in throw CancellationError() }, exitCode: { _ in 1 })
    night.job.hooks.onFailure = "env > '\(night.folder("told"))'"
    do {
      _ = try await night.backup()
      Issue.record("there is nowhere to keep the state")
    } catch let error as FileError {
      #expect(error.errno == .notDirectory, "\(error)")
    }
    let told = try String(contentsOfFile: night.folder("told").string, encoding: .utf8)
    #expect(told.contains("SMILEPILE_OUTCOME=failed\n"))
    #expect(try night.statusFile().failures == 1)
    // those above it may not be there either
    night.context.state = StateFolder(environment: ["STATE_DIRECTORY": night.folder("a/b/c").string])
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try night.context.state.path == night.folder("a/b/c") && night.statusFile().failures == 0)
  }

  @Test func aDrillThatFailsIsHeardOf() async throws {
    var night = try Night("hooks: {on-failure: 'env > told'}")
    night.job.hooks.onFailure = "env > \(night.folder("told"))"
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    #expect(!FileManager.default.fileExists(atPath: night.folder("told").string))
    let proven = try #require(try night.statusFile().lastProvenAt)
    try night.damage(try night.archives("one")[0].path)
    night.on(day: 3)
    #expect(try await !night.drill().isProven)
    let told = try String(contentsOfFile: night.folder("told").string, encoding: .utf8)
    #expect(told.contains("SMILEPILE_HOOK=on-failure\n") && told.contains("SMILEPILE_EXIT_CODE=4\n"))
    let status = try night.statusFile()
    #expect(status.lastProvenAt == proven && status.lastRestoreTest?.isProven == false)
  }

  /// A clock that was some seconds ahead: what it made does not push out what is made now.
  @Test func whatWasJustMadeStays() async throws {
    var night = try Night("retention: {keep-last: 1}")
    let now = night.context.now()
    night.context.now = { now.addingTimeInterval(30) }
    _ = try await night.backup()
    night.context.now = { now }
    try night.changeLibrary(id: 7)
    let run = try await night.backup()
    #expect(run.destinations.allSatisfy { $0.removed.isEmpty })
    #expect(run.archives.allSatisfy(FileManager.default.fileExists))
  }

  /// Pruned by itself, a folder keeps what newer archives lack.
  @Test func theArchiveThatLacksLeastStays() async throws {
    var night = try Night("retention: {keep-last: 1}")
    _ = try await night.backup()
    let first = try night.archives("one")[0].path
    try night.remove(
      night.library.path.appending(#require(try night.library.contents.photos.first).path).string)
    night.on(day: 2)
    _ = try await night.backup()
    var prune = PruneRun(
      folder: night.folder("one"), policy: try #require(night.job.retention), counter: ProgressCounter())
    prune.now = night.context.now()
    #expect(try prune.run().removed.isEmpty)
    #expect(FileManager.default.fileExists(atPath: first))
  }

  /// Somebody else's would be copied to every destination, where the job's retention passes over it.
  @Test func nothingRestsOnWhatIsNotTheJobs() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    let first = try #require(try night.archives("one").first)
    var options = night.job.exportOptions
    options.tags = []
    options.isIncremental = false
    options.date = night.context.now().addingTimeInterval(60)
    _ = try await Work.export(night.library.path, to: night.folder("one"), options: options).summary
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .done)
    #expect(try night.archives("one").last?.base?.archiveID == first.archiveID)
    #expect(try night.archives("two").map(\.date) == [first.date, night.context.now().milliseconds])
    #expect(try await night.drill().isProven)
  }

  /// Where the newest archive lacks a photo, an older one is the copy, and may have rotten since.
  @Test func anOlderArchiveThatIsTheCopyIsReadBackWhereItHasChanged() async throws {
    var night = try Night()
    _ = try await night.backup()
    let first = try night.archives("one")[0].path
    let photo = try #require(try night.library.contents.photos.first)
    try night.remove(night.library.file(of: photo).string)
    night.on(day: 2)
    _ = try await night.backup()
    #expect(try night.statusFile().copies.map(\.archive).first == first)
    try night.damage(first)
    night.on(day: 3)
    let run = try await night.backup()
    #expect(run.warnings.contains { $0.hasPrefix("\(first) is damaged (") })
    let copy = try #require(try night.statusFile().copies.first)
    #expect(copy.archive != first && copy.missingPhotos == 1)
  }

  /// Half copied, cut off, emptied: it counts for nothing, and is named every night.
  @Test(arguments: ["", "retention: {keep-last: 2}", "incremental: true"])
  func whatCannotBeReadIsNamed(_ line: String) async throws {
    var night = try Night(line)
    _ = try await night.backup()
    let first = try night.archives("one")[0].path
    try #require(truncate(first, 5000) == 0)
    for day in 2...3 {
      night.on(day: day)
      let run = try await night.backup()
      let named = run.warnings.filter { $0.hasPrefix("\(first) may be a backup and cannot be read: ") }
      #expect(named.count == 1, "\(run.warnings)")
    }
  }

  /// Where nothing is read back, a drill that fails is heeded all the same.
  @Test func aFailedDrillIsHeeded() async throws {
    var night = try Night("verify: false")
    _ = try await night.backup()
    for name in ["one", "two"] { try night.damage(try night.archives(name)[0].path) }
    #expect(try await night.backup().outcome == .unchanged)
    #expect(try await !night.drill().isProven)
    #expect(try night.statusFile().copies.allSatisfy { $0.isSuspect && $0.verifiedAt == nil })
    night.on(day: 2)
    #expect(try await night.backup().outcome == .done)
    #expect(try await night.drill().isProven)
  }

  /// The copy that was made in its place carries what rests on it, and retention goes on.
  @Test func aDamagedLinkOfAChainIsReplaced() async throws {
    var night = try Night("incremental: true", "retention: {keep-last: 2}")
    for day in 1...3 {
      night.on(day: day)
      _ = try await night.backup()
      try night.changeLibrary(id: Int64(6 + day))
    }
    try night.damage(try night.archives("one")[1].path)
    for day in 4...6 {
      night.on(day: day)
      let run = try await night.backup()
      #expect(
        run.outcome == .done && !run.warnings.contains { $0.contains("nothing is removed") },
        "\(run.warnings)")
      #expect(try await night.drill().isProven)
      try night.changeLibrary(id: Int64(6 + day))
    }
    #expect(
      try night.statusFile().copies.map(\.madeAt)
        == [night.context.now(), night.context.now()].map { Int64($0.timeIntervalSince1970 * 1000) })
  }

  /// Rot that nothing tells but reading: what finds it keeps the next archive from resting on it.
  @Test func aBaseThatHasRottenIsFoundByPruning() async throws {
    var night = try Night()
    for day in 1...2 {
      night.on(day: day)
      _ = try await night.backup()
      try night.changeLibrary(id: Int64(6 + day))
    }
    for base in try ["one", "two"].map({ try #require(try night.archives($0).last?.path) }) {
      try night.damage(base, keepsDate: true)
    }
    let whole = try night.archives("one")[0]
    night.job.maximumChain = 7
    night.job.retention = RetentionPolicy()
    night.job.retention?.last = 1
    night.on(day: 3)
    let run = try await night.backup()
    #expect(run.outcome == .incomplete && run.exitCode == 3 && run.destinations[0].removed.isEmpty)
    #expect(run.warnings.contains { $0.contains("which is damaged") && $0.contains("nothing is removed") })
    // what has just been written is no archive of the library
    #expect(run.archives == [] && run.destinations.allSatisfy { $0.archives == [] && $0.failure != nil })
    // what rests on it is no copy: the one from before it is
    #expect(try night.statusFile().copies[0].archive == whole.path)
    night.on(day: 4)
    let next = try await night.backup()
    #expect(next.outcome == .done && next.destinations.allSatisfy { $0.isNew })
    #expect(try night.archives("one").last?.base?.archiveID == whole.archiveID)
    #expect(try await night.drill().isProven)
  }

  @Test("Inventory: an archive has one health, whatever link leads to it")
  func links() async throws {
    let night = try Night()
    _ = try await night.backup()
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

  @Test("Inventory: an encrypted archive has its health although it is opened each time")
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

  /// They are one archive, whatever they are called.
  @Test func copiesInAFolderCountOnce() async throws {
    var night = try Night()
    for day in 1...3 {
      try night.changeLibrary(id: Int64(6 + day))
      night.on(day: day)
      _ = try await night.backup()
    }
    let newest = try #require(try night.archives("one").last?.path)
    for number in 1...2 {
      try FileManager.default.copyItem(
        atPath: newest, toPath: night.folder("one").appending("copy\(number).zip").string)
    }
    var policy = RetentionPolicy()
    policy.last = 3
    var prune = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    prune.now = night.context.now()
    #expect(try prune.run().removed.isEmpty)
    policy.last = 2
    prune.policy = policy
    #expect(try prune.run().removed.count == 1 && night.names("one").count == 4)
  }

  @Test func aDestinationThatIsGoneIsNoCopyWithinReach() async throws {
    var night = try Night()
    _ = try await night.backup()
    try night.remove(night.folder("two").string)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .incomplete)
    #expect(try night.statusFile().copies.map(\.isOutOfReach) == [nil, true])
    #expect(
      try night.prometheus().contains(
        "smilepile_backup_copy_reachable{job_name=\"family\",destination=\"\(night.folder("two"))\"} 0\n"))
  }

  /// A run that hangs keeps the next from beginning: somebody has to hear of it.
  @Test func aRunThatCannotBeginIsHeardOf() async throws {
    var night = try Night()
    let (begun, answered) = (try night.pipe("begun"), try night.pipe("answered"))
    night.job.hooks.before = "echo > '\(begun)'; read line < '\(answered)'"
    let first = Work.backup(night.job, night.context)
    await night.hear(begun)
    night.job.hooks = Hooks()
    night.job.hooks.onFailure = "env > '\(night.folder("told"))'"
    night.job.lockWait = 0
    await #expect(throws: JobError.self) { try await night.backup() }
    let status = try night.statusFile()
    #expect(status.failures == 1 && status.run?.outcome == .running)
    #expect(try night.prometheus().contains("consecutive_failures{job_name=\"family\"} 1\n"))
    await night.answer(answered)
    #expect(try await first.summary.run.outcome == .done)
    #expect(try night.statusFile().failures == 0)
    let told = try String(contentsOfFile: night.folder("told").string, encoding: .utf8)
    #expect(
      told.contains("SMILEPILE_OUTCOME=failed\n")
        && told.contains("a backup or a restore test of job “family” is being run by"))
  }

  /// The command line may name the library, of which the job file knows nothing.
  @Test func nothingIsWrittenIntoTheLibrary() async throws {
    var night = try Night()
    night.job.destinations[1] = JobDestination(path: night.library.path.appending("photos"))
    let run = try await night.backup()
    #expect(run.outcome == .incomplete && run.destinations[1].failure != nil)
  }
}
