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

@Suite struct RestoreTestRunTests {
  @Test("Restore test: an incremental backup without its base fails")
  func missingBase() async throws {
    var night = try await Night.afterBackup("incremental: true")
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    #expect(try await night.drill().hasPassed)
    #expect(try await night.drill(sample: 3).hasPassed)

    let base = try night.archives("two")[0]
    try night.remove(base.path)
    let results = try await night.drill().results
    #expect(results.map(\.hasPassed) == [true, false])
    try #require(results[1].failures.count == 1)
    #expect(results[1].failures[0].message.contains("depends on archive \(base.archiveID ?? "")"))
    #expect(results[1].restore?.archive != nil)
  }

  @Test(
    "Restore test: an older archive does not replace a missing or truncated last backup",
    arguments: [true, false])
  func missingLastBackup(isTruncated: Bool) async throws {
    var night = try await Night.afterBackup()
    try night.changeLibrary(id: 7)
    let last = try #require(try await night.backup(day: 2).archives.first)
    if isTruncated { try #require(truncate(last, 3000) == 0) } else { try night.remove(last) }
    let report = try await night.drill()
    #expect(report.results.map(\.hasPassed) == [false, true])
    #expect(report.exitCode == 4)
    #expect(
      report.results[0].failures.map(\.message).filter { $0.contains(last) }.contains {
        $0.contains("the last backup wrote")
      })
    let copy = night.context.state.status(of: "family").copies[0]
    #expect(copy.health.isSuspect)
    #expect(!copy.looksRestorable)
  }

  @Test("Restore test: two reports of one second have different paths")
  func reportsOfOneSecond() async throws {
    let night = try await Night.afterBackup()
    let paths = [try await night.drill().test?.path, try await night.drill().test?.path]
    #expect(Set(paths).count == 2)
    #expect(paths.allSatisfy { $0 != nil })
  }

  /// Successive samples have different photos, whatever parts the photos are in.
  @Test("Restore test: a sample of a set has the requested number of photos")
  func sampleOfSet() async throws {
    let night = try Night()
    _ = try await night.exportSet(to: "one")
    _ = try await night.exportSet(to: "two")
    _ = try await night.backup()
    for sample in [1, 2, 5] {
      #expect(try await night.drill(sample: sample).results.map(\.comparison.identical) == [sample, sample])
    }
    for path in try night.archives("one").map(\.path) { try night.damage(path, keepsDate: true) }
    var failed = 0
    for _ in 1...6 where try await !night.drill(sample: 1).results[0].isRestored { failed += 1 }
    #expect(failed > 0)
  }

  @Test(
    "Archive file: another status change time is another version, except where a file system does not store it"
  )
  func statusChangeTime() {
    func areSame(_ before: Timestamp, _ now: Timestamp) -> Bool {
      ArchiveFile(location: "a", bytes: 1, modifiedAt: 10_000, changedAt: before).isSameVersion(
        as: ArchiveFile(location: "a", bytes: 1, modifiedAt: 10_000, changedAt: now))
    }
    #expect(areSame(50_000, 50_000))
    #expect(!areSame(50_000, 50_001))
    // FAT, after a mount
    #expect(areSame(50_000, 10_000))
    #expect(areSame(50_000, 9_000))
  }

  @Test("Archive file: a status change time that is stored leaves no tolerance for dates of FAT")
  func storedChangeTime() {
    let before = ArchiveFile(location: "a", bytes: 1, modifiedAt: 900_000, changedAt: 5_000_000)
    let now = ArchiveFile(location: "a", bytes: 1, modifiedAt: 1_800_000, changedAt: 5_000_000)
    #expect(!before.isSameVersion(as: now))
  }

  @Test("Archive file: a file that was changed at once and got its old date back is another version")
  func changedAtOnce() {
    for delay in [1, 350, 1830, 1999, 60_000] as [Int64] {
      let before = ArchiveFile(location: "a", bytes: 1, modifiedAt: 900_123, changedAt: 900_125)
      let now = ArchiveFile(location: "a", bytes: 1, modifiedAt: 900_123, changedAt: 900_125 + delay)
      #expect(!before.isSameVersion(as: now))
    }
  }

  /// FAT rounds dates to two seconds and stores local time.
  @Test("Archive file: another date is another version, except for what FAT does to dates")
  func modificationDate() {
    func areSame(_ before: Timestamp, _ now: Timestamp) -> Bool {
      ArchiveFile(location: "a", bytes: 1, modifiedAt: before, changedAt: 0)
        .isSameVersion(as: ArchiveFile(location: "a", bytes: 1, modifiedAt: now, changedAt: 0))
    }
    let date: Timestamp = 1_767_232_801_234
    #expect(areSame(date, date))
    #expect(areSame(date, date - 1234))
    #expect(areSame(date, date + 766))
    #expect(areSame(date - 1234, date - 1234 + 3_600_000))
    #expect(areSame(date, date - 1234 - 5 * 900_000))
    #expect(!areSame(date, date + 1))
    #expect(!areSame(date, date + 1000))
    #expect(!areSame(date, date + 2766))
    #expect(!areSame(date, date + 3_600_000))
    #expect(!areSame(date - 1234, date - 1234 + 28 * 3_600_000))
  }

  @Test("Restore test: a set with a missing part fails")
  func missingPart() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one")
    _ = try await night.backup()
    #expect(try await night.drill().results.map(\.comparison.identical) == [6, 6])
    try night.remove(parts[1].string)
    let results = try await night.drill().results
    #expect(results.map(\.hasPassed) == [false, true])
    #expect(
      results[0].failures.map(\.message).contains {
        $0.contains("part 2 is missing from its folder; copy it into the folder")
      })
  }

  @Test("Restore test: fewer restored photos than the archive contains are a failure")
  func photoCount() async throws {
    let night = try await Night.afterBackup()
    let source = try OpenedBackup(path: FilePath(night.archives("one")[0].path))
    var summary = ImportSummary()
    summary.photosImported = 4
    summary.photosSkipped = 1
    let loss = try #require(DestinationTest.shortfall(of: source, nil, summary))
    #expect(loss.message.hasSuffix("contains 6 photos, and only 5 could be restored"))
    #expect(DestinationTest.shortfall(of: source, [1, 2, 3], summary) == nil)
    // a photo that the import reports is not reported again
    summary.photosNotImported = 1
    #expect(DestinationTest.shortfall(of: source, nil, summary) == nil)
  }

  @Test("Restore test: the result is in the status file and in the metrics")
  func publishedResult() async throws {
    let night = try await Night.afterBackup()
    let report = try await night.drill()
    #expect(report.warnings.isEmpty)
    let status = try night.statusFile()
    #expect(status.lastRestoreTest?.round == 1)
    #expect(status == night.context.state.status(of: "family"))
    #expect(status.run?.outcome == .done)
    #expect(try night.prometheus().contains("smilepile_restore_test_passed{job_name=\"family\"} 1"))
  }

  @Test("Restore test: the password is requested once")
  func passwordRequests() async throws {
    var night = try Night()
    let asked = Mutex(0)
    night.job.password = .command("true")
    night.context.password = { _ in
      asked.withLock { $0 += 1 }
      return Secret("correct horse battery")
    }
    _ = try await night.backup()
    #expect(try await night.drill().hasPassed)
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("Restore test: a library that is in use stops the test and makes no copy suspect")
  func libraryInUse() async throws {
    var night = try await Night.afterBackup()
    night.job.lockWait = 0
    night.context.exitCode = { $0 is FileLock.Busy ? 11 : 1 }
    let lock = try FileLock("readers.lock", in: Directory.open(night.library.path), exclusive: true)
    let report = try await night.drill()
    withExtendedLifetime(lock) {}
    #expect(report.exitCode == 11)
    #expect(report.results.isEmpty)
    #expect(night.context.state.status(of: "family").copies.allSatisfy { $0.health.isSuspect == false })
    #expect(night.context.state.status(of: "family").lastRestoreTest == nil)
  }

  @Test(
    "Restore test: a missing or wrong password makes no copy suspect",
    arguments: [nil, "wrong horse battery"])
  func invalidPassword(password: Secret?) async throws {
    var night = try Night()
    let folder = night.scratch.path
    night.job.hooks.onFailure = "env > '\(folder)/hook-output'"
    night.job.password = .command("true")
    night.context.password = { _ in Secret("correct horse battery") }
    _ = try await night.backup()
    if let password { night.context.password = { _ in password } } else { night.job.password = nil }
    night.context.exitCode = { error in
      switch error {
      case BackupError.passwordNeeded(let path) where path.extension == "zip": 12
      case BackupError.wrongPassword(let path) where path.extension == "zip": 13
      default: 1
      }
    }
    let report = try await night.drill()
    let code: Int32 = password == nil ? 12 : 13
    #expect(report.exitCode == code)
    #expect(report.results.isEmpty)
    #expect(try night.statusFile().copies.allSatisfy { $0.health.isSuspect == false })
    #expect(try night.statusFile().restoreTestFailure == report.errors.first)
    let hookOutput = try String(contentsOfFile: "\(folder)/hook-output", encoding: .utf8)
    #expect(hookOutput.contains("SMILEPILE_OUTCOME=failed\n"))
    #expect(hookOutput.contains("SMILEPILE_EXIT_CODE=\(code)\n"))
  }

  /// A script for the hooks of backups works for restore tests as well.
  @Test("Restore test: a hook has the same variables as after a backup")
  func hookVariables() async throws {
    var night = try Night()
    let folder = night.scratch.path
    night.job.hooks.onFailure = "env > '\(folder)/drill'"
    night.job.hooks.after = "env > '\(folder)/backup'"
    _ = try await night.backup()
    try night.remove(night.archives("two")[0].path)
    #expect(try await !night.drill().hasPassed)
    func variables(_ name: String) throws -> [String: String] {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
      return Dictionary(
        lines.filter { $0[0].hasPrefix("SMILEPILE_") }.map {
          (String($0[0]), String($0.dropFirst().first ?? ""))
        },
        uniquingKeysWith: { first, _ in first })
    }
    let (drill, backup) = (try variables("drill"), try variables("backup"))
    #expect(Set(drill.keys) == Set(backup.keys))
    #expect(drill["SMILEPILE_TASK"] == "drill")
    #expect(backup["SMILEPILE_TASK"] == "backup")
    #expect(drill["SMILEPILE_OUTCOME"] == "not restored")
    #expect(drill["SMILEPILE_EXIT_CODE"] == "4")
    #expect(drill["SMILEPILE_SECONDS"] == "0")
    #expect(drill["SMILEPILE_MISSING"] == "0")
    #expect(drill["SMILEPILE_PHOTOS"] == "6")
  }
}
