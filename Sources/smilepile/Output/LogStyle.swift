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

  /// `<4>`, the line's priority for the journal.
  var hasPriority = false
  /// `2026-11-20T02:30:00Z`.
  var hasTime = false

  /// No prefix.
  static let plain = LogStyle()

  /// The style for standard error: a priority if it is the journal, which systemd tells by `JOURNAL_STREAM`
  /// (systemd.exec(5)); the time for scheduled runs without a terminal.
  static func detected(
    isUnattended: Bool, environment: [String: String] = ProcessInfo.processInfo.environment,
    descriptor: CInt = STDERR_FILENO
  ) -> LogStyle {
    var status = stat()
    guard isatty(descriptor) == 0, fstat(descriptor, &status) == 0 else { return .plain }
    let isJournal = environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
    return LogStyle(hasPriority: isJournal, hasTime: isJournal || isUnattended)
  }

  /// The text with the prefix before each line.
  func line(_ text: String, _ priority: Priority, at date: Date = Date()) -> String {
    guard self != .plain else { return text }
    let time = hasTime ? date.formatted(.iso8601) + " " : ""
    let mark = hasPriority ? "<\(priority.rawValue)>" : ""
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "\(mark)\(time)\($0)" }.joined(separator: "\n")
  }
}
