import Foundation
import TestSupport
import Testing

@testable import smilepile

struct LogStyleTests {
  private let date = Date(timeIntervalSince1970: 1_767_232_800)

  @Test("Log: each line in the journal has a priority and a time")
  func journalLine() {
    let style = LogStyle(hasPriority: true, hasTime: true)
    #expect(
      style.line("error: a\nb", .error, at: date)
        == "<3>2026-01-01T02:00:00Z error: a\n<3>2026-01-01T02:00:00Z b")
    #expect(style.line("w", .warning, at: date).hasPrefix("<4>"))
  }

  @Test("Log: a line for a terminal is unchanged")
  func plainLine() { #expect(LogStyle.plain.line("x", .error, at: date) == "x") }

  @Test("Log: JOURNAL_STREAM tells whether the stream is the journal")
  func journalDetection() throws {
    let scratch = ScratchFolder()
    let file = try scratch.write("", to: "stream")
    let handle = try #require(FileHandle(forWritingAtPath: file.string))
    var status = stat()
    #expect(fstat(handle.fileDescriptor, &status) == 0)
    let stream = ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
    func style(_ environment: [String: String], unattended: Bool) -> LogStyle {
      .detected(isUnattended: unattended, environment: environment, descriptor: handle.fileDescriptor)
    }
    #expect(style(stream, unattended: false) == LogStyle(hasPriority: true, hasTime: true))
    #expect(style(["JOURNAL_STREAM": "1:2"], unattended: false) == .plain)
    #expect(style([:], unattended: true) == LogStyle(hasPriority: false, hasTime: true))
  }
}
