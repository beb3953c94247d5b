import ArgumentParser

/// The library that a command changes, its lock, and the output.
struct LibraryChangeOptions: ParsableArguments {
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: CommonOptions

  var reporter: Reporter { Reporter(output) }
}
