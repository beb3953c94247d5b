import Foundation
import Processes
import TestSupport

@testable import smilepile

/// Runs a script in a new folder.
struct ScriptRunner: Sendable {
  /// The program that is `smilepile` in PATH; nil in tests of the harness.
  var binary: String?
  /// The value of `FIXTURES`.
  var fixtures = "/nonexistent"
  /// The time after which a command is killed.
  var timeout: Duration = .seconds(60)

  /// The result of a run.
  struct Report: Sendable {
    /// The failed expectations of one step. The steps after it did not run.
    var failures: [ScriptFailure] = []
    /// A message for each skipped step.
    var skipped: [String] = []
  }

  /// Runs the script to its end or to the first step that fails. Blocks.
  func run(_ script: Script) throws -> Report {
    let scratch = ScratchFolder()
    let root = scratch.path.string
    for name in ["work", "home", "tmp", "bin"] { try scratch.makeFolder(name) }
    if let binary { try scratch.link("bin/smilepile", to: binary) }
    // a script may have made folders read-only
    defer { _ = try? Programs.run("chmod", ["-R", "u+rwX", scratch.path.string]) }

    var report = Report()
    for step in script.steps {
      if let missing = step.needs.first(where: { ChildProcess.find($0) == nil }) {
        report.skipped.append("\(script.name):\(step.line): left out, \(missing) is not installed")
        continue
      }
      if let failed = step.conditions.first(where: { !holds($0, root) }) {
        report.skipped.append("\(script.name):\(step.line): left out, this fails: \(failed)")
        continue
      }
      report.failures = try run(step, of: script.name, in: root)
      if !report.failures.isEmpty { break }
    }
    return report
  }

  /// `clock +2m COMMAND` runs a command whose clock is ahead, by libfaketime. Without it, the function waits for a second
  /// instead, so that an archive gets another name than an earlier one.
  private static let clock = """
    clock() {
      offset=$1; shift
      faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2> /dev/null) || { sleep 1.1; "$@"; return; }
      env LD_PRELOAD="$faketime" FAKETIME="$offset" FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 "$@"
    }
    """

  private func run(_ step: Script.Step, of script: String, in root: String) throws -> [ScriptFailure] {
    let text = ([Self.clock] + step.environment + [step.command]).joined(separator: "\n")
    var command = shell(text, in: root)
    command.terminalColumns = step.terminalColumns
    if step.terminalColumns != nil { command.environment["TERM"] = "xterm" }
    command.replies = step.replies.map { ($0.prompt, $0.answer) }
    let outcome = try command.run()

    var problems: [(line: Int, message: String)] = []
    if let trouble = outcome.trouble { problems.append((step.line, trouble)) }
    if outcome.status != step.exit.status {
      problems.append(
        (step.exit.line ?? step.line, "exit status \(outcome.status), expected \(step.exit.status)"))
    }
    for reply in step.replies.dropFirst(outcome.typedReplies) {
      problems.append((reply.line, "never appeared: \(reply.prompt)"))
    }
    for expectation in step.expectations {
      if let mismatch = mismatch(expectation.check, outcome, step, folder: "\(root)/work") {
        problems.append((expectation.line, "\(expectation.source)\n  but \(mismatch)"))
      }
    }
    let shown = Self.shown(step, outcome)
    return problems.enumerated().map { index, problem in
      // The outputs are shown once, below the last problem.
      ScriptFailure(
        script: script, line: problem.line,
        message: problem.message + (index == problems.count - 1 ? shown : ""))
    }
  }

  private func mismatch(
    _ check: Script.Check, _ outcome: ShellCommand.Outcome, _ step: Script.Step, folder: String
  ) -> String? {
    func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }
    switch check {
    case .text(.stdout, let matcher), .text(.raw, let matcher): return matcher.mismatch(in: outcome.output)
    case .text(.stderr, let matcher): return matcher.mismatch(in: outcome.error)
    case .text(.screen, let matcher): return matcher.mismatch(in: Screen.visibleText(outcome.output))
    case .text(.file(let name), let matcher):
      let data = FileManager.default.contents(atPath: path(name))
      return data.map { matcher.mismatch(in: Array($0)) } ?? "there is no such file"
    case .file(let name, let exists):
      // fileExists follows links, and would not find a dangling link.
      let isFound = (try? FileManager.default.attributesOfItem(atPath: path(name))) != nil
      return isFound == exists ? nil : exists ? "the file is missing" : "the file exists"
    case .json(let expectation): return expectation.mismatch(in: outcome.output)
    case .fits:
      let columns = step.terminalColumns ?? 80
      let lines = String(decoding: Screen.visibleText(outcome.output), as: UTF8.self).split(separator: "\n")
      return lines.first { String($0).displayWidth > columns }.map { "this is wider: \($0)" }
    }
  }

  private static func shown(_ step: Script.Step, _ outcome: ShellCommand.Outcome) -> String {
    func section(_ title: String, _ bytes: [UInt8]) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      return "\n--- \(title)" + (text.isEmpty ? ": empty" : " ---\n\(text)")
    }
    let command = "\n  after line \(step.line):\n$ " + step.command.replacing("\n", with: "\n> ")
    if step.terminalColumns != nil { return command + section("screen", Screen.visibleText(outcome.output)) }
    return command + section("stdout", outcome.output) + section("stderr", outcome.error)
  }

  private func shell(_ text: String, in root: String) -> ShellCommand {
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return ShellCommand(
      text: text, folder: "\(root)/work",
      environment: [
        "HOME": "\(root)/home", "TMPDIR": "\(root)/tmp", "PATH": "\(root)/bin:\(inherited)",
        "LC_ALL": "C.UTF-8", "TZ": "UTC", "FIXTURES": fixtures,
      ], timeout: timeout)
  }

  private func holds(_ condition: String, _ root: String) -> Bool {
    (try? shell(condition, in: root).run().status) == 0
  }
}
