import Foundation
import TestSupport

/// Runs the commands of a document in a sandbox folder, and compares their output with the document.
///
/// A document has files in `/home/anna`, `/srv` and `/mnt`. The runner replaces these by folders in the sandbox. The
/// name of an archive contains the time of its export. The first output with such a name shows the actual name.
struct DocumentRunner {
  /// A difference from the document.
  struct Failure {
    /// The line of the document, from 1.
    var line: Int
    var message: String
  }

  /// The result of a run.
  struct Report {
    var failures: [Failure] = []
    /// The document, with the actual output where it differs.
    var lines: [String]
  }

  private let document: CommandDocument
  private let folder = ScratchFolder()
  private let binary: String
  private let refreshesAll: Bool
  /// The actual times in names of archives, by the times that the document shows.
  private var times: [String: String] = [:]
  private var lastStatus = 0

  private var root: String { folder.path.string }
  private var home: String { "\(root)/home/anna" }

  /// - Parameter refreshesAll: also replaces output that differs only in dates and sizes.
  init(_ document: CommandDocument, binary: String, refreshesAll: Bool = false) throws {
    self.refreshesAll = refreshesAll
    self.document = document
    self.binary = binary
    for name in ["home/anna/Downloads", "srv", "mnt", "tmp", "bin"] { try folder.makeFolder(name) }
    try folder.link("bin/smilepile", to: binary)
    for phone in SamplePhone.all {
      try folder.write(phone.backup, to: "home/anna/Downloads/\(phone.fileName)")
    }
    let scenes = try String(contentsOfFile: "\(ScriptFile.folder)/Documents/scenes.sh", encoding: .utf8)
    try folder.write(inSandbox(scenes), to: "scenes.sh")
    try folder.write(home, to: "folder")
  }

  /// Runs all steps up to the first failure that the document does not show. Blocks.
  mutating func run() throws -> Report {
    var report = Report(lines: document.lines)
    // applied from the end, so that the indices stay valid
    var replacements: [(Range<Int>, [String])] = []
    for (index, step) in document.steps.enumerated() {
      let outcome = try run(step)
      let output = String(decoding: outcome.output, as: UTF8.self).replacing(root, with: "")
      if let trouble = outcome.trouble {
        report.failures.append(Failure(line: step.line, message: trouble))
        break
      }
      if let shown = step.output {
        let expected = document.lines[shown].joined(separator: "\n")
        learnTimes(expected, output)
        let wanted = TextMatcher.exactly(Self.normalized(expected))
        if wanted.mismatch(in: Array(Self.normalized(output).utf8)) != nil {
          report.failures.append(Failure(line: step.line, message: "`\(step.command)` prints:\n\(output)"))
          replacements.append((shown, asInDocument(output)))
        } else if refreshesAll, !expected.contains("…") {
          replacements.append((shown, asInDocument(output)))
        }
      }
      lastStatus = outcome.status
      let next = document.steps.dropFirst(index + 1).first
      let showsStatus = step.output != nil && next?.command.hasPrefix("echo $?") == true
      if outcome.status != 0, !showsStatus {
        report.failures.append(
          Failure(
            line: step.line,
            message:
              "`\(step.command)` ends with \(outcome.status), and the document does not show it:\n\(output)"))
        break
      }
    }
    for (range, lines) in replacements.reversed() { report.lines.replaceSubrange(range, with: lines) }
    return report
  }

  private func run(_ step: CommandDocument.Step) throws -> ShellCommand.Outcome {
    // each step runs in its own shell, which gives its output and status; variables and folder are passed on
    let text = """
      [ ! -f '\(root)/variables' ] || . '\(root)/variables'
      cd "$(cat '\(root)/folder')" || exit 126
      set -a
      (exit \(lastStatus))
      {
      \(inSandbox(step.command))
      } 2>&1
      sandbox_status=$?
      pwd > '\(root)/folder'; export -p > '\(root)/variables'
      exit $sandbox_status
      """
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try ShellCommand(
      text: text, folder: root,
      environment: [
        "HOME": home, "TMPDIR": "\(root)/tmp", "PATH": "\(root)/bin:\(inherited)", "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SCENES": "\(root)/scenes.sh", "RECIPES": Fixture.path("../docs/recipes").string,
      ]
    ).run()
  }

  /// Replaces the paths in a command by those of the sandbox, and the names of archives by the actual ones.
  private func inSandbox(_ command: String) -> String {
    var text = command.replacing(#/(?:^|(?<before>[\s"'=:,>\[\(]))(?<path>\/(?:home\/anna|srv|mnt)\b)/#) {
      match in
      "\(match.output.before ?? "")\(root)\(match.output.path)"
    }
    for (shown, actual) in times { text.replace(shown, with: actual) }
    return text
  }

  /// Stores the actual times in names of archives for those that the document shows.
  private mutating func learnTimes(_ expected: String, _ actual: String) {
    let shown = expected.matches(of: Self.time).map { String($0.output) }
    let given = actual.matches(of: Self.time).map { String($0.output) }
    guard shown.count == given.count else { return }
    for (shown, given) in zip(shown, given) where times[shown] == nil { times[shown] = given }
  }

  /// The lines of an output, with the times in names that the document shows.
  private func asInDocument(_ output: String) -> [String] {
    var text = output
    for (shown, actual) in times { text.replace(actual, with: shown) }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static var time: Regex<Substring> { #/\d{8}_\d{6}/# }

  /// Replaces what differs between runs: dates, sizes, IDs and the alignment of columns.
  private static func normalized(_ text: String) -> String {
    text.replacing(time, with: "<time>")
      .replacing(#/\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?: UTC)?)?Z?/#, with: "<date>")
      .replacing(#/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#, with: "<id>")
      .replacing(#/\d+(?:\.\d+)? (?:bytes|KiB|MiB|GiB)/#, with: "<size>")
      .replacing(#/\b\d{13}\b/#, with: "<milliseconds>")
      .replacing(#/ +/#, with: " ")
  }
}
