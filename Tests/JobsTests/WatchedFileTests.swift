import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// The files that a job replaces for others, and what it must not replace.
struct WatchedFileTests {
  private let text = "somebody's thesis\n"

  private func write(_ text: String, to file: FilePath?) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: try #require(file).string))
  }

  private func text(of file: FilePath?) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: try #require(file).string)), as: UTF8.self)
  }

  @Test func whatNoJobHasWrittenIsNotReplaced() async throws {
    let night = try Night()
    #expect(try await night.backup().outcome == .done)
    for file in [night.job.statusFile, night.job.prometheusFile] {
      let own = try text(of: file)
      try write(text, to: file)
      let run = try await night.backup()
      #expect(run.outcome == .incomplete && run.exitCode == 3)
      #expect(run.message?.contains("is a file that no job has written, and stays") == true)
      #expect(try text(of: file) == text)
      // its own of an earlier run, or none, or an empty one
      try write(own, to: file)
      #expect(try await night.backup().outcome == .unchanged)
      try write("", to: file)
      #expect(try await night.backup().outcome == .unchanged)
      #expect(try text(of: file) != "")
    }
  }

  /// There every job has its own, which another's must not replace.
  @Test func theStateFolderIsNoPlaceForIt() async throws {
    var night = try Night()
    for file in ["other.json", "family.json"] {
      night.job.statusFile = night.folder("state").appending(file)
      let run = try await night.backup()
      #expect(run.outcome == .incomplete && run.message?.contains("lies in the state folder") == true)
    }
    #expect(night.context.state.statuses().map(\.job) == ["family"])
  }

  @Test(arguments: ["status-file", "prometheus-file"]) func theJobFileSaysSoAtOnce(key: String) throws {
    let night = try Night()
    let library = night.library.path
    try write(text, to: night.folder("thesis.txt"))
    func read(_ file: String) throws -> JobFile {
      let text = "jobs:\n  a:\n    library: \(library)\n    destinations: one\n    \(key): \(file)\n"
      return try JobFile(text: text, path: night.folder("jobs.yaml"), home: nil)
    }
    for name in ["library.sqlite", "new.json"] {
      let error = #expect(throws: JobFile.Invalid.self) { try read("\(library)/\(name)") }
      #expect(error?.faults.map(\.line) == [5])
      #expect(error?.faults.first?.message.contains("lies in the library itself") == true)
    }
    // that is no reason not to back up
    for (file, fault) in [
      ("thesis.txt", "is a file that no job has written"), ("one", "is no file, but a folder"),
    ] {
      let warnings = try read(file).warnings
      #expect(warnings.map(\.line) == [5] && warnings[0].message.contains(fault))
    }
    #expect(try read("free.txt").warnings.isEmpty)
  }
}
