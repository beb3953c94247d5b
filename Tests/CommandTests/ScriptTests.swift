import Foundation
import TestSupport
import Testing

/// A script file, as an argument of a test.
struct ScriptFile: Sendable, CustomTestStringConvertible {
  var path: String
  var name: String { URL(fileURLWithPath: path).lastPathComponent }
  var testDescription: String { name }

  /// The folder of this file; the scripts and the fixtures are found from it.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
  static let fixtures = URL(fileURLWithPath: "\(folder)/../../Fixtures").standardized.path

  /// All scripts, or those whose name contains `SMILEPILE_SCRIPT`.
  static let all: [ScriptFile] = {
    let wanted = ProcessInfo.processInfo.environment["SMILEPILE_SCRIPT"] ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/Scripts")) ?? []
    return names.filter { $0.hasSuffix(".txt") && (wanted.isEmpty || $0.contains(wanted)) }.sorted()
      .map { ScriptFile(path: "\(folder)/Scripts/\($0)") }
  }()
}

/// The command that the scripts run.
enum Binary {
  /// `SMILEPILE_BINARY`, or the program that was built along with the tests; nil if there is neither.
  static let path: String? = {
    if let given = ProcessInfo.processInfo.environment["SMILEPILE_BINARY"] {
      return URL(fileURLWithPath: given).path
    }
    return Programs.built("smilepile")
  }()
}

@Suite("Command scripts", .waitsForPrograms)
struct ScriptTests {
  @Test("Command: each script passes", arguments: ScriptFile.all)
  func script(file: ScriptFile) throws {
    let binary = try #require(
      Binary.path, "no smilepile beside the tests: build it, or set SMILEPILE_BINARY")
    do {
      let text = try String(contentsOfFile: file.path, encoding: .utf8)
      let script = try ScriptParser.parse(text, name: file.name)
      let runner = ScriptRunner(binary: binary, fixtures: ScriptFile.fixtures)
      let report = try runner.run(script)
      for failure in report.failures { record(failure, in: file) }
      for skipped in report.skipped {
        if Programs.needsAll { Issue.record("\(skipped)") } else { print(skipped) }
      }
    } catch let failure as ScriptFailure {
      record(failure, in: file)
    }
  }

  @Test("Command: scripts are found")
  func count() { #expect(!ScriptFile.all.isEmpty) }

  private func record(_ failure: ScriptFailure, in file: ScriptFile) {
    let place = SourceLocation(
      fileID: "CommandTests/\(file.name)", filePath: file.path, line: failure.line, column: 1)
    Issue.record("\(failure)", sourceLocation: place)
  }
}
