import Foundation
import SystemPackage

/// A command line of the shell that runs beside a test. The deinitializer kills its process.
package final class RunningProgram {
  private let process = Process()
  private let output = Pipe()

  /// Starts a command. Its standard input stays open until the process ends.
  ///
  /// - Parameter folder: the folder in which it runs; nil for that of this process.
  package init(_ command: String, in folder: FilePath? = nil) throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder.string) }
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
  }

  deinit { end() }

  /// The ID of its process.
  package var id: pid_t { process.processIdentifier }

  /// True if it has not ended.
  package var isRunning: Bool { process.isRunning }

  /// Waits until it prints something, and returns the text; empty if it has closed its output.
  package func text() -> String {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  }

  /// Kills its process, and waits for the end.
  package func end() {
    kill(id, SIGKILL)
    process.waitUntilExit()
  }
}
