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

@Suite struct ArchiveVerifierTests {
  private func verifier(
    _ night: Night, password: Secret? = nil, verifiesUnverified: Bool = true
  ) -> ArchiveVerifier {
    ArchiveVerifier(
      observer: night.context.ledger.observer(named: "test", now: night.context.now), password: password,
      verifiesUnverified: verifiesUnverified)
  }

  /// An archive may be large, and each incremental backup that depends on it has it verified.
  @Test("Verifier: a corrupt archive is read once")
  func corruptArchive() async throws {
    let night = try await Night.afterBackup()
    try night.damage(night.archives("one")[0].path)
    let archive = try night.archives("one")[0]
    let verifier = verifier(night)
    #expect(try !verifier.isUsable(archive, ProgressCounter()))
    let readings = ArmedFault(.then {}, of: [.read], below: FilePath(archive.path))
    defer { readings.disarm() }
    for _ in 1...3 { #expect(try !verifier.isUsable(archive, ProgressCounter())) }
    #expect(readings.count == 0)
    #expect(Array(verifier.observer.damage().keys) == [archive.path])
  }

  @Test(
    "Verifier: an encrypted archive that no operation has read is verified, and remembered until it changes")
  func encrypted() async throws {
    var night = try Night("verify: false")
    let password = Secret("correct horse battery staple")
    night.job.password = .command("unused")
    night.context.password = { _ in password }
    _ = try await night.backup()
    let path = try #require(night.names("one").first.map { night.folder("one").appending($0) })
    func isUsable(verifiesUnverified: Bool) throws -> Bool {
      let archive = try ArchiveDescriptor(path: path, password: password)
      return try verifier(night, password: password, verifiesUnverified: verifiesUnverified).isUsable(
        archive, ProgressCounter())
    }
    #expect(try isUsable(verifiesUnverified: false))
    #expect(night.health(path.string) == .unverified)
    #expect(try isUsable(verifiesUnverified: true))
    #expect(night.health(path.string).verifiedAt != nil)
    try night.damage(path.string)
    #expect(night.health(path.string) == .unverified)
    #expect(try !isUsable(verifiesUnverified: true))
    #expect(night.health(path.string).isSuspect)
    #expect(try !isUsable(verifiesUnverified: false))
  }

  @Test(
    "Verifier: an environment failure is thrown and not recorded as damage",
    arguments: [Errno.tooManyOpenFiles, .noMemory])
  func environmentFailure(errno: Errno) async throws {
    let night = try await Night.afterBackup("verify: false")
    let archive = try night.archives("one")[0]
    let verifier = verifier(night)
    for call in [SystemCall.open, .read] {
      let fault = ArmedFault(.error(errno), of: [call], persists: true, below: FilePath(archive.path))
      defer { fault.disarm() }
      #expect(throws: (any Error).self) { try verifier.isUsable(archive, ProgressCounter()) }
    }
    #expect(verifier.observer.damage().isEmpty)
    #expect(try verifier.isUsable(archive, ProgressCounter()))
  }

  @Test("Backup: an archive that lack of memory makes unreadable is not recorded as corrupt")
  func lackOfMemory() async throws {
    var night = try await Night.afterBackup()
    let first = FilePath(try night.archives("one")[0].path)
    // the next backup re-verifies a suspect archive
    night.markSuspect(first.string)
    night.on(day: 2)
    let fault = ArmedFault(.error(.noMemory), of: [.read], persists: true, below: first)
    let run = try await night.backup()
    fault.disarm()
    #expect(run.outcome == .incomplete)
    #expect(run.destinations[0].failure?.contains("cannot read") == true)
    #expect(!run.warnings.contains { $0.contains("is damaged") })
    let damage = night.context.ledger.observations(of: try #require(ArchiveFile(at: first))).filter {
      if case .foundDamaged = $0.event { true } else { false }
    }
    #expect(damage.count == 1)
    #expect(try await night.backup().outcome == .unchanged)
  }

  @Test("Backup: lack of memory during a copy leaves the source verified")
  func lackOfMemoryDuringCopy() async throws {
    var night = try await Night.afterBackup()
    let first = try night.archives("one")[0]
    let verifiedAt = try #require(night.health(first.path).verifiedAt)
    try night.remove(night.archives("two")[0].path)
    night.on(day: 2)
    let fault = ArmedFault(.error(.noMemory), of: [.read], persists: true, below: night.folder("two"))
    defer { fault.disarm() }
    #expect(try await night.backup().outcome == .incomplete)
    // the backup did not re-verify the source
    #expect(night.health(first.path).verifiedAt == verifiedAt)
  }

  /// Another computer may prune the archive at any time.
  @Test("Verifier: a missing archive is not recorded as corrupt")
  func missingArchive() async throws {
    let night = try await Night.afterBackup()
    let archive = try night.archives("one")[0]
    try night.remove(archive.path)
    let verifier = verifier(night)
    #expect(try !verifier.isUsable(archive, ProgressCounter()))
    #expect(verifier.observer.damage().isEmpty)
  }

  @Test("Prune: an archive that disappears during the run is reported as missing, not as corrupt")
  func archiveRemovedDuringPrune() async throws {
    var night = try await Night.afterBackup()
    try night.changeLibrary(id: 7)
    _ = try await night.backup(day: 2)
    let newest = try #require(try night.archives("one").last?.path)
    // the inventory lists the archive before the fault removes it
    let fault = ArmedFault(
      .then { try? FileManager.default.removeItem(atPath: newest) }, of: [.status], below: FilePath(newest))
    defer { fault.disarm() }
    let policy = RetentionPolicy(last: 1)
    var prune = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    prune.observer = night.context.ledger.observer(named: "prune", now: night.context.now)
    prune.now = night.context.now()
    let done = try prune.run()
    #expect(done.removed.isEmpty)
    #expect(done.plan.refusals.count == 1)
    #expect(done.plan.refusals.allSatisfy { $0.contains("\(newest), is missing") })
  }
}
