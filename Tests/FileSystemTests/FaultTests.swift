import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// The fault injection that other tests use.
struct FaultTests {
  let folder = ScratchFolder()

  private func arm(
    _ effect: Fault.Effect, at number: Int = 1, of calls: Fault.Calls = .all, persists: Bool = false
  ) -> ArmedFault {
    ArmedFault(Fault(effect, at: number, of: calls, persists: persists, below: folder.path))
  }

  @Test("Fault injection: only the call with the number fails")
  func number() throws {
    let file = try File.open(folder.path("a"), .create)
    let fault = arm(.error(.noSpace), at: 2, of: .only([.write]))
    defer { fault.disarm() }
    try file.write([1], at: 0)
    #expect(throws: FileError("write", folder.path("a"), .noSpace)) { try file.write([2], at: 1) }
    try file.write([3], at: 2)
    #expect(fault.count == 3)
    #expect(fault.place == "write \(folder.path("a"))")
    #expect(try folder.bytes("a") == [1, 0, 3])
  }

  @Test("Fault injection: a persistent fault affects all later calls")
  func persistent() throws {
    let file = try File.open(folder.path("a"), .create)
    let fault = arm(.error(.ioError), at: 2, of: .writing, persists: true)
    try file.write([1], at: 0)
    #expect(throws: FileError("write", folder.path("a"), .ioError)) { try file.write([2], at: 1) }
    #expect(throws: FileError("flush to disk", folder.path("a"), .ioError)) { try file.sync() }
    #expect(try file.read(1, at: 0) == [1])
    fault.disarm()
    try file.sync()
  }

  @Test("Fault injection: files outside of the folder are not affected")
  func otherFolder() throws {
    let other = ScratchFolder()
    let fault = arm(.error(.ioError), persists: true)
    defer { fault.disarm() }
    let file = try File.open(other.path("a"), .create)
    try file.write([1], at: 0)
    #expect(fault.count == 0)
    #expect(throws: FileError("open", folder.path("a"), .ioError)) {
      _ = try File.open(folder.path("a"), .create)
    }
  }

  @Test("Fault injection: a call that a signal interrupts is repeated")
  func signal() throws {
    let fault = arm(.error(.interrupted))
    defer { fault.disarm() }
    _ = try Directory.open(folder.path).names()
    #expect(fault.place != nil)
  }

  @Test("Fault injection: short reads and writes are continued")
  func shortTransfer() throws {
    let file = try File.open(folder.path("a"), .create)
    let fault = arm(.short, of: .only([.write, .read]), persists: true)
    defer { fault.disarm() }
    let bytes = (0..<100).map { UInt8($0) }
    try file.write(bytes, at: 0)
    #expect(fault.count > 5)
    #expect(try file.read(200, at: 0) == bytes)
    #expect(try folder.bytes("a") == bytes)
  }

  @Test("Fault injection: every kind of call is counted under its name")
  func kinds() throws {
    var seen: Set<SystemCall> = []
    let folder = folder
    func expect(_ call: SystemCall, _ body: () throws -> Void) throws {
      let fault = arm(.error(.ioError), of: .only([call]))
      defer { fault.disarm() }
      #expect(throws: FileError.self, "\(call)") { try body() }
      #expect(fault.place?.hasPrefix("\(call) ") == true, "\(call)")
      seen.insert(call)
    }
    let directory = try Directory.open(folder.path)
    let file = try directory.open("a", .create)
    try folder.write("b", to: "b")
    try expect(.open) { _ = try directory.open("a", .read) }
    try expect(.create) { _ = try directory.open("c", .create) }
    try expect(.openUnnamed) { _ = try directory.openUnnamed() }
    try expect(.read) { _ = try file.read(1, at: 0) }
    try expect(.write) { try file.write([1], at: 0) }
    try expect(.status) { _ = try file.status() }
    try expect(.status) { _ = try directory.status(of: "a") }
    try expect(.sync) { try file.sync() }
    try expect(.sync) { try directory.sync() }
    do {
      let disk = arm(.fileSystem(type: 0xEF53, freeBytes: 7), of: .only([.fileSystem]), persists: true)
      defer { disk.disarm() }
      try expect(.syncFileSystem) { _ = try directory.syncFileSystem() }
    }
    try expect(.truncate) { try file.resize(to: 0) }
    try expect(.makeDirectory) { try directory.makeDirectory("d") }
    try expect(.unlink) { try directory.remove("a") }
    try expect(.renameNoReplace) { try directory.rename("a", to: directory, as: "e") }
    try expect(.rename) { try directory.replace("b", with: "a") }
    try expect(.link) { try directory.rename("a", to: directory, as: "e", by: [.link]) }
    try expect(.linkDescriptor) { try directory.link(file, as: "e") }
    try expect(.lock) { _ = try file.lock(exclusive: true) }
    try expect(.setTimes) { try file.setModified(0) }
    try expect(.setMode) { try file.setPermissions(0o640) }
    try expect(.fileSystem) { _ = try directory.fileSystem() }
    try expect(.list) { _ = try directory.names() }
    let fault = arm(.error(.readOnlyFileSystem), of: .only([.access]))
    #expect(directory.writeFault() == .readOnlyFileSystem)
    fault.disarm()
    #expect(seen.union([.access]) == Set(SystemCall.allCases))
    #expect(try folder.tree() == ["a": .file(Data()), "b": .file(Data("b".utf8))])
  }

  @Test(
    "File system: only those that report lost pages are synced as a whole",
    arguments: [
      (0xEF53, true), (0x5846_5342, true), (0x9123_683E, true), (0x4D44, false), (0x0102_1994, false),
    ])
  func syncFileSystem(type: Int, isFlushed: Bool) throws {
    let kind = arm(.fileSystem(type: type, freeBytes: 7), of: .only([.fileSystem]), persists: true)
    defer { kind.disarm() }
    #expect(try Directory.open(folder.path).syncFileSystem() == isFlushed)
  }

  @Test("Fault injection: another kind of file system can be simulated")
  func fileSystem() throws {
    let fault = arm(.fileSystem(type: 0x6969, freeBytes: 7))
    defer { fault.disarm() }
    let status = try Directory.open(folder.path).fileSystem()
    #expect(status.networkProtocol == "NFS")
    #expect(status.freeBytes == 7)
  }
}
