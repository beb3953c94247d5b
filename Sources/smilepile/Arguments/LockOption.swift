import ArgumentParser
import PhotoLibrary

/// The maximum wait for another writer.
struct LockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait at most this long for another process that changes the library.", valueName: "seconds"))
  var lockWait = Seconds(0)

  func validate() throws { try checkLockWait(lockWait.number) }

  var duration: Duration { .seconds(lockWait.number) }
}

/// The maximum wait of a reader for a writer.
struct ReaderLockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait at most this long for another process that deletes photo files or clears the cache.",
      valueName: "seconds"))
  var lockWait = Seconds(Double(Library.readersWait.components.seconds))

  func validate() throws { try checkLockWait(lockWait.number) }

  var duration: Duration { .seconds(lockWait.number) }
}

/// A number of seconds with a default that the help shows without a fraction.
struct Seconds: ExpressibleByArgument, CustomStringConvertible {
  var number: Double

  init(_ number: Double) { self.number = number }

  init?(argument: String) {
    guard let number = Double(argument) else { return nil }
    self.number = number
  }

  var description: String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }
}

/// Refuses a negative or infinite number of seconds.
func checkLockWait(_ seconds: Double) throws {
  guard seconds >= 0, seconds <= 1e9 else {
    throw ValidationError("--lock-wait needs a number of seconds, at least 0")
  }
}
