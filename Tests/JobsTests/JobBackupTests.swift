import Backup
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite struct JobBackupTests {
  @Test func whatWasCopiedBeforeACutOffIsNotCopiedAgain() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one").map { $0.lastComponent?.string ?? "" }
    _ = try await night.backup()
    #expect(try night.names("two") == parts.sorted())
    // as a kill after the first part leaves it
    for name in parts.dropFirst() { try night.remove(night.folder("two").appending(name).string) }
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(try night.names("two") == parts.sorted())
    #expect(run.destinations[1].archives == parts.map { night.folder("two").appending($0).string })
  }

  /// A second disk that is dying keeps nothing from the first.
  @Test func aDestinationThatCannotBeListedFailsAlone() async throws {
    var night = try Night()
    _ = try await night.backup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let fault = ArmedFault(
      Fault(.error(.ioError), of: .only([.list]), persists: true, below: night.folder("two")))
    defer { fault.disarm() }
    let run = try await night.backup()
    #expect(run.outcome == .incomplete && run.exitCode == 3)
    #expect(run.destinations[0].isNew && run.destinations[0].failure == nil)
    #expect(run.destinations[1].failure?.contains("two") == true)
    #expect(try night.archives("one").count == 2)
  }
}
