import ArgumentParser
import Backup
import FileSystem
import Foundation

/// Dates on the command line.
enum DateArgument {
  static func parse(_ text: String) throws -> Date {
    if let date = LocalDate.parse(text) { return date }
    throw ValidationError("invalid date “\(text.escaped)”; use for example 2025-06-01 or 2025-06-01T12:00:00")
  }
}
