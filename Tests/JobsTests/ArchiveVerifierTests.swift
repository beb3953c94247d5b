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

/// What verifying an archive says about it.
@Suite struct ArchiveVerifierTests {
  private func verifier(
    _ night: Night, password: Secret? = nil, verifiesUnknown: Bool = true
  ) -> ArchiveVerifier {
    ArchiveVerifier(
      observer: night.context.ledger.observer("test", now: night.context.now), password: password,
      verifiesUnknown: verifiesUnknown)
  }

  /// It may be large, and each of the increments that rest on it asks for it.
  @Test func aDamagedArchiveIsReadOnce() async throws {
    let night = try Night()
    _ = try await night.backup()
    try night.damage(night.archives("one")[0].path)
    let archive = try night.archives("one")[0]
    let verifier = verifier(night)
    #expect(try !verifier.areIntact([archive], ProgressCounter()))
    let readings = ArmedFault(Fault(.then {}, of: .only([.read]), below: FilePath(archive.path)))
    defer { readings.disarm() }
    for _ in 1...3 { #expect(try !verifier.areIntact([archive], ProgressCounter())) }
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
    func areIntact(verifiesUnknown: Bool) throws -> Bool {
      let archive = try ArchiveDescriptor(path: path, password: password)
      return try verifier(night, password: password, verifiesUnknown: verifiesUnknown).areIntact(
        [archive], ProgressCounter())
    }
    #expect(try areIntact(verifiesUnknown: false))
    #expect(night.health(path.string) == .unverified)
    #expect(try areIntact(verifiesUnknown: true))
    #expect(night.health(path.string).verifiedAt != nil)
    try night.damage(path.string)
    #expect(night.health(path.string) == .unverified)
    #expect(try !areIntact(verifiesUnknown: true))
    #expect(night.health(path.string).isSuspect)
    #expect(try !areIntact(verifiesUnknown: false))
  }

  @Test(arguments: [Errno.tooManyOpenFiles, .noMemory]) func aShortageIsNoDamage(shortage: Errno) async throws
  {
    let night = try Night("verify: false")
    _ = try await night.backup()
    let archive = try night.archives("one")[0]
    let verifier = verifier(night)
    for call in [SystemCall.open, .read] {
      let fault = ArmedFault(
        Fault(.error(shortage), of: .only([call]), persists: true, below: FilePath(archive.path)))
      defer { fault.disarm() }
      #expect(throws: (any Error).self) { try verifier.areIntact([archive], ProgressCounter()) }
    }
    #expect(verifier.observer.damage().isEmpty)
    #expect(try verifier.areIntact([archive], ProgressCounter()))
  }

  @Test func aNightWithoutMemoryCastsNoDoubt() async throws {
    var night = try Night()
    _ = try await night.backup()
    let first = FilePath(try night.archives("one")[0].path)
    // so that it is read
    night.markSuspect(first.string)
    night.on(day: 2)
    let fault = ArmedFault(Fault(.error(.noMemory), of: .only([.read]), persists: true, below: first))
    let run = try await night.backup()
    fault.disarm()
    #expect(run.outcome == .incomplete && run.destinations[0].failure?.contains("cannot read") == true)
    #expect(!run.warnings.contains { $0.contains("is damaged") })
    let damage = night.context.ledger.observations(of: try #require(ArchiveFile(at: first))).filter {
      if case .foundDamaged = $0.event { true } else { false }
    }
    #expect(damage.count == 1)
    #expect(try await night.backup().outcome == .unchanged)
  }

  @Test func aShortageWhileCopyingCastsNoDoubt() async throws {
    var night = try Night()
    _ = try await night.backup()
    let first = try night.archives("one")[0]
    let verifiedAt = try #require(night.health(first.path).verifiedAt)
    try night.remove(night.archives("two")[0].path)
    night.on(day: 2)
    let fault = ArmedFault(
      Fault(.error(.noMemory), of: .only([.read]), persists: true, below: night.folder("two")))
    defer { fault.disarm() }
    #expect(try await night.backup().outcome == .incomplete)
    // nobody had reason to read it again
    #expect(night.health(first.path).verifiedAt == verifiedAt)
  }

  /// Another computer's prune may take it away at any time.
  @Test func whatIsGoneIsNotDamaged() async throws {
    let night = try Night()
    _ = try await night.backup()
    let archive = try night.archives("one")[0]
    try night.remove(archive.path)
    let verifier = verifier(night)
    #expect(try !verifier.areIntact([archive], ProgressCounter()))
    #expect(verifier.observer.damage().isEmpty)
  }

  @Test func whatIsGoneWhilePruningIsNotDamaged() async throws {
    var night = try Night()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    _ = try await night.backup()
    let newest = try #require(try night.archives("one").last?.path)
    // it is listed, and then it goes
    let fault = ArmedFault(
      Fault(
        .then { try? FileManager.default.removeItem(atPath: newest) }, of: .only([.status]),
        below: FilePath(newest)))
    defer { fault.disarm() }
    var policy = RetentionPolicy()
    policy.last = 1
    var prune = PruneRun(folder: night.folder("one"), policy: policy, counter: ProgressCounter())
    prune.observer = night.context.ledger.observer("prune", now: night.context.now)
    prune.now = night.context.now()
    let done = try prune.run()
    #expect(done.removed.isEmpty && done.plan.refusals.count == 1)
    #expect(done.plan.refusals.allSatisfy { $0.contains("\(newest), which is missing") })
  }
}
