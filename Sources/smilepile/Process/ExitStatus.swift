import Operations

/// The exit codes, from the best to the worst for several jobs in one run; `docs/reference/exit-codes.md` lists them.
enum ExitStatus: Int32, Error, Comparable, CaseIterable {
  case done = 0
  case incomplete = 3
  case usage = 64
  case locked = 11
  case password = 12
  case notFound = 10
  case damaged = 4
  case failed = 1
  case interrupted = 130
  case quit = 131
  case terminated = 143

  /// The codes with their meanings, one a line. The line of 130 has 131 and 143, too.
  static let help = allCases.sorted { $0.rawValue < $1.rawValue }.compactMap { status in
    status.meaning.map { "\(status.rawValue)".padded(toColumns: 5) + "  \($0)" }
  }.joined(separator: "\n")

  private var meaning: String? {
    switch self {
    case .done: "done"
    case .failed: "failed; nothing was published or changed except what is reported"
    case .incomplete: "incomplete: something is missing from the result, and is reported"
    case .damaged: "verify, drill or prune found damage"
    case .notFound: "no such library, archive, folder of archives, job or job file"
    case .locked: "another process has locked the library or the job"
    case .password: "wrong or missing password or PIN"
    case .usage: "a mistake on the command line or in the job file"
    case .interrupted: "interrupted (SIGINT); 131 by SIGQUIT, 143 by SIGTERM or SIGHUP"
    case .quit, .terminated: nil
    }
  }

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
