import Foundation
import Processes

/// A scheduling program of the system: systemctl or crontab. Found in PATH and run without a shell.
struct ScheduleProgram: Sendable {
  let name: String
  /// Precedes the arguments of every call.
  var prefix: [String] = []
  /// The maximum output in bytes. A crontab with a thousand jobs has a tenth of it.
  private static let limit = 16 << 20

  /// Waits for the program to end. Its messages are in English, since this program interprets them.
  func run(
    _ arguments: [String], input: [UInt8] = []
  ) throws(ScheduleInstallError) -> ChildProcess.Output {
    guard let program = ChildProcess.find(name) else {
      throw error(arguments, "there is no such program")
    }
    var process = ChildProcess(program, prefix + arguments)
    process.environment = ["LC_ALL": "C"]
    process.input = .bytes(input)
    process.capture = .separate
    let result: ChildProcess.Output?
    do throws(ChildProcess.Failure) {
      result = try process.output(limit: Self.limit)
    } catch {
      throw self.error(arguments, "the program \(error)")
    }
    guard let result else { throw error(arguments, "the program printed more than \(Self.limit) bytes") }
    return result
  }

  /// Runs the program. Throws an error if the exit status is not 0.
  @discardableResult
  func succeed(_ arguments: [String], input: [UInt8] = []) throws(ScheduleInstallError) -> [UInt8] {
    let result = try run(arguments, input: input)
    guard result.status == 0 else { throw error(arguments, result.reason) }
    return result.output
  }

  private func error(_ arguments: [String], _ reason: String) -> ScheduleInstallError {
    .program(([name] + prefix + arguments).joined(separator: " "), reason: reason)
  }
}

extension ChildProcess.Output {
  /// What the program printed to standard error, as text.
  var message: String {
    String(decoding: errors, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Why the program failed: its message, or its exit status.
  var reason: String { message.isEmpty ? "exit status \(status)" : message }
}
