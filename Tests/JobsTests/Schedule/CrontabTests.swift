import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

struct CrontabTests {
  private func block(
    _ name: String, _ line: String = "1 2 * * * nice -n 19 ionice -c 3 true backup --config /x -- a"
  ) -> (
    text: String, mark: String
  ) {
    let mark = ScheduledJob.mark(of: name, in: "/x")
    return ("\(Crontab.begin)\(mark)\n\(line)\n\(Crontab.end)\(mark)\n", mark)
  }

  private func table(_ text: String) -> Crontab { Crontab(Array(text.utf8)) }

  @Test(
    "Crontab: a table is written as it was read",
    arguments: ["", "\n", "a", "a\n", "a\n\n", "\n\na", "# x\n5 * * * * b\n"])
  func roundTrip(_ text: String) {
    #expect(table(text).text == Array(text.utf8))
  }

  @Test("Crontab: installing and removing a block leaves all other lines unchanged")
  func otherLines() {
    var numbers = SeededNumbers(seed: 11)
    let pieces = [
      "5 4 * * * x\n", "\n", "# begin something: y\n", "MAILTO=\"\"\n", "\u{0}\r\n", Crontab.begin + "\n",
      Crontab.end + ScheduledJob.mark(of: "b", in: "/x") + "\n", "é\n",
    ]
    for _ in 0..<500 {
      let lines = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
        pieces[Int.random(in: pieces.indices, using: &numbers)]
      }
      let before = lines.joined()
      var changed = table(before)
      let (first, second) = (
        block("a"), block("b", "9 9 * * * nice -n 19 ionice -c 3 false backup --config /x -- a")
      )
      changed.install(first.text, mark: first.mark)
      changed.install(second.text, mark: second.mark)
      #expect(changed.text == Array((before + first.text + second.text).utf8))
      #expect(changed.block(first.mark) == first.text)
      let once = changed
      changed.install(first.text, mark: first.mark)
      #expect(changed == once)
      let newer = block("a", "3 3 * * * nice -n 19 ionice -c 3 newer backup --config /x -- a")
      changed.install(newer.text, mark: newer.mark)
      #expect(changed.text == Array((before + newer.text + second.text).utf8))
      changed.remove(first.mark)
      #expect(changed.text == Array((before + second.text).utf8))
      changed.remove(second.mark)
      #expect(changed.text == Array(before.utf8))
    }
  }

  @Test("Crontab: a last line without a line feed gets one")
  func missingLineFeed() {
    var changed = table("1 1 * * * x")
    changed.install(block("a").text, mark: block("a").mark)
    #expect(changed.text == Array(("1 1 * * * x\n" + block("a").text).utf8))
  }

  @Test("Crontab: a block without job line and end mark is removed without the lines below")
  func missingLineAndEnd() {
    let (a, b) = (block("a"), block("b"))
    var changed = table("\(Crontab.begin)\(a.mark)\n5 5 * * * nice -n 19 ionice -c 3 mine\n\(b.text)")
    changed.remove(a.mark)
    #expect(changed.text == Array("5 5 * * * nice -n 19 ionice -c 3 mine\n\(b.text)".utf8))
  }

  /// The old job line must not run in addition to the new one.
  @Test("Crontab: a block without an end mark is replaced and removed with its job line")
  func missingEnd() {
    let a = block("a")
    let cut = a.text.replacing("\(Crontab.end)\(a.mark)\n", with: "")
    var changed = table("\(cut)5 5 * * * nice -n 19 ionice -c 3 mine\n")
    changed.install(a.text, mark: a.mark)
    #expect(changed.text == Array("\(a.text)5 5 * * * nice -n 19 ionice -c 3 mine\n".utf8))
    changed = table("\(cut)5 5 * * * nice -n 19 ionice -c 3 mine\n")
    changed.remove(a.mark)
    #expect(changed.text == Array("5 5 * * * nice -n 19 ionice -c 3 mine\n".utf8))
  }

  @Test("Crontab: installing replaces a duplicate block by one; removing removes both")
  func duplicateBlock() {
    let (a, b) = (block("a"), block("b"))
    let twice = "\(a.text)5 5 * * * mine\n\(b.text)\(a.text)"
    var changed = table(twice)
    #expect(changed.block(a.mark) != a.text)
    changed.install(a.text, mark: a.mark)
    #expect(changed.text == Array("\(a.text)5 5 * * * mine\n\(b.text)".utf8))
    #expect(changed.block(a.mark) == a.text)
    changed = table(twice)
    changed.remove(a.mark)
    #expect(changed.text == Array("5 5 * * * mine\n\(b.text)".utf8))
  }

  @Test("Crontab: a block with CR LF line ends is replaced")
  func windowsLineEnds() {
    let a = block("a")
    var changed = table(a.text.replacing("\n", with: "\r\n"))
    changed.install(a.text, mark: a.mark)
    #expect(changed.text == Array(a.text.utf8))
  }

  @Test("Crontab: the user's own lines inside a block are kept")
  func linesInBlock() {
    let a = block("a")
    let own = "MAILTO=anna\n7 7 * * * mine\n"
    let edited = a.text.replacing(Crontab.end, with: own + Crontab.end)
    var changed = table(edited)
    changed.install(a.text, mark: a.mark)
    #expect(changed.text == Array((a.text + own).utf8))
    changed = table(edited)
    changed.remove(a.mark)
    #expect(changed.text == Array(own.utf8))
  }

  private func job(_ configuration: FilePath, _ program: FilePath = "/usr/bin/smilepile") throws
    -> ScheduledJob
  {
    var job = Job(name: "Family")
    (job.library, job.schedule) = ("/srv/Family", .defaultForRestoreTests)
    return try ScheduledJob(
      job, in: configuration, library: nil, program: program,
      environment: ["HOME": "/root", "STATE_DIRECTORY": "/s t"])
  }

  @Test(
    "Crontab: the shell splits the line into the words of the command",
    arguments: [
      "/a b/c.yaml", "/100%/x", "/it's", "/$HOME/`x`", "/\"q\"", "/a;b&c|d>e", "/*?[a]", "/~", "/é",
    ])
  func shellWords(_ path: String) throws {
    let line = try CrontabBlock(job: try job(FilePath(path), "/x/smilepile")).text().split(separator: "\n")[2]
    #expect(line.hasPrefix("30 4 * * 0 "))
    // cron replaces \% by %, and nothing else
    let command = line.dropFirst("30 4 * * 0 ".count).replacing("\\%", with: "%")
    let script = "nice() { printf '%s\\n' \"$STATE_DIRECTORY\" \"$@\"; }; \(command)"
    let output = try ScheduleProgram(name: "sh").succeed(["-c", script])
    #expect(
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) == [
        "/s t", "-n", "19", "ionice", "-c", "3", "/x/smilepile", "backup", "--config", path, "--", "Family",
      ])
  }

  @Test("Crontab: a line that is too long, and a path with a backslash before %, are refused")
  func unfitLine() throws {
    let long = FilePath("/" + String(repeating: "x", count: 990))
    #expect(throws: ScheduleInstallError.self) { try CrontabBlock(job: try job(long)).text() }
    #expect(throws: ScheduleInstallError.self) { try CrontabBlock(job: try job(#"/a\%b"#)).text() }
  }
}
