import Glibc

/// A program to run in a child process, and the limits under which it runs.
///
/// `run` waits for the end of the process, and not for processes that it leaves in the background, even if they hold
/// its output open.
package struct ChildProcess: Sendable {
  /// What the program reads from its standard input.
  package enum Input: Sendable {
    /// The standard input of this process.
    case inherited
    /// These bytes, then the end.
    case bytes([UInt8])
  }

  /// Which output of the program its caller receives. The program shares the other streams with this process.
  package enum Capture: Sendable {
    /// Standard output.
    case output
    /// Standard output and standard error as one stream, in the order in which the program wrote to them.
    case merged
    /// Standard output and standard error, each for itself.
    case separate
  }

  /// A stream that is captured. A merged one is `output`.
  package enum Stream: Sendable { case output, errors }

  /// Why a program did not succeed.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// The program could not be started, or its end could not be waited for.
    case notRun(errno: CInt)
    /// The exit status, not 0; 128 and the number of the signal if a signal ended the process.
    case status(Int)
    /// The program was terminated because it took longer than this.
    case timeLimit(Duration)
    /// The program was terminated because its caller was cancelled.
    case cancelled

    /// The predicate of a sentence about the program.
    package var description: String {
      switch self {
      case .notRun(let errno): "cannot be run: \(String(cString: strerror(errno)))"
      case .status(let status): "failed with exit status \(status)"
      case .timeLimit(let limit): "was stopped after \(limit.components.seconds) s"
      case .cancelled: "was stopped"
      }
    }
  }

  /// The path of an executable file.
  package var program: String
  /// The arguments, without the name of the program.
  package var arguments: [String]
  /// Variables that are added to those of this process, or replace them.
  package var environment: [String: String] = [:]
  package var input = Input.inherited
  package var capture = Capture.output
  /// True if the process leads a process group, so that termination reaches all processes that it has started. A
  /// program that may ask at the terminal must stay in the group that the terminal belongs to.
  package var leadsGroup = false
  /// Nil if the program may take as long as it needs.
  package var timeLimit: Duration?
  /// The time from SIGTERM to SIGKILL.
  var gracePeriod = Duration.seconds(10)

  /// - Parameter program: the path of an executable file.
  package init(_ program: String, _ arguments: [String]) {
    (self.program, self.arguments) = (program, arguments)
  }

  /// A command line for the shell.
  package init(shell command: String) { self.init("/bin/sh", ["-c", command]) }

  /// The path of a program in `PATH`; nil if there is none.
  package static func find(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Sends SIGTERM to the process group of each program that this process runs, without waiting: for a process that is
  /// about to end itself.
  package static func terminateAll() { SpawnedProcess.terminateGroups() }

  /// Runs the program and waits for its end. If it takes too long or the caller is cancelled, it gets SIGTERM, and
  /// SIGKILL after the grace period; a group gets that time as a whole. Blocks; looks at the clock and at `isCancelled`
  /// at least ten times a second.
  ///
  /// - Parameter receive: called with what the program prints. The memory is wiped afterwards.
  package func run(
    isCancelled: () -> Bool = { false }, receive: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    var streams = try CapturedStreams(capture)
    var process = try SpawnedProcess(self, streams)
    streams.closeWritingEnds()
    let deadline = timeLimit.map { ContinuousClock.now + $0 }
    while try !process.hasEnded() {
      streams.read(waiting: true, receive)
      var reason = isCancelled() ? Failure.cancelled : nil
      if let timeLimit, let deadline, .now >= deadline { reason = reason ?? .timeLimit(timeLimit) }
      guard let reason, try !process.hasEnded() else { continue }
      try terminate(&process, &streams, receive)
      throw reason
    }
    // everything that the process itself has printed is in the pipe
    streams.read(waiting: false, receive)
    guard process.status == 0 else { throw .status(process.status ?? 0) }
  }

  private func terminate(
    _ process: inout SpawnedProcess, _ streams: inout CapturedStreams,
    _ receive: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    process.signal(SIGTERM)
    let deadline = ContinuousClock.now + gracePeriod
    while try process.isAlive(), ContinuousClock.now < deadline { streams.read(waiting: true, receive) }
    process.signal(SIGKILL)
    while try !process.hasEnded() { streams.read(waiting: true, receive) }
    streams.read(waiting: false, receive)
  }

  /// What a program printed, and its exit status.
  package struct Output: Sendable {
    package var status = 0
    package var output: [UInt8] = []
    package var errors: [UInt8] = []
  }

  /// Runs the program and collects what it prints. A status other than 0 is no error.
  ///
  /// - Returns: nil if the program printed more than `limit` bytes.
  package func output(limit: Int) throws(Failure) -> Output? {
    var result = Output()
    var count = 0
    do throws(Failure) {
      try run { stream, bytes in
        count += bytes.count
        guard count <= limit else { return }
        if stream == .output { result.output += bytes } else { result.errors += bytes }
      }
    } catch {
      guard case .status(let status) = error else { throw error }
      result.status = status
    }
    return count <= limit ? result : nil
  }
}
