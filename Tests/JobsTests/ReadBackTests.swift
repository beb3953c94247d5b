import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// What reading an archive back says of it, and what it does not.
@Suite struct ReadBackTests {
  private func readBack(_ night: Night) -> ReadBack {
    ReadBack(verifies: true, password: nil, cache: night.context.cache, now: night.context.now)
  }

  /// It may be large, and each of the increments that rest on it asks for it.
  @Test func aDamagedArchiveIsReadOnce() async throws {
    let night = try Night.withCache()
    _ = try await night.backup()
    try night.damage(night.archives("one")[0].path)
    let archive = try night.archives("one")[0]
    let readBack = readBack(night)
    #expect(try !readBack.areWhole([archive], ProgressCounter()))
    let readings = ArmedFault(Fault(.then {}, of: .only([.read]), below: FilePath(archive.path)))
    defer { readings.disarm() }
    for _ in 1...3 { #expect(try !readBack.areWhole([archive], ProgressCounter())) }
    #expect(readings.count == 0)
    #expect(readBack.damaged == [archive.path])
  }

  /// Nobody may have looked at it before, as in an export by hand.
  @Test func whatIsReadBackIsRemembered() async throws {
    var night = try Night()
    let password = Secret("correct horse battery staple")
    night.job.password = .command("unused")
    night.context.password = { _ in password }
    _ = try await night.backup()
    let cache = CatalogCache(folder: try night.scratch.makeFolder("cache"))
    let path = FilePath(
      try #require(try night.names("one").first.map { night.folder("one").appending($0).string }))
    func mayBeRestedOn(verifies: Bool) throws -> Bool {
      try ReadBack(verifies: verifies, password: password, cache: cache).mayBeRestedOn(
        [path], ProgressCounter())
    }
    #expect(try mayBeRestedOn(verifies: false) && cache.known(of: path) == nil)
    #expect(try mayBeRestedOn(verifies: true) && cache.known(of: path)?.verifiedAt != nil)
    try night.damage(path.string)
    #expect(cache.known(of: path) == nil)
    #expect(try !mayBeRestedOn(verifies: true) && cache.known(of: path)?.isDoubted == true)
    #expect(try !mayBeRestedOn(verifies: false))
  }

  @Test(arguments: [Errno.tooManyOpenFiles, .noMemory]) func aShortageIsNoDamage(shortage: Errno) async throws
  {
    let night = try Night()
    _ = try await night.backup()
    let archive = try night.archives("one")[0]
    let readBack = readBack(night)
    for call in [SystemCall.open, .read] {
      let fault = ArmedFault(
        Fault(.error(shortage), of: .only([call]), persists: true, below: FilePath(archive.path)))
      defer { fault.disarm() }
      #expect(throws: (any Error).self) { try readBack.areWhole([archive], ProgressCounter()) }
    }
    #expect(readBack.damaged.isEmpty)
    #expect(try readBack.areWhole([archive], ProgressCounter()))
  }

  @Test func aNightWithoutMemoryCastsNoDoubt() async throws {
    var night = try Night.withCache()
    _ = try await night.backup()
    let first = FilePath(try night.archives("one")[0].path)
    // so that it is read
    night.context.cache?.doubt([first])
    night.on(day: 2)
    let fault = ArmedFault(Fault(.error(.noMemory), of: .only([.read]), persists: true, below: first))
    let run = try await night.backup()
    fault.disarm()
    #expect(run.outcome == .incomplete && run.destinations[0].failure?.contains("cannot read") == true)
    #expect(!run.warnings.contains { $0.contains("is damaged") })
    #expect(try night.statusFile().copies.allSatisfy { $0.isDoubted != true })
    #expect(try await night.backup().outcome == .unchanged)
  }

  @Test func aShortageWhileCopyingCastsNoDoubt() async throws {
    var night = try Night.withCache()
    _ = try await night.backup()
    let first = try night.archives("one")[0]
    let verifiedAt = try #require(night.context.cache?.verifiedAt(first))
    try night.remove(night.archives("two")[0].path)
    night.on(day: 2)
    let fault = ArmedFault(
      Fault(.error(.noMemory), of: .only([.read]), persists: true, below: night.folder("two")))
    defer { fault.disarm() }
    #expect(try await night.backup().outcome == .incomplete)
    // nobody had reason to read it again
    #expect(night.context.cache?.verifiedAt(first) == verifiedAt)
  }

  /// Another computer's prune may take it away at any time.
  @Test func whatIsGoneIsNotDamaged() async throws {
    let night = try Night()
    _ = try await night.backup()
    let archive = try night.archives("one")[0]
    try night.remove(archive.path)
    let readBack = readBack(night)
    #expect(try !readBack.areWhole([archive], ProgressCounter()))
    #expect(readBack.damaged.isEmpty && readBack.warnings.isEmpty)
  }

  @Test func whatIsGoneWhilePruningIsNotDamaged() async throws {
    var night = try Night.withCache()
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
    prune.cache = night.context.cache
    prune.now = night.context.now()
    let done = try prune.run()
    #expect(done.removed.isEmpty && done.plan.refusals.count == 1)
    #expect(done.plan.refusals.allSatisfy { $0.contains("\(newest), which is gone") })
  }

  /// The job reads nothing back, and another cache knows nothing of what its last run found.
  @Test(arguments: [false, true]) func aDoubtOfARunOutlivesTheCache(isOfAnEarlierVersion: Bool) async throws {
    var night = try Night.withCache("verify: false")
    _ = try await night.backup()
    try night.damage(night.archives("one")[0].path, keepsDate: true)
    try night.remove(night.archives("two")[0].path)
    night.on(day: 2)
    #expect(try await night.backup().outcome == .incomplete)
    if isOfAnEarlierVersion {
      let path = night.context.state.statusPath(of: "family").string
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      let text = lines.filter { !$0.contains("doubted_at") }.joined(separator: "\n")
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    night.context.cache = CatalogCache(folder: try night.scratch.makeFolder("another"))
    night.on(day: 3)
    let run = try await night.backup()
    #expect(run.outcome == .done && run.destinations.allSatisfy { $0.isNew })
    #expect(try night.statusFile().copies.map(\.isDoubted) == [nil, nil])
  }
}
