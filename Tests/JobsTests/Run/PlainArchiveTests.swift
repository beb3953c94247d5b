import Backup
import Foundation
import Operations
import Secrets
import TestSupport
import Testing

@testable import Jobs

/// Archives that are not encrypted, at the destinations of a job that encrypts.
@Suite struct PlainArchiveTests {
  private func encryptingNight(_ lines: String...) throws -> Night {
    var night = try Night((["encrypt: {password-file: pw}"] + lines).joined(separator: "\n    "))
    night.context = JobEnvironment(
      state: night.context.state, password: { _ in "correct horse battery" }, exitCode: { _ in 1 })
    night.on(day: 1)
    return night
  }

  /// Writes a plain archive with the library, the tag and the content of the job.
  private func writePlainArchive(_ night: Night) async throws -> String {
    var options = night.job.exportOptions
    options.date = night.context.now()
    return try await Work.export(night.library.path, to: night.folder("one"), options: options).summary
      .archives[0].string
  }

  @Test("Backup: a plain archive does not make an encrypted one unnecessary, and is reported")
  func neverUpToDate() async throws {
    let night = try encryptingNight()
    let plain = try await writePlainArchive(night)
    let run = try await night.backup()
    #expect(run.destinations[0].isNew)
    #expect(run.archives != [plain])
    #expect(run.warnings.contains { $0.contains("is not encrypted") })
    #expect(try night.names("one").count == 2)
  }

  @Test("Backup: a plain archive is kept, and does not count for the retention policy")
  func neverCounted() async throws {
    var night = try encryptingNight("retention: {keep-last: 1}")
    let first = try await night.backup().archives
    night.on(day: 2)
    let plain = try await writePlainArchive(night)
    let run = try await night.backup()
    #expect(run.outcome == .unchanged)
    #expect(run.archives == first)
    #expect(FileManager.default.fileExists(atPath: plain))
    #expect(first.allSatisfy(FileManager.default.fileExists))
  }

  @Test("Prune: with a password, a plain archive of a folder is kept and reported, and does not count")
  func pruneFolder() async throws {
    var night = try encryptingNight()
    let encrypted = try await night.backup().archives[0]
    night.on(day: 2)
    let plain = try await writePlainArchive(night)
    let policy = RetentionPolicy(last: 1)
    var run = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    run.password = "correct horse battery"
    run.tags = ["other"]
    #expect(try run.run().warningOfPlainArchives == nil, "archives of other jobs are not considered")
    run.tags = []
    let summary = try run.run()
    #expect(summary.removed.isEmpty)
    #expect(summary.plan.decisions.flatMap(\.archives).map(\.path) == [encrypted])
    #expect(
      summary.warningOfPlainArchives
        == "\(plain) is not encrypted; it is kept, and does not count as a backup")
  }

  @Test("Restore test: a plain archive is not tested in place of the encrypted one")
  func neverTested() async throws {
    var night = try encryptingNight()
    let first = try await night.backup().archives
    night.on(day: 2)
    _ = try await writePlainArchive(night)
    let report = try await night.drill()
    #expect(report.results[0].restore?.archive == first[0])
  }
}
