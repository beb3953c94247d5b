import ArgumentParser
import FileSystem
import Jobs
import SystemPackage

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the job file.", subcommands: [Check.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check the job file, and report every mistake with its line.",
      discussion: """
        If there is no mistake, prints when each job runs, and warns about libraries, password files, programs, \
        state folders and destinations that cannot be used now, for example because other users can change them. The \
        exit code is 64 if there is a mistake, 10 if there is no job file.

        Example:
          smilepile config check --config /etc/smilepile/config.yaml
        """)

    @OptionGroup var file: JobFileOption
    @OptionGroup var output: CommonOptions

    private struct Fault: Encodable {
      let messageType = "error"
      var item: String
      var during = "config check"
      var line: Int
      var message: String
    }

    private struct Summary: Encodable {
      let messageType = "summary"
      var file: String
      var jobs: [String]
      /// The scheduled tasks with their next runs.
      var tasks: [Task]
      var faults: Int
      var warnings: [String]
    }

    /// A task like in `schedule status`.
    private struct Task: Encodable {
      var job: String
      var task: String
      var schedule: String
    }

    private static func tasks(of job: Job) -> [Task] {
      let inbox = job.inboxes.isEmpty ? nil : Job.timingOfInbox
      return [
        ("backup", job.schedule?.description), ("drill", job.drill?.description), ("inbox", inbox),
      ].compactMap { task, timing in timing.map { Task(job: job.name, task: task, schedule: $0) } }
    }

    func run() async throws {
      let reporter = Reporter(output)
      do {
        let file = try file.read()
        let warnings =
          file.warnings.map { $0.text(in: file.path) } + [StateFolder.ofThisUser.problem()].compactMap { $0 }
          + file.jobs.flatMap { $0.problems() }
        for warning in warnings { reporter.warn(warning) }
        reporter.result("\(file.path.string.escaped): \(Count(file.jobs.count, "job")), no mistake")
        let tasks = file.jobs.map(Self.tasks)
        for tasks in tasks where !tasks.isEmpty {
          let times = tasks.map { "\($0.task) \($0.schedule)" }.joined(separator: ", ")
          reporter.result("\(tasks[0].job): \(times)".escaped)
        }
        reporter.json(
          Summary(
            file: file.path.string, jobs: file.jobs.map(\.name), tasks: tasks.flatMap(\.self), faults: 0,
            warnings: warnings))
      } catch let error as InvalidConfiguration {
        for fault in error.faults {
          reporter.json(Fault(item: error.path.string, line: fault.line, message: fault.message))
        }
        reporter.json(
          Summary(
            file: error.path.string, jobs: [], tasks: [], faults: error.faults.count, warnings: []))
        if !output.json {
          for line in error.lines { Console.standard.print(line.escaped, to: .error, .error) }
        }
        throw ExitStatus.usage
      }
    }
  }
}
