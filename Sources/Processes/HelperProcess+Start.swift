import Glibc

extension HelperProcess {
  /// The first message of a program, which says what it can do. `struct hello` in `CHelper.h` has the same layout.
  package struct Hello: Sendable, Equatable {
    /// What identifies the message of a program.
    package struct Kind: Sendable {
      let magic: UInt32
      let version: UInt16
      /// The bytes of the message.
      let length: Int

      /// - Parameter detailBytes: the bytes behind the beginning that the messages of all programs have.
      package init(magic: UInt32, version: UInt16, detailBytes: Int) {
        (self.magic, self.version, length) = (magic, version, Hello.startBytes + detailBytes)
      }
    }

    private static let startBytes = 12

    /// 0 if the program is ready.
    package let status: UInt16
    /// The bits of the protections that took effect.
    package let protections: UInt32
    /// What only this program tells.
    package let details: [UInt8]

    /// Parses a message; returns nil for a message of another kind.
    package init?(_ bytes: [UInt8], _ kind: Kind) {
      guard bytes.count == kind.length, bytes.number(at: 0) == kind.magic, bytes.number(at: 4) == kind.version
      else { return nil }
      (status, protections) = (bytes.number(at: 6), bytes.number(at: 8))
      details = Array(bytes[Self.startBytes...])
    }
  }

  /// How long a program may take to start. It loads libraries, which a slow disk may have to read.
  private static let startTime = Duration.seconds(60)
  /// The most bytes of a first message, also of another version.
  private static let mostHelloBytes = 4096
  /// How often a program that ends before it says hello is started again. The kernel kills processes for lack of memory.
  private static let startAttempts = 5

  /// Starts a program, and waits for its first message. Starts a program again that ends before, or that another process
  /// is writing. Blocks for at most 60 s
  /// in all; looks at `isCancelled` at least ten times a second.
  ///
  /// - Throws: `.ended` if the last attempt ended; `.otherVersion`; `.timeLimit`; `.cancelled`; `.notRun`.
  package static func start(
    _ program: String, environment: [String], _ kind: Hello.Kind, isCancelled: () -> Bool
  ) throws(Failure) -> (process: HelperProcess, hello: Hello) {
    let deadline = ContinuousClock.now + startTime
    var attemptsLeft = startAttempts
    while true {
      attemptsLeft -= 1
      do throws(Failure) {
        let process = try HelperProcess(program, environment: environment)
        let message = try process.receive(
          atMost: mostHelloBytes, until: deadline, isCancelled: isCancelled)
        guard let hello = Hello(message, kind) else { throw Failure.otherVersion }
        return (process, hello)
      } catch {
        guard error.isTemporary, attemptsLeft > 0 else { throw error }
        if isCancelled() { throw .cancelled }
        usleep(10_000)
      }
    }
  }
}

extension HelperProcess.Failure {
  /// True if another attempt to start the program may succeed.
  fileprivate var isTemporary: Bool {
    switch self {
    case .ended: true
    case .notRun(let errno): errno == ETXTBSY
    default: false
    }
  }
}
