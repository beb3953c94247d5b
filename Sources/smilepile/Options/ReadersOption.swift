import ArgumentParser

/// The number of photos that are read at a time.
struct ReadersOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this many photos at a time; default: depends on the disk, 1 for a hard disk.",
      valueName: "number"))
  var readers: Int?

  func validate() throws {
    if let readers, !(1...256).contains(readers) {
      throw ValidationError("--readers needs a number from 1 to 256")
    }
  }
}
