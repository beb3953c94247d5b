/// A script: commands with their expectations. README.md in the folder above describes its syntax.
struct Script: Sendable {
  /// One command with its expectations.
  struct Step: Sendable {
    /// The line of the command in the file.
    var line: Int
    /// The text for the shell, without the `$`.
    var command: String
    /// `export` lines that the shell runs before the command.
    var environment: [String]
    /// The programs that the step needs. It is skipped if one is missing.
    var needs: [String]
    /// Shell commands that must succeed. The step is skipped if one fails.
    var conditions: [String]
    /// The width of the terminal; nil if the step has none.
    var terminalColumns: Int?
    /// The texts that are typed, in this order.
    var replies: [Reply] = []
    /// The expected exit status, and the line of `exit`; nil if there is none.
    var exit: (status: Int, line: Int?) = (0, nil)
    /// What must be true after the command.
    var expectations: [Expectation] = []
  }

  /// An answer that is typed when its prompt has appeared.
  struct Reply: Sendable {
    var line: Int
    var prompt: String
    var answer: String
  }

  /// A line below a command with what must be true.
  struct Expectation: Sendable {
    var line: Int
    /// The line in the script.
    var source: String
    var check: Check
  }

  /// What an expectation checks.
  enum Check: Sendable {
    case text(Subject, TextMatcher)
    case file(String, exists: Bool)
    case json(JSONExpectation)
    case fits
  }

  /// The source of a text.
  enum Subject: Sendable, Equatable {
    case stdout, stderr
    /// The output to the terminal without escape sequences, with each drawing of a line on its own line.
    case screen
    /// All bytes sent to the terminal.
    case raw
    case file(String)
  }

  /// The name in messages.
  var name: String
  var steps: [Step]
}

/// A mistake in a script, or an expectation that does not hold.
struct ScriptFailure: Error, CustomStringConvertible {
  var script: String
  var line: Int
  var message: String

  var description: String { "\(script):\(line): \(message)" }
}
