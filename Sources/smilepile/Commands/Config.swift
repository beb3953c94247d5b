import ArgumentParser
import FileSystem
import Jobs
import SystemPackage

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look at the job file.", subcommands: [Check.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the job file, and name every mistake with its line.",
      discussion: """
        The exit code is 64 if there is a mistake, 10 if there is no job file.

        Example:
          smilepile config check --config /etc/smilepile/config.yaml
        """)

    @OptionGroup var file: JobFileOption
    @OptionGroup var output: OutputOptions

    private struct Fault: Encodable {
      var message_type = "error"
      var item: String
      var during = "config check"
      var line: Int
      var message: String
    }

    private struct Summary: Encodable {
      var message_type = "summary"
      var file: String
      var jobs: [String]
      var faults: Int
      var warnings: [String]
    }

    func run() async throws {
      let reporter = Reporter(output)
      do {
        let file = try file.read()
        let warnings = file.warnings.map { $0.text(in: file.path) }
        for warning in warnings { reporter.warn(warning) }
        reporter.result("\(file.path.string.escaped): \(Count(file.jobs.count, "job")), no mistake")
        reporter.json(
          Summary(file: file.path.string, jobs: file.jobs.map(\.name), faults: 0, warnings: warnings))
      } catch let error as JobFile.Invalid {
        for fault in error.faults {
          reporter.json(Fault(item: error.path.string, line: fault.line, message: fault.message))
        }
        reporter.json(Summary(file: error.path.string, jobs: [], faults: error.faults.count, warnings: []))
        if !output.json {
          for line in error.lines { Console.standard.print(line.escaped, to: .error, .error) }
        }
        throw ExitStatus.usage
      }
    }
  }
}
