import Backup
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite struct JobBackupTests {
  @Test("Backup: an interrupted copy of a split archive is completed")
  func interruptedCopy() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one").map { $0.lastComponent?.string ?? "" }
    _ = try await night.backup()
    #expect(try night.names("two") == parts.sorted())
    // the same files as after a kill that follows the first part
    for name in parts.dropFirst() { try night.remove(night.folder("two").appending(name).string) }
    let run = try await night.backup()
    #expect(run.outcome == .done)
    #expect(try night.names("two") == parts.sorted())
    #expect(run.destinations[1].archives == parts.map { night.folder("two").appending($0).string })
  }

  @Test("Backup: a destination that cannot be listed does not affect the other")
  func unlistableDestination() async throws {
    var night = try await Night.afterBackup()
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    let fault = ArmedFault(.error(.ioError), of: [.list], persists: true, below: night.folder("two"))
    defer { fault.disarm() }
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.exitCode == 3)
    #expect(run.destinations[0].isNew)
    #expect(run.destinations[0].failure == nil)
    #expect(run.destinations[1].failure?.contains("two") == true)
    #expect(try night.archives("one").count == 2)
  }
}
