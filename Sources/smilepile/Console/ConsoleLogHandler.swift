import FileSystem
import Logging

/// Prints log messages of the libraries on standard error.
struct ConsoleLogHandler: LogHandler {
  var logLevel = Logger.Level.notice
  var metadata = Logger.Metadata()

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let facts = metadata.merging(event.metadata ?? [:]) { _, own in own }
      .sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    let text = "smilepile: \(event.message)\(facts.isEmpty ? "" : " (\(facts))")"
    Console.standard.print(text.escaped, to: .error, event.level >= .warning ? .warning : .notice)
  }
}
