import ArgumentParser
import FileSystem
import SystemPackage

/// The options of all commands.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print JSON lines; the last line is a summary or an exit_error.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and the result.")
  var quiet = false

  @Option(help: ArgumentHelp("How to show progress.", valueName: "auto|bar|plain|percent|none"))
  var progress = ProgressStyle.auto

  @Option(
    help: ArgumentHelp(
      "Trust this folder, although other users can write to it; may be repeated.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var trust: [String] = []

  /// Checks the options, and excepts the trusted folders from the rule of `Ownership`.
  func validate() throws {
    Ownership.trust(trust.map { FilePath($0) })
    if json, progress == .percent {
      throw ValidationError("--progress percent and --json both use standard output; choose one")
    }
  }
}

extension ProgressStyle: ExpressibleByArgument {}
