import Foundation
import SystemPackage
import TestSupport
import Testing

/// Traces the order in which a change and an archive become durable. What a power failure leaves depends on this order.
@Suite(
  .waitsForPrograms,
  .enabled("strace is not installed, or may not follow processes here") { Programs.strace != nil })
struct OrderTests {
  private let scratch = ScratchFolder()

  /// Runs the command and returns its system calls.
  private func trace(_ arguments: String...) throws -> SystemCallTrace {
    let command = try #require(Programs.built("smilepile"))
    let calls =
      "fsync,fdatasync,rename,renameat,renameat2,linkat,mkdirat,unlinkat,unlink,pwrite64,write,openat"
    let (trace, result) = try SystemCallTrace.run([command] + arguments, tracing: calls, in: scratch.path)
    #expect([0, 3].contains(result.status), "\(result.text)")
    return trace
  }

  @Test(
    "Durability: an import flushes files, records moves, moves and commits in this order",
    arguments: [false, true])
  func importOrder(foldersExist: Bool) throws {
    let library = scratch.path.appending("Library").string
    let command = try #require(Programs.built("smilepile"))
    try Programs.output(command, ["init", library])
    if foldersExist {
      for folder in try folders(of: Fixture.androidV2) {
        try scratch.write("a person's", to: "Library/\(folder)/note.txt")
      }
    }
    let trace = try trace("import", "-l", library, Fixture.androidV2.string)

    let staging = library + "/.staging"
    let moves = trace.all("renameat2") {
      $0.path.hasPrefix(staging) && $0.paths.last?.hasPrefix(library + "/photos/") == true
    }
    let firstMove = try #require(moves.first)
    let lastMove = try #require(moves.last)
    #expect(moves.count == 8)
    #expect(moves.allSatisfy { $0.arguments.contains("RENAME_NOREPLACE") })
    let changeFolder =
      staging + "/" + (firstMove.path.dropFirst(staging.count + 1).split(separator: "/").first ?? "")

    // the staged files, then the pending moves in the database, then the renames
    let log = library + "/library.sqlite-wal"
    let staged = trace.all("fsync") { $0.path.hasPrefix(changeFolder + "/") }
    #expect(staged.count == 8)
    let lastStaged = try #require(staged.map(\.end).max())
    let recorded = try #require(trace.first("pwrite64") { $0.path == log && $0.begin > lastStaged })
    let recordFlushed = try #require(
      trace.first("fsync", "fdatasync") { $0.path == log && $0.begin > recorded.end })
    #expect(recordFlushed.end < firstMove.begin)
    #expect(moves.allSatisfy { move in staged.contains { $0.path.hasPrefix(move.path) } })
    // every changed folder, and the parent of each new folder, is flushed before the database
    let commit = try #require(trace.first("pwrite64") { $0.path == log && $0.begin > lastMove.end })
    for move in moves {
      let folder = FilePath(move.paths.last ?? "").removingLastComponent().string
      #expect(trace.flushes(folder, after: move.end, before: commit.begin), "\(folder) is not flushed")
    }
    let made = trace.all("mkdirat") { $0.path.hasPrefix(library + "/photos/") }.map { ($0.path, $0.end) }
    #expect(foldersExist == made.isEmpty)
    for (folder, end) in made {
      let parent = FilePath(folder).removingLastComponent().string
      #expect(
        trace.flushes(parent, after: end, before: commit.begin),
        "\(parent) is not flushed after \(folder) was made")
    }
    #expect(try folders(in: library) == folders(of: Fixture.androidV2))
    // the commit is flushed before the staging folder is removed
    let flushed = try #require(trace.first("fsync", "fdatasync") { $0.path == log && $0.begin > commit.end })
    let removed = try #require(trace.first("unlinkat") { $0.path == changeFolder })
    #expect(flushed.end < removed.begin)
  }

  /// Returns the folders of photos that an import into a new library creates.
  private func folders(of backup: FilePath) throws -> Set<String> {
    let command = try #require(Programs.built("smilepile"))
    let library = scratch.path.appending(UUID().uuidString).string
    for arguments in [["init", library], ["import", "-q", "-l", library, backup.string]] {
      #expect([0, 3].contains(try Programs.run(command, arguments).status))
    }
    return try folders(in: library)
  }

  private func folders(in library: String) throws -> Set<String> {
    let files = try FileManager.default.subpathsOfDirectory(atPath: library)
      .map { FilePath($0) }
      .filter { $0.starts(with: "photos") && $0.extension != nil && $0.extension != "txt" }
    return Set(files.map { $0.removingLastComponent().string })
  }

  @Test("Durability: an archive is flushed before it is published, and its folder afterwards")
  func exportOrder() throws {
    let library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: [1, 2, 3])], categories: [.sample(1, "family")])
    let out = try scratch.makeFolder("out").string
    let trace = try trace("export", "-l", library.path.string, "-o", out)
    let name = try #require(
      trace.first("linkat", "renameat2", "link") {
        $0.paths.last?.hasPrefix(out + "/smilepile_backup") == true
      })
    let written = trace.all("pwrite64") { $0.path.hasPrefix(out + "/") }
    let flush = try #require(trace.first("fsync") { $0.path.hasPrefix(out + "/") })
    #expect(!written.isEmpty)
    #expect(written.filter { $0.end > flush.begin }.map(\.description) == [])
    #expect(flush.end < name.begin)
    #expect(trace.flushes(out, after: name.end), "the folder is not flushed")
  }
}

extension SystemCallTrace {
  /// Returns true if a file or folder is flushed between two lines of the log.
  fileprivate func flushes(_ path: String, after begin: Int, before end: Int = .max) -> Bool {
    all("fsync").contains { $0.path == path && $0.begin > begin && $0.end < end }
  }
}
