import Foundation

/// A Markdown document with commands that a test runs. README.md beside `Scripts/` describes the kinds of blocks.
struct CommandDocument: Sendable {
  /// Commands that run together. Steps are in the order of the document.
  struct Step: Sendable {
    /// The first line of the step in the document, from 1.
    var line: Int
    /// The text for the shell.
    var command: String
    /// The lines of the document that show its output, as indices of `lines`; nil if the document shows none.
    var output: Range<Int>?
  }

  /// A block or line that a test cannot run.
  struct Fault: Sendable, CustomStringConvertible {
    var line: Int
    var message: String
    var description: String { "line \(line): \(message)" }
  }

  /// The document, line by line.
  let lines: [String]
  private(set) var steps: [Step] = []
  private(set) var faults: [Fault] = []

  /// The commands allowed in a `sh system` block. They change the machine or need another one, so that no test runs
  /// them.
  static let systemCommands: Set<String> = [
    "sudo", "systemctl", "apt", "mount", "umount", "ssh", "rsync", "git", "scripts/install",
    "scripts/package",
    "scripts/demo", "scripts/test",
  ]
  /// Kinds of blocks without commands.
  private static let plainKinds: Set<String> = ["", "text", "swift", "json", "ini"]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var index = 0
    while index < lines.count {
      if lines[index].hasPrefix("<!-- run:") {
        index = readHiddenCommands(from: index)
      } else if lines[index].hasPrefix("```") {
        index = readBlock(from: index)
      } else {
        index += 1
      }
    }
  }

  /// Reads `<!-- run: … -->`. These commands prepare what the reader of the document already has.
  private mutating func readHiddenCommands(from start: Int) -> Int {
    let end = lines[start...].firstIndex { $0.hasSuffix("-->") } ?? lines.endIndex - 1
    let text = lines[start...end].joined(separator: "\n").dropFirst("<!-- run:".count).dropLast(3)
    steps.append(Step(line: start + 1, command: "set -e\n\(text)", output: nil))
    return end + 1
  }

  private mutating func readBlock(from start: Int) -> Int {
    let body = start + 1
    let end = lines[body...].firstIndex { $0 == "```" } ?? lines.endIndex
    let kind = String(lines[start].dropFirst(3))
    switch kind {
    case "console": readSession(body..<end)
    case "sh":
      let text = lines[body..<end].joined(separator: "\n")
      steps.append(Step(line: body + 1, command: "set -e\n\(text)", output: nil))
    case "yaml": readFile(body..<end)
    case "sh system":
      for index in body..<end {
        let first = lines[index].split(separator: " ").first.map(String.init) ?? "#"
        if !first.hasPrefix("#"), !Self.systemCommands.contains(first) {
          faults.append(Fault(line: index + 1, message: "`\(first)` can be run by a test"))
        }
      }
    case _ where Self.plainKinds.contains(kind): break
    default: faults.append(Fault(line: start + 1, message: "a block of the unknown kind `\(kind)`"))
    }
    return end + 1
  }

  /// Reads commands, each after `$ ` and continued after `> `, with the output below.
  private mutating func readSession(_ range: Range<Int>) {
    for index in range {
      let line = lines[index]
      if line.hasPrefix("$ ") {
        let command = String(line.dropFirst(2))
        steps.append(Step(line: index + 1, command: command, output: index + 1..<index + 1))
      } else if let last = steps.indices.last, steps[last].output != nil, index > range.lowerBound {
        if line.hasPrefix("> "), steps[last].output?.isEmpty == true {
          steps[last].command += "\n" + line.dropFirst(2)
          steps[last].output = index + 1..<index + 1
        } else {
          steps[last].output = (steps[last].output?.lowerBound ?? index)..<index + 1
        }
      } else {
        faults.append(Fault(line: index + 1, message: "output without a command"))
      }
    }
  }

  /// Reads a file whose first line is a comment with its path: `# ~/.config/smilepile/config.yaml`.
  private mutating func readFile(_ range: Range<Int>) {
    let words = lines[range].first.map { $0.split(separator: " ") } ?? []
    guard words.first == "#", words.count > 1, words[1].hasPrefix("~/") else { return }
    let path = "$HOME/" + words[1].dropFirst(2).replacing(",", with: "")
    let text = lines[range].joined(separator: "\n")
    steps.append(
      Step(
        line: range.lowerBound + 1,
        command:
          "set -e\nmkdir -p \"$(dirname \(path))\"\ncat > \(path) <<'END_OF_FILE'\n\(text)\nEND_OF_FILE",
        output: nil))
  }
}
