import ArchiveCatalog
import Backup
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Archives of another user, at the destinations of a job. The tests give archives away, which only root can.
@Suite(.enabled(if: geteuid() == 0)) struct OtherOwnerTests {
  /// Writes an archive with the library, the tag and the content of the job, as another user with a copy of the library
  /// can.
  private func plantArchive(_ night: Night, in folder: String = "one", isIncremental: Bool = false)
    async throws
    -> String
  {
    var options = night.job.exportOptions
    options.date = night.context.now()
    options.isIncremental = isIncremental
    let archive = try await Work.export(night.library.path, to: night.folder(folder), options: options)
      .summary
      .archives[0].string
    #expect(chown(archive, 65534, 65534) == 0)
    return archive
  }

  @Test("Backup: an archive of another user does not make an own one unnecessary, and is reported")
  func neverUpToDate() async throws {
    let night = try Night()
    let planted = try await plantArchive(night)
    let run = try await night.backup()
    #expect(run.destinations[0].isNew)
    #expect(run.archives != [planted])
    #expect(run.warnings.contains { $0.contains("\(planted) belongs to ") })
  }

  @Test("Backup: an archive of another user is kept, and does not count for the retention policy")
  func neverCounted() async throws {
    var night = try Night("retention: {keep-last: 1}")
    let first = try await night.backup().archives
    night.on(day: 2)
    let planted = try await plantArchive(night)
    let run = try await night.backup()
    #expect(run.outcome == .unchanged)
    #expect(run.archives == first)
    #expect(FileManager.default.fileExists(atPath: planted))
    #expect(first.allSatisfy(FileManager.default.fileExists))
  }

  @Test("Backup: an archive of another user is not a copy")
  func neverCopy() async throws {
    let night = try Night()
    let archives = try await night.backup().archives
    let copies = try night.names("two")
    for name in copies { #expect(chown(night.folder("two").appending(name).string, 65534, 65534) == 0) }
    let run = try await night.backup()
    #expect(run.archives == archives)
    #expect(try night.names("two").count == copies.count + 1)
  }

  @Test("Restore test: an archive of another user is not tested in place of an own one")
  func neverTested() async throws {
    var night = try Night()
    let first = try await night.backup().archives
    night.on(day: 2)
    _ = try await plantArchive(night)
    let report = try await night.drill()
    #expect(report.results[0].restore?.archive == first[0])
  }

  @Test("Prune: archives of another user are kept, and do not count")
  func prune() async throws {
    var night = try Night()
    let own = try await night.backup().archives[0]
    night.on(day: 2)
    let planted = try await plantArchive(night)
    let policy = RetentionPolicy(last: 1)
    let run = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    let summary = try run.run()
    #expect(summary.removed.isEmpty)
    #expect(summary.plan.decisions.flatMap(\.archives).map(\.path) == [own])
    #expect(summary.warningOfOtherOwners?.contains(planted) == true)
  }

  @Test("Prune: an unreadable file of another user does not stop it")
  func pruneBesideGarbage() async throws {
    var night = try Night()
    for day in 1...2 {
      night.on(day: day)
      try night.changeLibrary(id: Int64(100 + day))
      _ = try await night.backup()
    }
    let garbage = night.folder("one").appending("smilepile_backup_20991231_000000.zip").string
    try Data("PK\u{3}\u{4}garbage".utf8).write(to: URL(fileURLWithPath: garbage))
    #expect(chown(garbage, 65534, 65534) == 0)
    let policy = RetentionPolicy(last: 1)
    var run = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    run.now = night.context.now()
    #expect(try run.run().removed.count == 1)
  }

  @Test("Export: an archive of another user is not a base")
  func neverBase() async throws {
    var night = try Night()
    _ = try await plantArchive(night)
    night.on(day: 2)
    var options = night.job.exportOptions
    options.isIncremental = true
    options.date = night.context.now()
    let summary = try await Work.export(night.library.path, to: night.folder("one"), options: options).summary
    let archive = try ArchiveDescriptor(path: try #require(summary.archive))
    #expect(archive.base == nil)
  }
}
