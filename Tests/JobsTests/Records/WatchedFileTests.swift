import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// A job writes a status file and a metrics file, and must not replace other files by them.
struct WatchedFileTests {
  private let text = "somebody's thesis\n"

  private func write(_ text: String, to file: FilePath?) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: try #require(file).string))
  }

  private func text(of file: FilePath?) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: try #require(file).string)), as: UTF8.self)
  }

  @Test("Status and metrics files: a file of another program is not replaced")
  func unknownFile() async throws {
    let night = try Night()
    #expect(try await night.backup().outcome == .done)
    for file in [night.job.statusFile, night.job.prometheusFile] {
      let own = try text(of: file)
      try write(text, to: file)
      let run = try await night.backup()
      #expect(run.outcome == .incomplete)
      #expect(run.exitCode == 3)
      #expect(run.message?.contains("is not a file that smilepile wrote, and was not changed") == true)
      #expect(try text(of: file) == text)
      // its own file of an earlier run, and an empty file, are replaced
      try write(own, to: file)
      #expect(try await night.backup().outcome == .unchanged)
      try write("", to: file)
      #expect(try await night.backup().outcome == .unchanged)
      #expect(try text(of: file) != "")
    }
  }

  /// The state folder holds the status of every job, which a status file must not replace.
  @Test("Status file: a path in the state folder is refused")
  func stateFolder() async throws {
    var night = try Night()
    for file in ["other.json", "family.json"] {
      night.job.statusFile = night.folder("state").appending(file)
      let run = try await night.backup()
      #expect(run.outcome == .incomplete)
      #expect(run.message?.contains("is in the state folder") == true)
    }
    #expect(night.context.state.statuses().map(\.job) == ["family"])
  }

  /// The reader of the job file knows only the library of the job.
  @Test("Status file: a path in another library is refused, and the run is incomplete")
  func otherLibrary() async throws {
    var night = try Night()
    let other = try SampleLibrary([])
    night.job.statusFile = other.path.appending("status.json")
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.message?.contains("status.json is in the library") == true)
    #expect(!FileManager.default.fileExists(atPath: other.path.appending("status.json").string))
  }

  @Test(
    "Job file: an unusable path of a status or metrics file is reported",
    arguments: ["status-file", "prometheus-file"])
  func unusablePath(key: String) throws {
    let night = try Night()
    let library = night.library.path
    try write(text, to: night.folder("thesis.txt"))
    func read(_ file: String) throws -> JobFile {
      let text = "jobs:\n  a:\n    library: \(library)\n    destinations: one\n    \(key): \(file)\n"
      return try JobFile(text: text, path: night.folder("jobs.yaml"), home: nil)
    }
    for name in ["library.sqlite", "new.json"] {
      let error = #expect(throws: InvalidConfiguration.self) { try read("\(library)/\(name)") }
      #expect(error?.faults.map(\.line) == [5])
      #expect(
        error?.faults.first?.message.contains("is in the library; choose a file outside") == true)
    }
    // these paths do not keep a job from running
    for (file, fault) in [
      ("thesis.txt", "is not a file that smilepile wrote"), ("one", "is a folder or a device"),
    ] {
      let warnings = try read(file).warnings
      #expect(warnings.map(\.line) == [5])
      #expect(warnings.first?.message.contains(fault) == true)
    }
    #expect(try read("free.txt").warnings.isEmpty)
  }
}
