import ArgumentParser
import FileSystem
import Foundation
import Jobs
import PhotoLibrary

/// Turns the error that ended a command into a message and an exit code.
enum Failure {
  /// Reports an error on standard error and, with `--json`, as the last line of standard output.
  static func report(
    _ error: any Error, of command: any ParsableCommand.Type, arguments: [String]
  ) -> ExitStatus {
    // the command has already reported the error
    if let status = error as? ExitStatus { return status }
    let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    let parserCode = Smilepile.exitCode(for: error)
    if parserCode == .success {
      Console.standard.print(Smilepile.fullMessage(for: error))
      return .done
    }
    if parserCode == .validationFailure {
      let error = quotingEscaped(arguments, error, of: command)
      let hide = { (text: String) in hidingSecrets(in: text, arguments) }
      Console.standard.print(hide(usageMessage(for: error, of: command)), to: .error, .error)
      if isJSON { printExitError(.usage, hide(Smilepile.message(for: error))) }
      return .usage
    }
    let status = ExitStatus(for: error)
    let message = error is CancellationError ? stopMessage(of: command) : CommandMessage.text(of: error)
    for line in (error as? InvalidConfiguration)?.lines ?? [message] {
      Console.standard.print("smilepile: \(line.escaped)", to: .error, .error)
    }
    if isJSON { printExitError(status, message) }
    return status
  }

  /// Returns the message for a cancelled command. Only `extract` keeps finished files.
  private static func stopMessage(of command: any ParsableCommand.Type) -> String {
    command == Extract.self
      ? "stopped; finished photos are kept; run the command again to continue"
      : "stopped; no unfinished files remain"
  }

  /// Removes possible secrets from a message. The parser quotes unknown arguments, and the user may have
  /// typed a password or PIN as an argument. With options of secrets, the message quotes no argument's value.
  private static func hidingSecrets(in message: String, _ arguments: [String]) -> String {
    let marks = ["--encrypt", "--pass", "--pin", "--new-pin"]
    guard
      arguments.first == "pin" || arguments.contains(where: { text in marks.contains { text.hasPrefix($0) } })
    else { return message }
    return arguments.reduce(message) { message, argument in
      let separator = argument.hasPrefix("-") ? argument.firstIndex { $0 == "=" || $0 == ":" } : nil
      let value =
        argument.hasPrefix("-") ? separator.map { argument[$0...].dropFirst() } ?? "" : argument[...]
      return value.isEmpty
        ? message
        : message.replacing("'\(argument)'", with: "'…'").replacing("'\(value)'", with: "'…'")
    }
  }

  /// Returns the error of the parser for the same arguments with escapes. The parser quotes arguments as they are, and a
  /// shell may have expanded `*` to hostile names. Returns the error unchanged if a running command threw it.
  private static func quotingEscaped(
    _ arguments: [String], _ error: any Error, of command: any ParsableCommand.Type
  ) -> any Error {
    let escaped = arguments.map(\.escaped)
    guard command == Smilepile.self, escaped != arguments else { return error }
    do {
      _ = try Smilepile.parseAsRoot(escaped)
      return error
    } catch let other {
      return other
    }
  }

  /// Returns the usage message for the command. The parser knows the command of its own errors, but assigns
  /// an error of a running command to the root command.
  private static func usageMessage(for error: any Error, of command: any ParsableCommand.Type) -> String {
    guard let error = error as? ValidationError else { return Smilepile.fullMessage(for: error) }
    let usage = Smilepile.usageString(for: command)
    // "smilepile schedule install" without the options and arguments
    let name = usage.split(separator: " ").prefix { $0.first?.isLetter == true }.joined(separator: " ")
    return """
      Error: \(error.message)
      Usage: \(usage)
        See '\(name) --help' for more information.
      """
  }

  /// Reports that the result could not be written to standard output.
  static func reportOutputFailure() {
    let reason = Console.standard.outputFailure.map { String(cString: strerror($0)) } ?? "unknown"
    Console.standard.print("smilepile: cannot write to standard output: \(reason)", to: .error, .error)
  }

  private static func printExitError(_ status: ExitStatus, _ message: String) {
    Console.standard.printJSON(JSONFields.line("exit_error", ["code": status.rawValue, "message": message]))
  }
}
