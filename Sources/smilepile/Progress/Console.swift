import FileSystem
import Glibc
import Synchronization

/// Standard output and standard error, and the one status line that may stand at the foot of a terminal.
///
/// Every call writes its whole text under one lock, so lines of several tasks do not mix, and nothing is
/// buffered: a reader of a pipe gets each line at once. Calls block while the reader is slow.
///
/// A reader that closes its end (`smilepile photos | head`) is no error: output to that stream ends. For this, making
/// a console sets SIGPIPE to be ignored in the whole process; a program started by it must reset that.
final class Console: Sendable {
  /// One of the two streams.
  enum Stream: Int, Sendable {
    /// The result, and nothing else.
    case output
    /// Progress, warnings and errors.
    case error
  }

  /// The process's own streams.
  static let standard = Console(output: STDOUT_FILENO, error: STDERR_FILENO)

  private struct State {
    /// How lines on standard error begin.
    var style = LogStyle.plain
    /// By stream, the error after which it was given up.
    var failures: [CInt?] = [nil, nil]
    /// Lines for standard error in case that standard output fails.
    var saved: [String] = []
    /// What stands at the foot of the terminal.
    var status: String?
    /// The question that waits for its answer; until then it stands there instead.
    var question: String?

    /// How to draw what stands at the foot.
    var foot: String? {
      // an empty question is asked by TerminalPrompt
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

  /// Writes a line, by default of the result.
  func print(_ line: String, to stream: Stream = .output, _ priority: LogStyle.Priority = .info) {
    let style = stream == .error ? state.withLock { $0.style } : .plain
    write(style.line(line, priority) + "\n", to: stream)
  }

  /// Saves a line in case that standard output fails; `flushSaved` prints it then.
  func saveForStandardError(_ line: String) { state.withLock { $0.saved.append(line) } }

  /// Prints the saved lines on standard error, if standard output failed or its reader closed it.
  func flushSaved() {
    let lines = state.withLock { $0.failures[Stream.output.rawValue] == nil ? [] : $0.saved }
    for line in lines { print(line.escaped, to: .error) }
  }

  /// Writes text as it is. The status line is taken away before, and drawn again after a full line.
  func write(_ text: String, to stream: Stream) {
    state.withLock { state in
      guard let foot = state.foot else { return send(text, to: stream, &state) }
      send(Self.erase, to: .error, &state)
      send(text, to: stream, &state)
      if text.hasSuffix("\n") { send(foot, to: .error, &state) }
    }
  }

  /// Draws the status line on standard error, in place of the one before. For terminals only.
  func showStatus(_ line: String) {
    state.withLock { state in
      state.status = line
      if state.question == nil { send(Self.drawing(line), to: .error, &state) }
    }
  }

  /// Takes the status line away, leaving nothing, or the given line above the cursor.
  func endStatus(leaving line: String? = nil) {
    state.withLock { state in
      guard state.status != nil || line != nil else { return }
      state.status = nil
      send(line.map { Self.drawing($0) + "\n" } ?? Self.erase, to: .error, &state)
    }
  }

  /// Asks a person: shows the question on standard error and waits for a line from the terminal. The status line
  /// is away meanwhile, so that nothing is drawn over what the person types. Blocks.
  ///
  /// - Parameter isCancelled: looked at ten times a second, since a signal alone does not end the waiting.
  /// - Returns: the line; nil at the end of the input, or when cancelled.
  func ask(_ question: String, isCancelled: () -> Bool) -> String? {
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

  /// Runs something that uses the terminal itself, as a prompt for a secret does, with the status line away.
  func withoutStatus<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      if state.status != nil { send(Self.erase, to: .error, &state) }
      state.question = ""
    }
    defer { state.withLock { $0.question = nil } }
    return try body()
  }

  /// Not `Swift.readLine`: that one cannot be interrupted, and keeps lines back that poll(2) then does not see.
  private static func readLine(from descriptor: CInt, _ isCancelled: () -> Bool) -> String? {
    var line: [UInt8] = []
    while !isCancelled() {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 100) > 0 else { continue }
      var byte: UInt8 = 0
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count <= 0 { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// The `errno` after which standard output was given up, such as ENOSPC for `> /dev/full`. A result that
  /// was not written is a failure of the command. nil as well when the reader went away (EPIPE).
  var outputFailure: CInt? {
    let failure = state.withLock { $0.failures[Stream.output.rawValue] }
    return failure == EPIPE ? nil : failure
  }

  private static let erase = "\r\u{1B}[K"

  /// Automatic wrapping is off while drawing: the terminal may have become narrower since it was asked,
  /// and terminals differ in the width of rare characters. One write, so no signal can leave it off.
  private static func drawing(_ line: String) -> String { "\r\u{1B}[?7l\(line)\u{1B}[K\u{1B}[?7h" }

  private func send(_ text: String, to stream: Stream, _ state: inout State) {
    guard state.failures[stream.rawValue] == nil else { return }
    var text = text
    state.failures[stream.rawValue] = text.withUTF8 {
      Self.writeAll(UnsafeRawBufferPointer($0), to: descriptors[stream.rawValue])
    }
  }

  /// Returns the error that ended the writing, or nil. write(2).
  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt? {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        // A descriptor shared with another program may have been made non-blocking by it.
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
