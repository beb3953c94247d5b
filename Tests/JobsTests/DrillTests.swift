import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import Secrets
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import Jobs

@Suite struct DrillTests {
  @Test func anIncrementWithoutItsBaseDoesNotRestore() async throws {
    var night = try Night("incremental: true")
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    #expect(try await night.drill(sample: 3).isProven)

    let base = try night.archives("two")[0]
    try night.remove(base.path)
    let results = try await night.drill().results
    #expect(results.map(\.isProven) == [true, false])
    try #require(results[1].failures.count == 1)
    #expect(results[1].failures[0].message.contains("depends on archive \(base.archiveID ?? "")"))
    #expect(results[1].trial?.archive != nil)
  }

  /// An older archive restores, and is not the one that the last backup left.
  @Test(arguments: [true, false]) func anOlderArchiveDoesNotStandForTheLast(isCut: Bool) async throws {
    var night = try Night()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let last = try #require(try await night.backup().archives.first)
    if isCut { try #require(truncate(last, 3000) == 0) } else { try night.remove(last) }
    let report = try await night.drill()
    #expect(report.results.map(\.isProven) == [false, true] && report.exitCode == 4)
    #expect(report.results[0].failures.map(\.message).contains { $0.hasPrefix("\(last), which the last") })
    let copy = night.context.state.status(of: "family").copies[0]
    #expect(copy.isSuspect && !copy.isThere)
  }

  @Test func reportsOfOneSecondStayBoth() async throws {
    let night = try Night()
    _ = try await night.backup()
    let paths = [try await night.drill().path, try await night.drill().path]
    #expect(Set(paths).count == 2 && paths.allSatisfy { $0 != nil })
  }

  /// As many as are asked for, whatever parts they are in, and all of them in turn.
  @Test func aSampleOfASetIsOneSample() async throws {
    let night = try Night()
    _ = try await night.exportSet(to: "one")
    _ = try await night.exportSet(to: "two")
    _ = try await night.backup()
    for sample in [1, 2, 5] {
      #expect(try await night.drill(sample: sample).results.map(\.comparison.proven) == [sample, sample])
    }
    for path in try night.archives("one").map(\.path) { try night.damage(path, keepsDate: true) }
    var failed = 0
    for _ in 1...6 where try await !night.drill(sample: 1).results[0].isRestored { failed += 1 }
    #expect(failed > 0)
  }

  /// FAT rounds dates, and keeps them in local time; elsewhere another date is another file.
  @Test func aDateTellsWhetherAFileWasChanged() {
    func isAs(_ before: Int64, _ now: Int64) -> Bool {
      ArchiveFile(location: "a", bytes: 1, modifiedAt: before)
        .isSameVersion(as: ArchiveFile(location: "a", bytes: 1, modifiedAt: now))
    }
    let date: Int64 = 1_767_232_801_234
    #expect(isAs(date, date) && isAs(date, date - 1234) && isAs(date, date + 766))
    #expect(isAs(date - 1234, date - 1234 + 3_600_000) && isAs(date, date - 1234 - 5 * 900_000))
    #expect(
      !isAs(date, date + 1) && !isAs(date, date + 1000) && !isAs(date, date + 2766)
        && !isAs(date, date + 3_600_000))
    #expect(!isAs(date - 1234, date - 1234 + 28 * 3_600_000))
  }

  @Test func aSetWithoutOneOfItsPartsDoesNotRestore() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one")
    _ = try await night.backup()
    #expect(try await night.drill().results.map(\.comparison.proven) == [6, 6])
    try night.remove(parts[1].string)
    let results = try await night.drill().results
    #expect(results.map(\.isProven) == [false, true])
    #expect(
      results[0].failures.map(\.message).contains {
        $0.contains("part 2 is missing from its folder; put it back")
      })
  }

  @Test func whatIsPromisedAndDoesNotComeBackIsAFailure() async throws {
    let night = try Night()
    _ = try await night.backup()
    let source = try OpenedBackup(path: FilePath(night.archives("one")[0].path))
    var summary = ImportSummary()
    summary.photosImported = 4
    summary.photosSkipped = 1
    let loss = try #require(DestinationTest.loss(of: source, nil, summary))
    #expect(loss.message.hasSuffix("holds 6 photos, of which 5 were restored"))
    #expect(DestinationTest.loss(of: source, [1, 2, 3], summary) == nil)
    // what is named is not said twice
    summary.errors = [Finding("photo 6", "it is damaged")]
    #expect(DestinationTest.loss(of: source, nil, summary) == nil)
  }

  @Test func otherProgramsAreTold() async throws {
    let night = try Night()
    _ = try await night.backup()
    let report = try await night.drill()
    #expect(report.warnings.isEmpty)
    let status = try night.statusFile()
    #expect(status.lastRestoreTest?.round == 1 && status == night.context.state.status(of: "family"))
    #expect(status.run?.outcome == .done)
    #expect(try night.prometheus().contains("smilepile_restore_test_proven{job_name=\"family\"} 1"))
  }

  @Test func thePasswordIsAskedForOnce() async throws {
    var night = try Night()
    let asked = Mutex(0)
    night.job.password = .command("true")
    night.context.password = { _ in
      asked.withLock { $0 += 1 }
      return Secret("correct horse battery")
    }
    _ = try await night.backup()
    #expect(try await night.drill().isProven)
    #expect(asked.withLock { $0 } == 2)
  }

  /// Whoever changes the library for long says nothing of the copies.
  @Test func aLibraryInUseCastsNoDoubt() async throws {
    var night = try Night()
    _ = try await night.backup()
    night.job.lockWait = 0
    let lock = try FileLock("readers.lock", in: Directory.open(night.library.path), exclusive: true)
    let held = night
    await #expect(throws: FileLock.Busy.self) { _ = try await held.drill() }
    withExtendedLifetime(lock) {}
    #expect(night.context.state.status(of: "family").copies.allSatisfy { $0.isSuspect == false })
    #expect(night.context.state.status(of: "family").lastRestoreTest == nil)
  }

  @Test(arguments: [nil, "wrong horse battery"])
  func archivesThatThePasswordDoesNotOpenAreNotDoubted(password: Secret?) async throws {
    var night = try Night()
    let folder = night.scratch.path
    night.job.hooks.onFailure = "env > '\(folder)/told'"
    night.job.password = .command("true")
    night.context.password = { _ in Secret("correct horse battery") }
    _ = try await night.backup()
    if let password { night.context.password = { _ in password } } else { night.job.password = nil }
    night.context.exitCode = { _ in 12 }
    do {
      _ = try await night.drill()
      Issue.record("nothing was thrown")
    } catch BackupError.passwordNeeded(let path) {
      #expect(password == nil && path.lastComponent?.extension == "zip")
    } catch BackupError.wrongPassword(let path) {
      #expect(password != nil && path.lastComponent?.extension == "zip")
    }
    #expect(night.context.state.status(of: "family").copies.allSatisfy { $0.isSuspect == false })
    let told = try String(contentsOfFile: "\(folder)/told", encoding: .utf8)
    #expect(told.contains("SMILEPILE_OUTCOME=failed\n") && told.contains("SMILEPILE_EXIT_CODE=12\n"))
  }

  /// What recipes make of a hook's variables holds for a drill too.
  @Test func theHookIsToldAsMuchAsOfABackup() async throws {
    var night = try Night()
    let folder = night.scratch.path
    night.job.hooks.onFailure = "env > '\(folder)/drill'"
    night.job.hooks.after = "env > '\(folder)/backup'"
    _ = try await night.backup()
    try night.remove(night.archives("two")[0].path)
    #expect(try await !night.drill().isProven)
    func told(_ name: String) throws -> [String: String] {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
      return Dictionary(
        lines.filter { $0[0].hasPrefix("SMILEPILE_") }.map {
          (String($0[0]), String($0.dropFirst().first ?? ""))
        },
        uniquingKeysWith: { first, _ in first })
    }
    let (drill, backup) = (try told("drill"), try told("backup"))
    #expect(Set(drill.keys) == Set(backup.keys))
    #expect(drill["SMILEPILE_TASK"] == "drill" && backup["SMILEPILE_TASK"] == "backup")
    #expect(drill["SMILEPILE_OUTCOME"] == "not restored" && drill["SMILEPILE_EXIT_CODE"] == "4")
    #expect(drill["SMILEPILE_SECONDS"] == "0" && drill["SMILEPILE_MISSING"] == "1")
    #expect(drill["SMILEPILE_PHOTOS"] == "6")
  }
}
