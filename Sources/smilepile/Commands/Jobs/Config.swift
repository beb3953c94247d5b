import ArgumentParser
import FileSystem
import Jobs

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the job file.", subcommands: [Check.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the job file, and report every mistake with its line.",
      discussion: """
        If there is no mistake, prints when each job runs, and warns about libraries, password files, programs, \
        state folders and destinations that cannot be used now, for example because other users can change them. The \
        exit code is 64 if there is a mistake, 10 if there is no job file.

        Example:
          smilepile config check --config /etc/smilepile/config.yaml
        """)

    @OptionGroup var file: JobFileOption
    @OptionGroup var reporter: Reporter

    /// Returns the scheduled tasks of a job, and when they run.
    private static func tasks(of job: Job) -> [(task: String, schedule: String)] {
      let inbox = job.inboxes.isEmpty ? nil : ScheduledJob.timingOfInbox
      return [
        ("backup", job.schedule?.description), ("drill", job.restoreTestSchedule?.description),
        ("inbox", inbox),
      ].compactMap { task, schedule in schedule.map { (task, $0) } }
    }

    func run() async throws {
      do {
        let file = try file.read()
        let warnings =
          file.warnings.map { $0.text(in: file.path) } + [StateFolder.ofThisUser.problem()].compactMap { $0 }
          + file.jobs.flatMap { $0.problems() }
        for warning in warnings { reporter.warn(warning) }
        reporter.result("\(file.path.string.escaped): \(Count(file.jobs.count, "job")), no mistake")
        for job in file.jobs {
          let times = Self.tasks(of: job).map { "\($0.task) \($0.schedule)" }
          if times.isEmpty { continue }
          reporter.result("\(job.name): \(times.joined(separator: ", "))".escaped)
        }
        reporter.json(
          "summary",
          [
            "file": file.path.string, "jobs": file.jobs.map(\.name),
            "tasks": file.jobs.flatMap { job in
              Self.tasks(of: job).map {
                ["job": job.name, "task": $0.task, "schedule": $0.schedule] as JSONFields
              }
            },
            "faults": 0, "warnings": warnings,
          ])
      } catch let error as InvalidConfiguration {
        for fault in error.faults {
          reporter.json(
            "error",
            [
              "item": error.path.string, "during": "config check", "line": fault.line,
              "message": fault.message,
            ])
        }
        reporter.json(
          "summary",
          [
            "file": error.path.string, "jobs": [String](), "tasks": [JSONFields](),
            "faults": error.faults.count, "warnings": [String](),
          ])
        if !reporter.printsJSON {
          for line in error.lines { Console.standard.print(line.escaped, to: .error, .error) }
        }
        throw ExitStatus.usage
      }
    }
  }
}
