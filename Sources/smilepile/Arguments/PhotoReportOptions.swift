import ArgumentParser

/// The output of the commands that report what happens to each photo.
struct PhotoReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print a line for each photo on standard error.")
  var verbose = false

  @OptionGroup var output: CommonOptions

  /// True if the command prints a line for each photo. With `--quiet`, it prints only errors and the result.
  var reportsPhotos: Bool { verbose || output.json && !output.quiet }

  func validate() throws {
    guard verbose, output.quiet else { return }
    throw ValidationError("--verbose and --quiet contradict each other; choose one")
  }
}
