import ArgumentParser
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// The options of all commands. Prints the result of a command on standard output and messages on standard error, or JSON
/// lines, as the options say.
struct Reporter: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON lines; the last line is a summary or an exit_error.")
  var printsJSON = false

  @Flag(name: .shortAndLong, help: "Print only errors and the result.")
  var quiet = false

  @Option(help: ArgumentHelp("How to show progress.", valueName: "auto|bar|plain|percent|none"))
  var progress = ProgressStyle.auto

  @Option(
    help: ArgumentHelp(
      "Trust this folder, although other users can write to it; may be repeated.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var trust: [String] = []

  /// Checks the options, and excepts the trusted folders from the rule of `Ownership`.
  func validate() throws {
    Ownership.trust(trust.map { FilePath($0) })
    if printsJSON, progress == .percent {
      throw ValidationError("--progress percent and --json both use standard output; choose one")
    }
  }

  private var console: Console { .standard }

  /// Shows the progress of some work until it ends, and returns its summary.
  func follow<Summary>(_ work: Work<Summary>) async throws -> Summary {
    Signals.attend(work)
    var renderer = quiet ? nil : renderer
    for await progress in work.progress { renderer?.show(progress) }
    do {
      return try await work.summary
    } catch {
      renderer?.clear()
      throw error
    }
  }

  /// Shows the progress and the findings of some work until it ends, and returns its summary. Prints each finding when it
  /// occurs.
  func follow<Summary: FindingReport>(
    _ work: Work<Summary>, during operation: String
  ) async throws -> Summary {
    let printing = Task { for await finding in work.findings { error(finding, during: operation) } }
    let result: Result<Summary, any Error>
    do {
      result = .success(try await follow(work))
    } catch {
      result = .failure(error)
    }
    await printing.value
    return try result.get()
  }

  private var renderer: (any ProgressRenderer)? {
    guard printsJSON else { return progress.renderer(console: console, terminal: Terminal()) }
    return progress == .none ? nil : JSONRenderer(console: console)
  }

  /// Prints the result as a table.
  func result(_ table: @autoclosure () -> TextTable) {
    guard !printsJSON, let text = table().text else { return }
    result(text)
  }

  /// Prints the result for the user. With `--progress percent` standard output contains only numbers.
  func result(_ text: @autoclosure () -> String) {
    guard !printsJSON else { return }
    console.print(text(), to: progress == .percent ? .error : .output)
  }

  /// Prints a result that must not get lost, such as the path of an archive. If standard output fails, the
  /// result is printed on standard error when the command ends.
  func importantResult(_ text: String) {
    // with `percent` the result is already on standard error
    if printsJSON || progress != .percent { console.saveForStandardError(text) }
    result(text)
  }

  /// Prints a message for the user, not for scripts.
  func note(_ text: String) {
    guard !printsJSON, !quiet else { return }
    console.print(text, to: .error)
  }

  /// Prints a warning.
  func warn(_ text: String) {
    if !printsJSON { warnOfSecret(text) }
  }

  /// Prints a warning about a password or PIN, even with `--json`, since no summary contains it.
  func warnOfSecret(_ text: String) {
    guard !quiet else { return }
    console.print("warning: \(text.escaped)", to: .error, .warning)
  }

  /// Reports a photo or file that is missing or corrupt in the result.
  func error(_ finding: Finding, during: String) {
    let message = CommandMessage.text(of: finding)
    guard printsJSON else {
      console.print("error: \(message.escaped)", to: .error, .error)
      return
    }
    json("error", ["item": finding.item, "during": during, "message": message])
  }

  /// Prints what happened to each photo: JSON lines on standard output, otherwise text on standard error.
  func photos(_ reports: [PhotoReport]) {
    guard printsJSON else {
      for report in reports { console.print(report.text.escaped, to: .error) }
      return
    }
    // a reader of a pipe gets the lines in few pieces, since each piece costs a system call
    for start in stride(from: 0, to: reports.count, by: Self.linesPerPiece) {
      let piece = reports[start..<min(start + Self.linesPerPiece, reports.count)]
      console.printJSON(piece.map(\.json).joined(separator: "\n"))
    }
  }

  private static let linesPerPiece = 256

  /// Prints text unchanged, without a line end.
  func raw(_ text: String) { console.write(text, to: .output) }

  /// Prints a line with `--json`; otherwise prints nothing.
  func json(_ type: String, _ fields: @autoclosure () -> JSONFields) {
    guard printsJSON else { return }
    console.printJSON(JSONFields.line(type, fields()))
  }

  /// Prints a category of a library with `--json`.
  ///
  /// - Parameter photos: the number of its photos.
  func json(_ category: PhotoLibrary.Category, photos: Int) {
    json(
      "category",
      [
        "id": category.id, "name": category.name, "display_name": category.displayName,
        "position": category.position, "color_hex": category.colorHex,
        "icon_resource": category.iconResource, "photos": photos,
      ])
  }

  /// Prints the summary with `--json`, and ends the command.
  ///
  /// - Throws: the status, if it is not `done`.
  func finish(_ status: ExitStatus, _ summary: @autoclosure () -> JSONFields) throws {
    json("summary", summary())
    if status != .done { throw status }
  }

  /// Prints the summary with `--json`, and ends the command.
  ///
  /// - Throws: `ExitStatus.incomplete` if the result is incomplete.
  func finish(isIncomplete: Bool, _ summary: @autoclosure () -> JSONFields) throws {
    try finish(isIncomplete ? .incomplete : .done, summary())
  }
}

extension ProgressStyle: ExpressibleByArgument {}
