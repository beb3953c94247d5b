import Dispatch
import Foundation
import Operations
import Processes
import Synchronization

/// Handles signals. SIGINT, SIGTERM, SIGHUP and SIGQUIT stop the work, which then cleans up. SIGUSR1 prints a
/// line of progress. No signal leaves a core dump, which could contain a password.
enum Signals {
  private struct State {
    var received: ExitStatus?
    var cancel: (@Sendable () -> Void)?
    var progress: (@Sendable () -> Operations.Progress)?
  }

  private static let state = Mutex(State())
  @MainActor private static var sources: [any DispatchSourceSignal] = []

  /// The exit code of the first signal that stopped the work.
  static var received: ExitStatus? { state.withLock { $0.received } }

  /// Installs the handlers. A signal before any work, and the second signal, end the process at once and
  /// terminate hooks. The next run removes temporary files. Blocks until the sources are registered; before, a
  /// signal has its default action.
  @MainActor static func install() {
    let registration = DispatchGroup()
    sources = [
      source(SIGINT, registration) { stop(.interrupted) },
      source(SIGTERM, registration) { stop(.terminated) },
      source(SIGQUIT, registration) { stop(.quit) },
      source(SIGUSR1, registration) { showProgress() },
    ]
    // nohup(1) ignores SIGHUP
    if !isIgnored(SIGHUP) { sources.append(source(SIGHUP, registration) { stop(.terminated) }) }
    registration.wait()
  }

  /// Returns true if the signal is ignored. Swift cannot compare C functions, but can compare their
  /// addresses. sigaction(2).
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
      == unsafeBitCast(SIG_IGN, to: UInt.self)
  }

  /// Sets the work that signals cancel and whose progress they print.
  static func attend<Summary>(_ work: Work<Summary>) {
    state.withLock {
      $0.cancel = { work.cancel() }
      $0.progress = { work.currentProgress }
    }
  }

  /// Runs a closure that checks `received` itself and needs a cleanup. A signal does not end the process
  /// before the cleanup, even without work.
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
    _ number: Int32, _ registration: DispatchGroup, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    registration.enter()
    source.setRegistrationHandler { registration.leave() }
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
    TerminalEcho.restore()
    ChildProcess.terminateAll()
    _exit(code)
  }

  private static func showProgress() {
    guard let progress = state.withLock({ $0.progress }) else { return }
    Console.standard.print(progress().statusLine, to: .error)
  }
}
