import Foundation
import Glibc

/// The prefix of lines on standard error in a log.
struct LogStyle: Sendable, Equatable {
  /// The priority of a line, as in sd-daemon(3).
  enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// True for the prefix `<4>`, the line's priority for the journal.
  var hasPriority = false
  /// True for the prefix `2026-11-20T02:30:00Z`.
  var hasTime = false

  /// No prefix.
  static let plain = LogStyle()

  /// Detects the style for standard error. The journal gets a priority; systemd announces the journal in
  /// `JOURNAL_STREAM` (systemd.exec(5)). Scheduled runs without a terminal get the time.
  static func detected(
    isUnattended: Bool, environment: [String: String] = ProcessInfo.processInfo.environment,
    descriptor: CInt = STDERR_FILENO
  ) -> LogStyle {
    var status = stat()
    guard isatty(descriptor) == 0, fstat(descriptor, &status) == 0 else { return .plain }
    let isJournal = environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
    return LogStyle(hasPriority: isJournal, hasTime: isJournal || isUnattended)
  }

  /// Returns the text with the prefix before each line.
  func line(_ text: String, _ priority: Priority, at date: Date = Date()) -> String {
    guard self != .plain else { return text }
    let time = hasTime ? date.formatted(.iso8601) + " " : ""
    let mark = hasPriority ? "<\(priority.rawValue)>" : ""
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "\(mark)\(time)\($0)" }.joined(separator: "\n")
  }
}
