import ArgumentParser
import PhotoLibrary

/// How long to wait for another writer.
struct LockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that changes the library.", valueName: "seconds"))
  var lockWait = 0.0

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// How long a reader waits for a writer.
struct ReaderLockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that deletes photo files.", valueName: "seconds"))
  var lockWait = Double(Library.readersWait.components.seconds)

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// Refuses a negative or infinite time.
func checkLockWait(_ seconds: Double) throws {
  guard seconds >= 0, seconds <= 1e9 else {
    throw ValidationError("--lock-wait takes a number of seconds, 0 or more")
  }
}
