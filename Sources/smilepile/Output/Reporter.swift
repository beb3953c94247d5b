import FileSystem
import Foundation
import Operations

/// Says what a command has to say: the result on standard output, the rest on standard error, all of it as JSON
/// lines with `--json`.
struct Reporter {
  let options: OutputOptions
  private let console = Console.standard

  init(_ options: OutputOptions) { self.options = options }

  /// A line of `"message_type":"error"`.
  private struct ErrorMessage: Encodable {
    var message_type = "error"
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

  /// The result, for people. With `--progress percent` standard output belongs to the numbers.
  func result(_ text: String) {
    guard !options.json else { return }
    console.print(text, to: options.progress == .percent ? .error : .output)
  }

  /// A result that must not get lost, as the place of an archive or what was changed: if standard output cannot take
  /// it, or the JSON summary that tells the same, it is said on standard error when the command ends.
  func lasting(_ text: String) {
    // with percent it is on standard error already
    if options.json || options.progress != .percent { console.keep(text) }
    result(text)
  }

  /// What a person at a terminal wants to know besides the result, and a script does not.
  func note(_ text: String) {
    guard !options.json, !options.quiet else { return }
    console.print(text, to: .error)
  }

  /// What is worth knowing and no failure.
  func warn(_ text: String) {
    guard !options.quiet, !options.json else { return }
    console.print("warning: \(text.escaped)", to: .error, .warning)
  }

  /// The same of a password or PIN, and how it came: no document in JSON tells of that, so that it is said there too.
  func warnOfSecret(_ text: String) {
    guard !options.quiet else { return }
    console.print("warning: \(text.escaped)", to: .error, .warning)
  }

  /// A photo or file that is not in the result as it should be.
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
