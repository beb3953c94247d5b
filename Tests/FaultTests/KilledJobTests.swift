import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// Kills a job at a writing system call, then at a later one, until the job completes. With `SMILEPILE_WALK=1` it is
/// killed at every writing system call.
@Suite(.waitsForPrograms) struct KilledJobTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary

  init() throws {
    scratch = try ScratchFolder()
    library = try SampleLibrary(
      (1...4).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 3000)) },
      categories: [.sample(1, "family")])
  }

  /// Makes empty folders, and writes the job file.
  private func writeJobFile() throws -> FilePath {
    for name in ["one", "two", "state"] {
      let folder = scratch.path.appending(name).string
      if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
      _ = try scratch.makeFolder(name)
    }
    let text = """
      jobs:
        family:
          library: \(library.path)
          destinations: [one, two]
          retention: {keep-last: 1}
          status-file: status.json
      """
    return try scratch.write(Array(text.utf8), to: "jobs.yaml")
  }

  private func context(_ day: Int) -> JobContext {
    var context = JobContext(
      state: StateFolder(path: scratch.path.appending("state")), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
    context.now = { Date(timeIntervalSince1970: 1_767_232_800 + Double(day) * 86400) }
    return context
  }

  @Test("Killed job: all archives are intact, and the next run completes both destinations")
  func killedRun() async throws {
    let program = try #require(Programs.built("FaultWalk"))
    let stride = ProcessInfo.processInfo.environment["SMILEPILE_WALK"] == nil ? 5 : 1
    let before = try library.tree
    var kills = 0
    var call = 1
    while true {
      // the destinations have an older archive, which the retention policy prunes
      let file = try writeJobFile()
      let job = try #require(try JobFile(file, environment: [:]).jobs.first)
      var first = context(0)
      first.isForced = true
      #expect(try await Work.backup(job, first).summary.run.outcome == .done)
      var edit = LibraryEdit()
      var category = try library.contents.categories[0]
      category.displayName = "Killed at \(call)"
      edit.changedCategories = [category]
      try LibraryWriter(path: library.path).change(.add) { try $0.commit(edit, files: []) }

      let (status, output) = try Programs.run(
        program,
        [
          "--night", file.string, scratch.path.appending("state").string,
          "\(context(1).now().timeIntervalSince1970)", "\(call)",
        ], in: scratch.path.string)
      #expect(status == 0 || status == SIGKILL, "\(output)")
      try await check(at: call)
      let report = try await Work.backup(job, context(2)).summary
      #expect(report.run.outcome.isComplete, "killed at \(call): \(report.run)")
      for name in ["one", "two"] {
        let folder = scratch.path.appending(name)
        let archives = try ArchiveInventory(folder: folder).archives
        try #require(archives.count == 1, "killed at \(call): \(archives.map(\.name))")
        #expect(archives[0].fingerprint != nil, "killed at \(call): \(archives.map(\.name))")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
        #expect(names.count == 1, "killed at \(call): \(names)")
      }
      let fingerprints = try ["one", "two"].map {
        try ArchiveInventory(folder: scratch.path.appending($0)).archives[0].fingerprint
      }
      #expect(fingerprints[0] == fingerprints[1], "killed at \(call)")
      if status == 0 { break }
      kills += 1
      call += stride
    }
    #expect(kills > 5)
    #expect(try library.tree.fileNames == before.fileNames)
  }

  /// Expects that both destinations have an archive, and that all archives are intact.
  private func check(at call: Int) async throws {
    for name in ["one", "two"] {
      let inventory = try ArchiveInventory(folder: scratch.path.appending(name))
      #expect(inventory.unreadable.isEmpty, "killed at \(call): \(inventory)")
      #expect(!inventory.archives.isEmpty, "killed at \(call): \(inventory)")
      for archive in inventory.archives {
        let damage = try await Work.verify([FilePath(archive.path)]).summary.damaged
        #expect(damage.isEmpty, "killed at \(call): \(damage)")
      }
    }
  }
}
