import Dispatch
import Foundation
import Operations
import Processes
import Synchronization

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT stop the work, which cleans up after itself; SIGUSR1 prints a line of progress. None
/// leaves a core dump, which could hold a password.
enum Signals {
  private struct State {
    var received: ExitStatus?
    var cancel: (@Sendable () -> Void)?
    var progress: (@Sendable () -> Operations.Progress)?
  }

  private static let state = Mutex(State())
  @MainActor private static var sources: [any DispatchSourceSignal] = []

  /// The exit code of the first signal that asked to stop.
  static var received: ExitStatus? { state.withLock { $0.received } }

  /// Installs the handlers. Before there is work, and the second time, a signal ends the process at once and terminates
  /// hooks; the next run removes temporary files.
  @MainActor static func install() {
    sources = [
      source(SIGINT) { stop(.interrupted) },
      source(SIGTERM) { stop(.terminated) },
      source(SIGQUIT) { stop(.quit) },
      source(SIGUSR1) { showProgress() },
    ]
    // nohup(1) ignores SIGHUP
    if !isIgnored(SIGHUP) { sources.append(source(SIGHUP) { stop(.terminated) }) }
  }

  /// sigaction(2). C functions cannot be compared in Swift, their addresses can.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
      == unsafeBitCast(SIG_IGN, to: UInt.self)
  }

  /// Sets the work that signals cancel and show.
  static func attend<Summary>(_ work: Work<Summary>) {
    state.withLock {
      $0.cancel = { work.cancel() }
      $0.progress = { work.currentProgress }
    }
  }

  /// Runs something that looks at `received` itself and has to be cleaned up after, so that a signal does not end the
  /// process before that, even while there is no work yet.
  static func cleaningUp<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let hadWork = state.withLock { state in
      defer { state.cancel = state.cancel ?? {} }
      return state.cancel != nil
    }
    defer { if !hadWork { state.withLock { $0.cancel = nil } } }
    return try body()
  }

  private static func source(
    _ number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.resume()
    return source
  }

  private static func stop(_ status: ExitStatus) {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state.received = state.received ?? status }
      return state.received == nil ? state.cancel : nil
    }
    guard let cancel else { quit((received ?? status).rawValue) }
    cancel()
  }

  private static func quit(_ code: Int32) -> Never {
    TerminalPrompt.restore()
    ChildProcess.terminateAll()
    _exit(code)
  }

  private static func showProgress() {
    guard let progress = state.withLock({ $0.progress }) else { return }
    Console.standard.print(progress().statusLine, to: .error)
  }
}
