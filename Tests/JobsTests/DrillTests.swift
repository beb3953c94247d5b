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
    #expect(results[1].failures[0].message.contains("rests on archive \(base.uuid ?? "")"))
    #expect(results[1].archive != nil)
  }

  @Test func aSetWithoutOneOfItsPartsDoesNotRestore() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one")
    _ = try await night.backup()
    #expect(try await night.drill().results.map(\.proven) == [6, 6])
    try night.remove(parts[1].string)
    let results = try await night.drill().results
    #expect(results.map(\.isProven) == [false, true])
    #expect(results[0].failures.map(\.message).contains { $0.contains("lacks part 2; put it back") })
  }

  @Test func whatIsPromisedAndDoesNotComeBackIsAFailure() async throws {
    let night = try Night()
    _ = try await night.backup()
    let source = try BackupSource(path: FilePath(night.archives("one")[0].path))
    var summary = ImportSummary()
    summary.photosImported = 4
    summary.photosSkipped = 1
    let loss = try #require(DrillRun.loss(of: source, nil, summary))
    #expect(loss.message.hasSuffix("promises 6 photos, and 5 came back"))
    #expect(DrillRun.loss(of: source, [1, 2, 3], summary) == nil)
    // what is named is not said twice
    summary.errors = [Finding("photo 6", "it is damaged")]
    #expect(DrillRun.loss(of: source, nil, summary) == nil)
  }

  @Test func otherProgramsAreTold() async throws {
    let night = try Night()
    _ = try await night.backup()
    let report = try await night.drill()
    #expect(report.warnings.isEmpty)
    let status = try night.statusFile()
    #expect(status.lastDrill?.round == 1 && status == night.context.state.status(of: "family"))
    #expect(status.run?.outcome == .done)
    #expect(try night.prometheus().contains("smilepile_drill_proven{job_name=\"family\"} 1"))
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
}
