import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import smilepile

/// A temporary folder in which shell commands run, with `smilepile`.
struct Workbench {
  let folder = ScratchFolder()

  /// A path in the folder.
  func path(_ name: String) -> String { folder.path.appending(name).string }

  /// Runs a shell command in the folder and returns its standard output.
  ///
  /// - Parameters:
  ///   - expected: the exit status. Any other status is an issue that shows both outputs.
  ///   - subfolder: the subfolder in which the command runs.
  @discardableResult
  func run(
    _ command: String, exit expected: Int = 0, in subfolder: String = "",
    at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let binary = try #require(
      Binary.path, "no smilepile beside the tests: build it, or set SMILEPILE_BINARY")
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let shell = ShellCommand(
      text: "smilepile() { '\(binary)' \"$@\"; }\n\(command)", folder: path(subfolder),
      environment: [
        "PATH": inherited, "HOME": folder.path.string, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONUTF8": "1",
        "READERS": "\(ScriptFile.folder)/Readers",
      ])
    let outcome = try shell.run()
    let output = String(decoding: outcome.output, as: UTF8.self)
    let error = String(decoding: outcome.error, as: UTF8.self)
    #expect(
      outcome.status == expected, "\(command)\n\(output)\n\(error)", sourceLocation: location)
    #expect(
      outcome.trouble == nil, "\(command)\n\(output)\n\(error)", sourceLocation: location)
    return output
  }
}
