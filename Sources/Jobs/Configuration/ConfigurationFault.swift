import Operations
import SystemPackage

/// A mistake, or a possible mistake, in a configuration file.
package struct ConfigurationFault: Error, Sendable, Equatable {
  /// The line, from 1; 0 for the entire file.
  package var line: Int
  /// Describes the mistake and its correction.
  package var message: String

  /// `/etc/smilepile/config.yaml:12: unknown key “retension”; did you mean “retention”?`
  package func text(in path: FilePath) -> String {
    line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)"
  }
}

/// A configuration file has mistakes. Lists all of them.
package struct InvalidConfiguration: ExplainedError, Sendable, CustomStringConvertible {
  /// The file.
  package var path: FilePath
  /// The mistakes, sorted by line.
  package var faults: [ConfigurationFault]

  package var cause: ErrorCause { .usage }

  /// The mistakes, one a line.
  package var lines: [String] { faults.map { $0.text(in: path) } }

  /// The mistakes as one text.
  package var description: String { lines.joined(separator: "\n") }
}
