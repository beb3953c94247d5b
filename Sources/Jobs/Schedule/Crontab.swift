import FileSystem

/// The text of a user's crontab, in which each job has a block between two marks. Lines outside the marks
/// belong to the user and stay byte for byte. Pure.
struct Crontab: Equatable {
  /// The lines, each with its line feed. The last line may lack one.
  private(set) var lines: [[UInt8]]

  private static let newline = UInt8(ascii: "\n")
  static let begin = "# begin smilepile schedule: "
  static let end = "# end smilepile schedule: "

  init(_ text: [UInt8]) {
    lines = text.split(separator: Self.newline, omittingEmptySubsequences: false).map { $0 + [Self.newline] }
    // an empty rest after the last line feed is not a line
    if let last = lines.popLast(), last.count > 1 { lines.append(last.dropLast()) }
  }

  var text: [UInt8] { Array(lines.joined()) }

  /// Returns the block of a job with its marks, followed by every copy of the block; nil if the job has no block.
  func block(_ mark: String) -> String? {
    var text = ""
    var start = 0
    while let range = range(of: mark, from: start) {
      text += String(decoding: Array(lines[range].joined()), as: UTF8.self)
      start = range.upperBound
    }
    return text.isEmpty ? nil : text
  }

  /// Returns the marks of all blocks in this crontab.
  var marks: [String] {
    lines.compactMap { line in
      let line = Self.text(line)
      return line.hasPrefix(Self.begin) ? String(line.dropFirst(Self.begin.count)) : nil
    }
  }

  /// Replaces the block with the same mark, or appends the block. Lines that the user wrote between the marks
  /// follow the new block.
  mutating func install(_ block: String, mark: String) {
    let new = Crontab(Array(block.utf8)).lines
    if let range = range(of: mark) {
      let first = range.lowerBound + new.count
      lines.replaceSubrange(range, with: new + userLines(in: range))
      // the user may have copied the block
      while let copy = self.range(of: mark, from: first) {
        lines.replaceSubrange(copy, with: userLines(in: copy))
      }
      return
    }
    if let last = lines.last, last.last != Self.newline { lines[lines.count - 1].append(Self.newline) }
    lines += new
  }

  /// Removes a block but keeps the lines that the user wrote between its marks. Returns false if there is no block.
  @discardableResult
  mutating func remove(_ mark: String) -> Bool {
    guard range(of: mark) != nil else { return false }
    while let range = range(of: mark) { lines.replaceSubrange(range, with: userLines(in: range)) }
    return true
  }

  private func userLines(in range: Range<Int>) -> [[UInt8]] {
    lines[range].filter { !CrontabBlock.isOurs(Self.text($0)) }
  }

  /// Returns the lines from a mark to its end. If the user removed the end, or if another mark precedes the
  /// end, the range has only the mark and the generated lines right after it. No line of the user is then
  /// taken for a generated one.
  private func range(of mark: String, from start: Int = 0) -> Range<Int>? {
    guard let first = lines[start...].firstIndex(where: { Self.text($0) == Self.begin + mark }) else {
      return nil
    }
    for index in lines.indices[(first + 1)...] {
      let line = Self.text(lines[index])
      if line == Self.end + mark { return first..<(index + 1) }
      if line.hasPrefix(Self.begin) { break }
    }
    let others = lines[(first + 1)...].prefix {
      let line = Self.text($0)
      return CrontabBlock.isOurs(line) && !line.hasPrefix(Self.begin)
    }
    return first..<others.endIndex
  }

  /// Returns a line without its line end. An editor may have written CR LF.
  private static func text(_ line: [UInt8]) -> String {
    var text = line[...]
    for end in [newline, UInt8(ascii: "\r")] where text.last == end { text = text.dropLast() }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The lines of a job in a crontab. Pure.
struct CrontabBlock {
  let job: ScheduledJob

  private static let note = "# made by `smilepile schedule install`: change the job file and install again"
  private static let priorityCommand = ["nice", "-n", "19", "ionice", "-c", "3"]

  /// True if this program generated the line.
  static func isOurs(_ line: String) -> Bool {
    if line == note || line.hasPrefix(Crontab.begin) || line.hasPrefix(Crontab.end) { return true }
    return !line.hasPrefix("#") && line.contains(" \(priorityCommand.joined(separator: " ")) ")
      && ScheduledJob.Task.allCases.contains { line.contains(" \($0.rawValue) --config ") }
      && line.contains(" -- ")
  }

  /// Cron truncates a longer command silently. cron's MAX_COMMAND is 1000 with the final zero.
  static let longestCommand = 998

  /// Returns the block with its marks; an empty text if the job has no scheduled task.
  ///
  /// - Throws: `ScheduleInstallError.commandTooLong`, `.backslashForCron`.
  func text() throws(ScheduleInstallError) -> String {
    // some crons read two backslashes as one, some do not
    let words = job.command(for: .backup) + job.environment.values
    guard !words.contains(where: { $0.contains("\\") }) else { throw .backslashForCron(job: job.name) }
    var lines: [String] = []
    for task in ScheduledJob.Task.allCases {
      for time in job.cronTimes(of: task) {
        let command = Self.command(job, task, time.condition)
        guard command.utf8.count <= Self.longestCommand else { throw .commandTooLong(job: job.name) }
        lines.append("\(time.fields) \(command)")
      }
    }
    guard !lines.isEmpty else { return "" }
    return ([Crontab.begin + job.mark, Self.note] + lines + [Crontab.end + job.mark])
      .map { $0 + "\n" }.joined()
  }

  private static func command(
    _ job: ScheduledJob, _ task: ScheduledJob.Task, _ condition: String?
  ) -> String {
    // cron sets HOME itself
    let variables = job.environment.filter { $0.key != "HOME" }.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value.shellQuoted)" }
    let words = priorityCommand + job.command(for: task, task == .inbox ? ["--quiet"] : [])
    // cron mails each output, and the next backup reports what this run could not import
    let output = task == .inbox ? [">/dev/null", "2>&1"] : []
    let command = (variables + words.map(\.shellQuoted) + output).joined(separator: " ")
    // cron(8) reads % as a line feed unless a backslash precedes it
    return ((condition.map { "\($0) && " } ?? "") + command).replacing("%", with: "\\%")
  }
}

extension ScheduledJob {
  /// Returns when cron runs a task: an inbox every minute, since cron gets no events.
  fileprivate func cronTimes(of task: Task) -> [Schedule.CronTime] {
    guard task == .inbox else { return schedule(of: task)?.cronTimes ?? [] }
    return runsAutomatically(task) ? [Schedule.CronTime(fields: "* * * * *")] : []
  }
}
