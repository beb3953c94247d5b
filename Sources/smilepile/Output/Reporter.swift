import FileSystem
import Foundation
import Operations

/// Prints the result of a command on standard output and messages on standard error, or JSON lines with `--json`.
struct Reporter {
  let options: OutputOptions
  private let console = Console.standard

  init(_ options: OutputOptions) { self.options = options }

  /// A line of `"message_type":"error"`.
  private struct ErrorMessage: Encodable {
    let messageType = "error"
    var item: String
    var during: String
    var message: String
  }

  /// Shows the progress of some work until it ends, and returns its summary.
  func follow<Summary>(_ work: Work<Summary>) async throws -> Summary {
    Signals.attend(work)
    var renderer = options.quiet ? nil : renderer
    for await progress in work.progress { renderer?.show(progress) }
    do {
      return try await work.summary
    } catch {
      renderer?.clear()
      throw error
    }
  }

  private var renderer: (any ProgressRenderer)? {
    guard options.json else { return options.progress.renderer(console: console, terminal: Terminal()) }
    return options.progress == .none ? nil : JSONRenderer(console: console)
  }

  /// The result as a table.
  func result(_ table: @autoclosure () -> TextTable) {
    guard !options.json, let text = table().text else { return }
    result(text)
  }

  /// The result, for people. With `--progress percent` standard output belongs to the numbers.
  func result(_ text: @autoclosure () -> String) {
    guard !options.json else { return }
    console.print(text(), to: options.progress == .percent ? .error : .output)
  }

  /// A result that must not get lost, such as the path of an archive. If standard output fails, it is printed on standard
  /// error when the command ends.
  func importantResult(_ text: String) {
    // with percent it is on standard error already
    if options.json || options.progress != .percent { console.saveForStandardError(text) }
    result(text)
  }

  /// A message for people, not for scripts.
  func note(_ text: String) {
    guard !options.json, !options.quiet else { return }
    console.print(text, to: .error)
  }

  /// A problem that is no failure.
  func warn(_ text: String) {
    guard !options.quiet, !options.json else { return }
    console.print("warning: \(text.escaped)", to: .error, .warning)
  }

  /// A warning about a password or PIN. It is printed with `--json` too, since no summary contains it.
  func warnOfSecret(_ text: String) {
    guard !options.quiet else { return }
    console.print("warning: \(text.escaped)", to: .error, .warning)
  }

  /// A photo or file that is missing or corrupt in the result.
  func error(_ finding: Finding, during: String) {
    let message = CommandMessage.text(of: finding)
    guard options.json else {
      console.print("error: \(message.escaped)", to: .error, .error)
      return
    }
    json(ErrorMessage(item: finding.item, during: during, message: message))
  }

  /// A line with `--json`, nothing without.
  func json(_ message: some Encodable) {
    guard options.json, let line = try? JSONLine.text(message) else { return }
    console.print(line)
  }
}
