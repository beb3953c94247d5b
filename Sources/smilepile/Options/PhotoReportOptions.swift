import ArgumentParser

/// The output of the commands that report what happens to each photo.
struct PhotoReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print a line for each photo on standard error.")
  var verbose = false

  @OptionGroup var reporter: Reporter

  /// True if the command prints a line for each photo. With `--quiet`, it prints only errors and the result.
  var reportsPhotos: Bool { verbose || reporter.printsJSON && !reporter.quiet }

  func validate() throws {
    guard verbose, reporter.quiet else { return }
    throw ValidationError("--verbose and --quiet contradict each other; choose one")
  }
}
