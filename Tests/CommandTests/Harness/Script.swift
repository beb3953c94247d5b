/// A script: commands and what is expected of each, as README.md beside this folder describes.
struct Script: Sendable {
  /// One command with its expectations.
  struct Step: Sendable {
    /// Where the command stands in the file.
    var line: Int
    /// The shell's text, without the `$`.
    var command: String
    /// `export` lines that the shell runs before the command.
    var environment: [String]
    /// Programs without which the step is left out.
    var needs: [String]
    /// Shell commands that must succeed, or the step is left out.
    var conditions: [String]
    /// The width of the terminal it runs on, nil for none.
    var terminalColumns: Int?
    /// What is typed, in this order.
    var replies: [Reply] = []
    /// The expected exit status, and the line that says so, if one does.
    var exit: (status: Int, line: Int?) = (0, nil)
    /// What must be true after it.
    var expectations: [Expectation] = []
  }

  /// A text that is typed once another has appeared.
  struct Reply: Sendable {
    var line: Int
    var prompt: String
    var answer: String
  }

  /// A line below a command that says what must be true.
  struct Expectation: Sendable {
    var line: Int
    /// As it stands in the script.
    var source: String
    var check: Check
  }

  /// What an expectation looks at.
  enum Check: Sendable {
    case text(Subject, TextMatcher)
    case file(String, exists: Bool)
    case json(JSONExpectation)
    case fits
  }

  /// Where a text comes from.
  enum Subject: Sendable, Equatable {
    case stdout, stderr
    /// What a person saw: the terminal's output without escape sequences, each redrawn line by itself.
    case screen
    /// All bytes that a terminal was sent.
    case raw
    case file(String)
  }

  /// For messages.
  var name: String
  var steps: [Step]
}

/// Something wrong with a script, or with what a command did.
struct ScriptFailure: Error, CustomStringConvertible {
  var script: String
  var line: Int
  var message: String

  var description: String { "\(script):\(line): \(message)" }
}
