import Operations

/// The exit codes, from the best to the worst for several jobs in one run; `docs/reference/exit-codes.md` lists them.
enum ExitStatus: Int32, Error, Comparable, CaseIterable {
  /// Success.
  case done = 0
  /// The result is incomplete, and the command reports the missing parts.
  case incomplete = 3
  /// The command line or the job file has a mistake.
  case usage = 64
  /// Another process is changing the library.
  case locked = 11
  /// The password is wrong or missing.
  case password = 12
  /// The library, archive, folder of archives, job or job file is missing.
  case notFound = 10
  /// `verify`, `drill` or `prune` found damage.
  case damaged = 4
  /// The command published and changed nothing, except as reported.
  case failed = 1
  /// SIGINT.
  case interrupted = 130
  /// SIGQUIT.
  case quit = 131
  /// SIGTERM.
  case terminated = 143

  /// True if the first code is less bad than the second.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool {
    allCases.prefix { $0 != other }.contains(one)
  }

  /// Returns the code for an error of the libraries.
  init(for error: any Error) {
    if let status = error as? ExitStatus {
      self = status
      return
    }
    self =
      switch error.cause {
      case .cancelled: Signals.received ?? .interrupted
      case .busy: .locked
      case .notFound, .missingBase: .notFound
      case .password, .passwordOrDamage: .password
      case .usage: .usage
      case .environment, .access, .damage, .disk, .limit, .unsupported, .destination, .other: .failed
      }
  }
}
