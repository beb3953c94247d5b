import Foundation
import SystemPackage
import TestSupport
import Testing

/// Counts the system calls of a scheduled run of an unchanged library.
@Suite(
  .waitsForPrograms,
  .enabled("strace is not installed, or may not follow processes here") { Programs.strace != nil })
struct UnchangedNightTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary

  init() throws {
    scratch = try ScratchFolder()
    library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: [1, 2, 3])], categories: [.sample(1, "family")])
    _ = try scratch.makeFolder("one")
    _ = try scratch.makeFolder("two")
    try scratch.write(
      Array(
        """
        jobs:
          family:
            library: \(library.path)
            destinations: [one, two]
            incremental: true
            retention: {keep-daily: 7}

        """.utf8), to: "jobs.yaml")
  }

  /// Runs the job and returns its system calls.
  private func backUp() throws -> SystemCallTrace {
    let command = try #require(Programs.built("smilepile"))
    let log = scratch.path.appending("trace.log").string
    let (status, output) = try Programs.run(
      try #require(Programs.strace),
      [
        "-f", "-y", "-qq", "-s", "256", "-o", log, "-e", "trace=openat,getdents64", "env",
        "XDG_STATE_HOME=\(scratch.path)/state", command, "backup", "--config", "\(scratch.path)/jobs.yaml",
      ], in: scratch.path.string)
    #expect(status == 0, "\(output)")
    return SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
  }

  @Test(
    "Unchanged night: the library is opened once, and each destination is listed once")
  func systemCalls() throws {
    _ = try backUp()
    let trace = try backUp()
    // each connection opens the write-ahead log
    let opened = trace.all("openat") { $0.paths.last?.hasSuffix("/library.sqlite-wal") == true }
    #expect(opened.count == 1)
    #expect(opened.allSatisfy { $0.paths.last?.hasPrefix("/proc/self/fd/") == true })
    for name in ["one", "two"] {
      let folder = scratch.path.appending(name).string
      // a listing takes one call for the names, and one that returns none
      #expect(trace.all("getdents64") { $0.path == folder }.count == 2, "\(name)")
    }
  }
}
