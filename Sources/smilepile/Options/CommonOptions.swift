import ArgumentParser

/// The output of all commands.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON lines; the last line is a summary or an exit_error.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and the result.")
  var quiet = false

  @Option(help: ArgumentHelp("How to show progress.", valueName: "auto|bar|plain|percent|none"))
  var progress = ProgressStyle.auto

  func validate() throws {
    if json, progress == .percent {
      throw ValidationError("--progress percent and --json both use standard output; choose one")
    }
  }
}

extension ProgressStyle: ExpressibleByArgument {}
