import Foundation
import TestSupport
import Testing

/// Runs every command line of the README, the guide and the recovery documents.
@Suite("Documents", .waitsForPrograms)
struct DocumentCommandTests {
  /// A document, as an argument of a test.
  struct File: Sendable, CustomTestStringConvertible {
    var name: String
    var testDescription: String { name }
    var path: String { "\(DocumentCommandTests.root)/\(name)" }

    static let all: [File] = {
      let folders = ["docs/guide", "docs/recovery"]
      let names = folders.flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
      }
      return (["README.md"] + names).map { File(name: $0) }
    }()
  }

  /// The programs that the commands need in addition to the tools of every system.
  private static let programs = ["jq", "unzip"]
  /// The programs that the commands of a document need in addition to these.
  private static let programsOfDocument = [
    "docs/guide/pictures.md": ["vips"], "docs/guide/catalogue.md": ["vips"],
    "docs/guide/duplicates.md": ["python3", "vips"],
  ]

  private static let root = URL(fileURLWithPath: "\(ScriptFile.folder)/../..").standardized.path

  /// `SMILEPILE_WRITE_DOCS=1 swift test --filter DocumentCommandTests` writes the output of the commands into the
  /// documents where the test would fail; with the value `all` it also updates dates and sizes.
  @Test("Documents: the commands print what the document shows", arguments: File.all)
  func commands(_ file: File) throws {
    let binary = try #require(
      Binary.path, "no smilepile beside the tests: build it, or set SMILEPILE_BINARY")
    let programs = Self.programs + Self.programsOfDocument[file.name, default: []]
    // with `SMILEPILE_NEEDS_ALL`, a command that is missing fails
    guard programs.allSatisfy(Programs.has) else { return }
    let document = CommandDocument(try String(contentsOfFile: file.path, encoding: .utf8))
    for fault in document.faults { record(fault.message, at: fault.line, of: file) }
    let mode = ProcessInfo.processInfo.environment["SMILEPILE_WRITE_DOCS"]
    var runner = try DocumentRunner(document, binary: binary, refreshesAll: mode == "all")
    let report = try runner.run()
    for failure in report.failures { record(failure.message, at: failure.line, of: file) }
    if mode != nil, report.lines != document.lines {
      try Data(report.lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file.path))
    }
  }

  @Test("Documents: README, guide and recovery are found")
  func count() {
    #expect(File.all.count > 12)
  }

  @Test("Documents: the target of each link to a file of this repository exists")
  func links() throws {
    let documents = try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/docs").map {
      "docs/\($0)"
    }
    let roots = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    for name in roots + documents where name.hasSuffix(".md") {
      let url = URL(fileURLWithPath: "\(Self.root)/\(name)")
      let text = try String(contentsOf: url, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
        let target = url.deletingLastPathComponent().appendingPathComponent(String(match.1)).path
        #expect(FileManager.default.fileExists(atPath: target), "\(name) links to \(match.1)")
      }
    }
  }

  private func record(_ message: String, at line: Int, of file: File) {
    let place = SourceLocation(
      fileID: "CommandTests/\(file.name)", filePath: file.path, line: line, column: 1)
    Issue.record("\(file.name):\(line): \(message)", sourceLocation: place)
  }
}
