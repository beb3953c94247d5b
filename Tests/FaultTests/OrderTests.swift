import Foundation
import SystemPackage
import TestSupport
import Testing

/// The order in which a change and an archive become durable, as the kernel sees it: what a power cut leaves depends
/// on nothing else.
@Suite(
  .enabled("strace is not installed, or may not follow processes here") { Programs.strace != nil })
struct OrderTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Runs the command and returns what it did.
  private func trace(_ arguments: String...) throws -> SystemCallTrace {
    let command = try #require(Programs.built("smilepile"))
    let log = scratch.path.appending("trace.log").string
    let calls =
      "fsync,fdatasync,rename,renameat,renameat2,linkat,mkdirat,unlinkat,unlink,pwrite64,write,openat"
    let (status, output) = try Programs.run(
      try #require(Programs.strace),
      ["-f", "-y", "-qq", "-s", "256", "-o", log, "-e", "trace=\(calls)", command] + arguments,
      in: scratch.path.string)
    #expect([0, 3].contains(status), "\(output)")
    return SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
  }

  @Test func anImportIsDurableStepByStep() throws {
    let library = scratch.path.appending("Library").string
    let command = try #require(Programs.built("smilepile"))
    #expect(try Programs.run(command, ["init", library], in: scratch.path.string).0 == 0)
    let trace = try trace("import", "-l", library, Fixture.androidV2.string)

    let staging = library + "/.staging"
    let moves = trace.all("renameat2") { $0.path.hasPrefix(staging) }
    let firstMove = try #require(moves.first)
    let lastMove = try #require(moves.last)
    #expect(moves.count == 8)
    #expect(moves.allSatisfy { $0.arguments.contains("RENAME_NOREPLACE") })

    // the staged files, before the journal
    let journalWritten = try trace.first("fsync") { $0.path.hasSuffix("/journal.new") }
    for move in moves {
      let flush = try trace.first("fsync") { $0.path == move.path }
      #expect(flush.end < journalWritten.begin)
    }
    // the journal, its name, its folder, and the folders above
    let journalNamed = try trace.first("renameat") { $0.paths.last?.hasSuffix("/journal") == true }
    #expect(journalWritten.end < journalNamed.begin)
    var last = journalNamed
    let changeFolder = FilePath(firstMove.path).removingLastComponent().string
    for folder in [changeFolder, staging, library] {
      let flush = try trace.first("fsync") { $0.path == folder && $0.begin > last.end }
      #expect(flush.end < firstMove.begin, "\(folder) is flushed too late")
      last = flush
    }
    // every folder that changed, and each new ancestor in the one above it, before the database
    let log = library + "/library.sqlite-wal"
    let commit = try trace.first("pwrite64") { $0.path == log && $0.begin > lastMove.end }
    for move in moves {
      let folder = FilePath(move.paths.last ?? "").removingLastComponent().string
      #expect(
        trace.all("fsync").contains { $0.path == folder && $0.begin > move.end && $0.end < commit.begin },
        "\(folder) is not flushed")
    }
    let made = trace.all("mkdirat") { $0.path.hasPrefix(library + "/photos/") }
    #expect(made.count >= 2)
    for folder in made {
      let parent = FilePath(folder.path).removingLastComponent().string
      #expect(
        trace.all("fsync").contains { $0.path == parent && $0.begin > folder.end && $0.end < commit.begin },
        "\(parent) is not flushed after \(folder.path) was made")
    }
    // the commit, before the journal goes
    let flushed = try trace.first("fsync", "fdatasync") { $0.path == log && $0.begin > commit.end }
    let journalGone = try trace.first("unlinkat") { $0.path == changeFolder + "/journal" }
    #expect(flushed.end < journalGone.begin)
  }

  @Test func anArchiveIsFlushedBeforeItHasAName() throws {
    let library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: [1, 2, 3])], categories: [.sample(1, "family")])
    let out = try scratch.makeFolder("out").string
    let trace = try trace("export", "-l", library.path.string, "-o", out)
    let name = try trace.first("linkat", "renameat2", "link") {
      $0.paths.last?.hasPrefix(out + "/smilepile_backup") == true
    }
    let written = trace.all("pwrite64") { $0.path.hasPrefix(out + "/") }
    let flush = try trace.first("fsync") { $0.path.hasPrefix(out + "/") }
    #expect(!written.isEmpty)
    #expect(written.filter { $0.end > flush.begin }.map(\.description) == [])
    #expect(flush.end < name.begin)
    #expect(
      trace.all("fsync").contains { $0.path == out && $0.begin > name.end }, "the folder is not flushed")
  }
}
