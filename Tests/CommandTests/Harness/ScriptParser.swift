/// Parses a script. It finds all mistakes in a script before a command runs.
struct ScriptParser {
  private let name: String
  private let lines: [String]
  private var index = 0
  private var steps: [Script.Step] = []
  private var environment: [String] = []
  private var needs: [String] = []
  /// The programs that all steps below need.
  private var lastingNeeds: [String] = []
  private var conditions: [String] = []
  private var columns: Int?

  /// Parses `text`.
  ///
  /// - Throws: `ScriptFailure` with the first line that is not understood.
  static func parse(_ text: String, name: String) throws -> Script {
    var parser = ScriptParser(name: name, text: text)
    while parser.index < parser.lines.count { try parser.readLine() }
    if parser.columns != nil { throw parser.failure("no command follows 'terminal'") }
    return Script(name: name, steps: parser.steps)
  }

  private init(name: String, text: String) {
    self.name = name
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private mutating func readLine() throws {
    let line = lines[index]
    index += 1
    var scanner = LineScanner(line)
    switch scanner.word() {
    case "": (needs, conditions) = ([], [])
    case let word where word.hasPrefix("#"): break
    case "$": addStep(scanner.remainder)
    case "[needs" where line.hasSuffix("]"):
      needs = scanner.remainder.dropLast().split(separator: " ").map(String.init)
    case "[if" where line.hasSuffix("]"): conditions.append(String(scanner.remainder.dropLast()))
    case "env": environment.append("export \(scanner.remainder)")
    case "clock":
      guard scanner.remainder.wholeMatch(of: #/[+-]\d+[smhd]/#) != nil else {
        throw failure("'clock' needs an offset: clock +2m")
      }
      environment.append("smilepile() { clock \(scanner.remainder) smilepile \"$@\"; }")
      lastingNeeds = ["faketime"]
    case "terminal":
      guard let number = Int(scanner.remainder), (1...1000).contains(number) else {
        throw failure("'terminal' needs a width in columns: terminal 80")
      }
      columns = number
    case let word:
      guard !steps.isEmpty else { throw failure("'\(word)' before the first command") }
      try readExpectation(word, scanner, source: line)
    }
  }

  private mutating func addStep(_ command: String) {
    var step = Script.Step(
      line: index, command: command, environment: environment, needs: needs + lastingNeeds,
      conditions: conditions,
      terminalColumns: columns)
    while index < lines.count, lines[index].hasPrefix("> ") {
      step.command += "\n" + lines[index].dropFirst(2)
      index += 1
    }
    columns = nil
    steps.append(step)
  }

  private mutating func readExpectation(_ word: String, _ rest: LineScanner, source: String) throws {
    var scanner = rest
    let line = index
    let last = steps.count - 1
    let check: Script.Check
    switch word {
    case "exit":
      guard let status = Int(scanner.remainder) else { throw failure("'exit' needs a number: exit 3") }
      steps[last].exit = (status, line)
      return
    case "when":
      try needTerminal(for: "when")
      let prompt = try text(&scanner)
      guard scanner.word() == "type" else { throw failure("expected: when 'prompt' type \"answer\\n\"") }
      steps[last].replies.append(.init(line: line, prompt: prompt, answer: try text(&scanner)))
      try expectEnd(scanner)
      return
    case "stdout", "stderr":
      if steps[last].terminalColumns != nil { throw failure("on a terminal, say 'screen' or 'raw'") }
      check = .text(word == "stdout" ? .stdout : .stderr, try matcher(&scanner))
    case "screen", "raw":
      try needTerminal(for: word)
      check =
        word == "screen" && scanner.remainder == "fits"
        ? .fits : .text(word == "screen" ? .screen : .raw, try matcher(&scanner))
    case "file":
      let path = try text(&scanner)
      switch scanner.remainder {
      case "exists": check = .file(path, exists: true)
      case "is missing": check = .file(path, exists: false)
      default: check = .text(.file(path), try matcher(&scanner))
      }
    case "json":
      do { check = .json(try JSONExpectation(scanner.remainder)) } catch { throw failure("\(error)") }
    default: throw failure("'\(word)' is not understood")
    }
    steps[last].expectations.append(.init(line: line, source: source, check: check))
  }

  /// Reads `is 'text'`, `contains`, `lacks`, `matches`, `is empty` or `is json lines`. If the line has no text, reads
  /// the block of lines below it.
  private mutating func matcher(_ scanner: inout LineScanner) throws -> TextMatcher {
    let verb = scanner.word()
    switch (verb, scanner.remainder) {
    case ("is", "empty"): return .empty
    case ("is", "json lines"): return .jsonLines
    case ("is", _), ("contains", _), ("lacks", _), ("matches", _): break
    default: throw failure("expected is, contains, lacks or matches, not '\(verb)'")
    }
    let expected = scanner.remainder.isEmpty ? try block() : try text(&scanner)
    try expectEnd(scanner)
    switch verb {
    case "is": return .exactly(expected)
    case "contains": return .containing(expected)
    case "lacks": return .lacking(expected)
    default:
      guard (try? Regex(expected)) != nil else { throw failure("not a regular expression: \(expected)") }
      return .matching(expected)
    }
  }

  private mutating func block() throws -> String {
    var block: [Substring] = []
    while index < lines.count, lines[index] == "|" || lines[index].hasPrefix("| ") {
      block.append(lines[index].dropFirst(2))
      index += 1
    }
    if block.isEmpty { throw failure("a text in quotes is missing, or lines that begin with '| '") }
    return block.joined(separator: "\n")
  }

  private func text(_ scanner: inout LineScanner) throws -> String {
    guard let text = scanner.text() else { throw failure("a text in '…' or \"…\" is missing or not closed") }
    return text
  }

  private func expectEnd(_ scanner: LineScanner) throws {
    if !scanner.remainder.isEmpty { throw failure("'\(scanner.remainder)' is one word too many") }
  }

  private func needTerminal(for word: String) throws {
    if steps[steps.count - 1].terminalColumns == nil {
      throw failure("'\(word)' needs 'terminal 80' on the line above the command")
    }
  }

  private func failure(_ message: String) -> ScriptFailure {
    ScriptFailure(script: name, line: index, message: message)
  }
}
