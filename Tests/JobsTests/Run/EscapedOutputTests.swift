import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// What the reports of a job do with controls and invisible characters.
@Suite struct EscapedOutputTests {
  private static let bad = "a\u{7F}b\u{9B}c\u{202E}d\u{AD}e\nf"

  private var status: JobStatus {
    var run = JobStatus.RunRecord(startedAt: 1)
    (run.outcome, run.message) = (.failed, Self.bad)
    var status = JobStatus(job: "family")
    status.run = run
    status.copies = [
      JobStatus.Copy(found: CopyRecord(path: "/\(Self.bad)", archive: "/x/a.zip", madeAt: 1, files: []))
    ]
    return status
  }

  private func hasUnsafeCharacters(_ text: String) -> Bool { text.escapedLines != text }

  @Test("Status file: unsafe characters have escapes, and the values stay the same")
  func statusFile() throws {
    let bytes = try status.json()
    #expect(!hasUnsafeCharacters(String(decoding: bytes, as: UTF8.self)))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect((json["run"] as? [String: Any])?["message"] as? String == Self.bad)
  }

  @Test("Metrics: unsafe characters of a label have escapes")
  func metrics() {
    let text = PrometheusText(status).text
    #expect(!hasUnsafeCharacters(text))
    #expect(text.contains(#"destination="/a\\u{7F}b\\u{9B}c\\u{202E}d\\u{AD}e\\nf""#))
  }

  @Test("Hook: the message has escapes, a path is unchanged except for control characters")
  func hook() async throws {
    let night = try Night()
    let file = night.folder("seen").string
    var job = night.job
    job.hooks.after = "printf '%s|%s' \"$SMILEPILE_MESSAGE\" \"$SMILEPILE_LIBRARY\" > '\(file)'"
    var state = RunState(startedAt: 1, nextRunAt: nil)
    state.phasesEndedAt = 2
    state.report(.incomplete(.run, Self.bad))
    func run(library: FilePath) throws {
      job.library = library
      try JobHooks(input: RunInput(.backup, of: job, night.context, ProgressCounter())).run(.after, state)
    }
    try run(library: "/l\u{200F}é\n")
    let seen = try String(contentsOfFile: file, encoding: .utf8)
    #expect(seen == "\(Self.bad.escaped)|\("/l\u{200F}é\n".escaped)")
    try run(library: "/l\u{200F}é")
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix("|/l\u{200F}é"))
  }
}
