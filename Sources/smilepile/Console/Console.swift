import FileSystem
import Glibc
import Synchronization

/// Standard output and standard error, with an optional status line at the foot of a terminal.
///
/// Every call writes its text under one lock, so lines of several tasks do not mix. Nothing is buffered: a
/// reader of a pipe gets each line at once. Calls block while the reader is slow.
///
/// A reader that closes its end (`smilepile photos | head`) is not an error: output to that stream ends. Therefore
/// the initializer ignores SIGPIPE in the entire process. A program that the process starts must reset SIGPIPE.
final class Console: Sendable {
  /// A standard stream.
  enum Stream: Int, Sendable {
    /// The result of the command, and no other text.
    case output
    /// Progress, warnings and errors.
    case error
  }

  /// The process's own streams.
  static let standard = Console(output: STDOUT_FILENO, error: STDERR_FILENO)

  private struct State {
    /// The style of lines on standard error.
    var style = LogStyle.plain
    /// The error that ended the output, by stream.
    var failures: [CInt?] = [nil, nil]
    /// Lines for standard error if standard output fails.
    var saved: [String] = []
    /// The status line at the foot of the terminal.
    var status: String?
    /// The question that waits for an answer. It replaces the status line until then.
    var question: String?

    /// The text to draw at the foot.
    var foot: String? {
      // `TerminalPrompt` asks an empty question
      if let question { return question.isEmpty ? nil : question }
      return status.map(Console.drawing)
    }
  }

  private let descriptors: [CInt]
  private let state = Mutex(State())

  init(output: CInt, error: CInt) {
    descriptors = [output, error]
    signal(SIGPIPE, SIG_IGN)
  }

  /// Sets the prefix of lines on standard error.
  func setStyle(_ style: LogStyle) { state.withLock { $0.style = style } }

  /// Writes a line, or several lines, by default to standard output. Escapes all characters that a terminal must not get,
  /// whether their source has escaped them or not.
  func print(_ line: String, to stream: Stream = .output, _ priority: LogStyle.Priority = .info) {
    let style = stream == .error ? state.withLock { $0.style } : .plain
    write(style.line(line.escapedLines, priority) + "\n", to: stream)
  }

  /// Writes a line of JSON, or several lines, to standard output. The values stay the same; the characters that `print`
  /// escapes become escapes of JSON.
  func printJSON(_ line: String) { write(line.escapedJSON + "\n", to: .output) }

  /// Saves a line. `flushSaved` prints it if standard output fails.
  func saveForStandardError(_ line: String) { state.withLock { $0.saved.append(line) } }

  /// Prints the saved lines on standard error if standard output failed or its reader closed it.
  func flushSaved() {
    let lines = state.withLock { $0.failures[Stream.output.rawValue] == nil ? [] : $0.saved }
    for line in lines { print(line.escaped, to: .error) }
  }

  /// Writes text unchanged. Erases the status line first, and draws it again after a complete line.
  func write(_ text: String, to stream: Stream) {
    state.withLock { state in
      guard let foot = state.foot else { return send(text, to: stream, &state) }
      send(Self.erase, to: .error, &state)
      send(text, to: stream, &state)
      if text.hasSuffix("\n") { send(foot, to: .error, &state) }
    }
  }

  /// Draws the status line on standard error, in place of the previous one. For terminals only.
  func showStatus(_ line: String) {
    state.withLock { state in
      state.status = line
      if state.question == nil { send(Self.drawing(line), to: .error, &state) }
    }
  }

  /// Erases the status line. Leaves the given line above the cursor, if any.
  func endStatus(leaving line: String? = nil) {
    state.withLock { state in
      guard state.status != nil || line != nil else { return }
      state.status = nil
      send(line.map { Self.drawing($0) + "\n" } ?? Self.erase, to: .error, &state)
    }
  }

  /// Asks the user: shows the question on standard error and waits for a line from the terminal. Hides the
  /// status line meanwhile, so that no output overwrites the answer. Blocks.
  ///
  /// - Parameter isCancelled: checked ten times a second, since a signal alone does not end the wait.
  /// - Returns: the line; nil at the end of the input, or if cancelled.
  func ask(_ question: String, isCancelled: () -> Bool) -> String? {
    let question = question.escapedLines
    state.withLock { state in
      if state.status != nil { send(Self.erase, to: .error, &state) }
      send(question, to: .error, &state)
      state.question = question
    }
    let answer = Self.readLine(from: STDIN_FILENO, isCancelled)
    state.withLock { state in
      state.question = nil
      if answer == nil { send("\n", to: .error, &state) }
    }
    return answer
  }

  /// Runs a closure that uses the terminal itself, such as a prompt for a secret. Hides the status line meanwhile.
  func withoutStatus<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      if state.status != nil { send(Self.erase, to: .error, &state) }
      state.question = ""
    }
    defer { state.withLock { $0.question = nil } }
    return try body()
  }

  /// Reads a line. `Swift.readLine` cannot be interrupted, and buffers lines that poll(2) then does not see.
  private static func readLine(from descriptor: CInt, _ isCancelled: () -> Bool) -> String? {
    var line: [UInt8] = []
    while let byte = try? Descriptor.readByte(from: descriptor, isCancelled: isCancelled) {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// The `errno` that ended standard output, such as ENOSPC for `> /dev/full`. The command fails if it cannot
  /// write its result. nil if the reader closed the pipe (EPIPE).
  var outputFailure: CInt? {
    let failure = state.withLock { $0.failures[Stream.output.rawValue] }
    return failure == EPIPE ? nil : failure
  }

  private static let erase = "\r\u{1B}[K"

  /// Returns the escape sequences that draw a line. Automatic wrapping is off during the draw: the terminal
  /// may have become narrower since the last query, and terminals differ in the width of rare characters. A
  /// single write ensures that no signal leaves wrapping off.
  private static func drawing(_ line: String) -> String { "\r\u{1B}[?7l\(line)\u{1B}[K\u{1B}[?7h" }

  private func send(_ text: String, to stream: Stream, _ state: inout State) {
    guard state.failures[stream.rawValue] == nil else { return }
    var text = text
    state.failures[stream.rawValue] = text.withUTF8 {
      Descriptor.write(UnsafeRawBufferPointer($0), to: descriptors[stream.rawValue])?.rawValue
    }
  }
}
