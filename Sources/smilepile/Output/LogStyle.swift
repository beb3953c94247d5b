import Foundation
import Glibc

/// How lines on standard error begin where they end in a log and not before a person's eyes.
struct LogStyle: Sendable, Equatable {
  /// How grave a line is: the priorities of sd-daemon(3).
  enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// `<4>`, which the journal takes for the line's priority.
  var hasPriority = false
  /// `2026-11-20T02:30:00Z`, the time of day that a log is read by.
  var hasTime = false

  /// Nothing is put before a line.
  static let plain = LogStyle()

  /// What suits standard error: a priority where it leads to the journal, which systemd says by `JOURNAL_STREAM`
  /// (systemd.exec(5)); the time in what runs by itself, unless a person looks on.
  static func detected(
    isUnattended: Bool, environment: [String: String] = ProcessInfo.processInfo.environment,
    descriptor: CInt = STDERR_FILENO
  ) -> LogStyle {
    var status = stat()
    guard isatty(descriptor) == 0, fstat(descriptor, &status) == 0 else { return .plain }
    let isJournal = environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
    return LogStyle(hasPriority: isJournal, hasTime: isJournal || isUnattended)
  }

  /// The line with what belongs before it, each line of several.
  func line(_ text: String, _ priority: Priority, at date: Date = Date()) -> String {
    guard self != .plain else { return text }
    let time = hasTime ? date.formatted(.iso8601) + " " : ""
    let mark = hasPriority ? "<\(priority.rawValue)>" : ""
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "\(mark)\(time)\($0)" }.joined(separator: "\n")
  }
}
