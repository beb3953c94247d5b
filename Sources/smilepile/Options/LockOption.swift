import ArgumentParser
import PhotoLibrary

/// The maximum wait for another writer.
struct LockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that changes the library.", valueName: "seconds"))
  var lockWait = 0.0

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// The maximum wait of a reader for a writer.
struct ReaderLockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that deletes photo files.", valueName: "seconds"))
  var lockWait = Double(Library.readersWait.components.seconds)

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// Refuses a negative or infinite number of seconds.
func checkLockWait(_ seconds: Double) throws {
  guard seconds >= 0, seconds <= 1e9 else {
    throw ValidationError("--lock-wait takes a number of seconds, 0 or more")
  }
}
