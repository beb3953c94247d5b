import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// A job is killed at one of its writing system calls, then at a later one, until it gets to its end. With
/// `SMILEPILE_WALK=1` at every single one.
@Suite(.waitsForPrograms) struct KilledJobTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary

  init() throws {
    scratch = try ScratchFolder()
    library = try SampleLibrary(
      (1...4).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 3000)) },
      categories: [.sample(1, "family")])
  }

  private func layOut() throws -> FilePath {
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

  @Test func nextRunMakesGoodWhateverWasCutOff() async throws {
    let program = try #require(Programs.built("FaultWalk"))
    let stride = ProcessInfo.processInfo.environment["SMILEPILE_WALK"] == nil ? 5 : 1
    let before = try library.tree
    var kills = 0
    var call = 1
    while true {
      // an older archive lies there already, which the retention takes away
      let file = try layOut()
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
      #expect(report.run.outcome.isSuccess, "killed at \(call): \(report.run)")
      for name in ["one", "two"] {
        let folder = scratch.path.appending(name)
        let archives = try ArchiveInventory(folder: folder).archives
        #expect(
          archives.count == 1 && archives[0].fingerprint != nil, "killed at \(call): \(archives.map(\.name))")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
        #expect(names.count == 1, "killed at \(call): \(names)")
      }
      let states = try ["one", "two"].map {
        try ArchiveInventory(folder: scratch.path.appending($0)).archives[0].fingerprint
      }
      #expect(states[0] == states[1], "killed at \(call)")
      if status == 0 { break }
      kills += 1
      call += stride
    }
    #expect(kills > 5)
    #expect(try library.tree.fileNames == before.fileNames)
  }

  /// At every moment the newest archive that is there is whole, and there is one.
  private func check(at call: Int) async throws {
    for name in ["one", "two"] {
      let catalog = try ArchiveInventory(folder: scratch.path.appending(name))
      #expect(catalog.unreadable.isEmpty && !catalog.archives.isEmpty, "killed at \(call): \(catalog)")
      for archive in catalog.archives {
        let damage = try await Work.verify([FilePath(archive.path)]).summary.damaged
        #expect(damage.isEmpty, "killed at \(call): \(damage)")
      }
    }
  }
}
