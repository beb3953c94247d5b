import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Backup

@Suite struct ArchiveInventoryTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() throws {
    library = try SampleLibrary(
      (1...6).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 9000)) },
      categories: [.sample(1, "family")])
  }

  private func export(day: Int, _ change: (inout ExportOptions) -> Void = { _ in }) async throws -> [String] {
    var options = ExportOptions()
    options.date = Date(timeIntervalSince1970: Double(day) * 86400)
    change(&options)
    return try await Work.export(library.path, to: scratch.path, options: options).summary.archives.map(
      \.string)
  }

  private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  @Test("Archive inventory: the status files of a job are ignored")
  func statusFiles() async throws {
    let paths = try await export(day: 1)
    for (name, text) in [
      ("status.json", "{\"job\":\"family\"}"), ("other.json", "{"), ("family.prom", "# HELP\n"),
    ] {
      try scratch.write(text, to: name)
    }
    let catalog = try ArchiveInventory(folder: scratch.path)
    #expect(catalog.archives.map(\.path) == paths)
    #expect(catalog.unreadable.isEmpty)
  }

  /// An environment failure says nothing of the archive. If the inventory reported the archive as unreadable, a job
  /// would neither prune nor use the archive as a base.
  @Test(
    "Archive inventory: an environment failure is an error, not an unreadable archive",
    arguments: [Errno.noMemory, .tooManyOpenFiles], ["smilepile_backup_1.zip", "1.zip"])
  func environmentFailure(_ failure: Errno, name: String) async throws {
    let path = try await renamedExport(name)
    let fault = ArmedFault(.error(failure), of: [.read], persists: true, below: FilePath(path))
    defer { fault.disarm() }
    #expect(throws: (any Error).self) { try ArchiveInventory(folder: scratch.path) }
  }

  @Test(
    "Archive inventory: an archive that the disk cannot read is reported, whatever its name",
    arguments: ["smilepile_backup_1.zip", "1.zip"])
  func readError(name: String) async throws {
    let path = try await renamedExport(name)
    let fault = ArmedFault(.error(.ioError), of: [.read], persists: true, below: FilePath(path))
    defer { fault.disarm() }
    #expect(try ArchiveInventory(folder: scratch.path).unreadable.map(\.path) == [path])
  }

  /// Exports an archive, gives it another name, and returns its path.
  private func renamedExport(_ name: String) async throws -> String {
    let archive = try #require(try await export(day: 1).first)
    let path = scratch.path.appending(name).string
    try FileManager.default.moveItem(atPath: archive, toPath: path)
    return path
  }

  @Test("Archive inventory: an invalid backup and one of a newer version are reported")
  func unreadableBackups() throws {
    try scratch.write("{}", to: "smilepile_backup_20260101_000000.json")
    try scratch.write("{\"version\":99}", to: "phone.json")
    let catalog = try ArchiveInventory(folder: scratch.path)
    #expect(
      catalog.unreadable.map { FilePath($0.path).lastComponent?.string ?? "" }.sorted() == [
        "phone.json", "smilepile_backup_20260101_000000.json",
      ])
  }

  @Test(
    "Archive inventory: an archive without its first bytes is reported, whatever its name",
    arguments: [0, 1, 3, 400])
  func damagedStart(at offset: Int) async throws {
    let path = try await renamedExport("family.zip")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    if offset < 4 { bytes[offset] ^= 0x10 } else { bytes.removeFirst(offset) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let inventory = try ArchiveInventory(folder: scratch.path)
    #expect(inventory.unreadable.map(\.path) == [path])
    let error = try #require(inventory.unreadable.first?.error as? any ExplainedError)
    #expect(error.remedy == .repairArchive)
  }

  @Test("Archive inventory: members of an incremental backup are its chain; a missing base throws")
  func chain() async throws {
    let full = try await export(day: 1)
    let one = try await export(day: 2) { $0.isIncremental = true }
    let two = try await export(day: 3) { $0.isIncremental = true }
    let newest = try #require(try ArchiveInventory(folder: scratch.path).archives.last)
    #expect(try ArchiveInventory(folder: scratch.path).members(of: newest).map(\.path) == two + one + full)
    try remove(full[0])
    #expect(throws: BrokenChain.self) { try ArchiveInventory(folder: scratch.path).members(of: newest) }
  }

  @Test("Archive inventory: members of a part are all parts; a missing part is reported")
  func splitSet() async throws {
    var limits = PhoneLimits()
    limits.uncompressedBytes = 25_000
    let paths = try await export(day: 1) { $0.phoneLimits = limits }
    try #require(paths.count == 3)
    let last = try #require(try ArchiveInventory(folder: scratch.path).archives.last)
    #expect(
      try ArchiveInventory(folder: scratch.path).members(of: last).map(\.path) == [
        paths[2], paths[0], paths[1],
      ])
    try remove(paths[1])
    let error = #expect(throws: IncompleteSet.self) {
      try ArchiveInventory(folder: scratch.path).members(of: last)
    }
    #expect(error?.missing == [2])
  }
}
