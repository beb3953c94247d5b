import Foundation
import SystemPackage
import TestSupport
import Testing

/// Counts the system calls of a scheduled run of an unchanged library.
@Suite(
  .waitsForPrograms,
  .enabled("strace is not installed, or may not follow processes here") { Programs.strace != nil })
struct UnchangedNightTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() throws {
    library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: [1, 2, 3])], categories: [.sample(1, "family")])
    try scratch.makeFolder("one")
    try scratch.makeFolder("two")
    try scratch.write(
      """
      jobs:
        family:
          library: \(library.path)
          destinations: [one, two]
          incremental: true
          retention: {keep-daily: 7}

      """, to: "jobs.yaml")
  }

  /// Runs the job and returns its system calls.
  private func backUp() throws -> SystemCallTrace {
    let command = try #require(Programs.built("smilepile"))
    let (trace, result) = try SystemCallTrace.run(
      [command, "backup", "--config", "\(scratch.path)/jobs.yaml"], tracing: "openat,getdents64",
      in: scratch.path, environment: ["XDG_STATE_HOME": "\(scratch.path)/state"])
    #expect(result.status == 0, "\(result.text)")
    return trace
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
