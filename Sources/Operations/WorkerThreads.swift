import Dispatch
import Glibc

/// Why a thread could not be started: memory is short, or the limit of processes is reached.
package struct ThreadError: Error, Sendable, CustomStringConvertible {
  /// What pthread_create(3) returned.
  package let code: CInt

  /// One line, with the remedy.
  package var description: String {
    "cannot start a thread: \(String(cString: strerror(code))); free memory, or raise the limit of processes (ulimit -u)"
  }
}

/// Threads of their own for work that blocks, which the threads of Swift's concurrency must not do: those
/// are as many as the cores, and everything else would wait for them. They are joined when the value goes
/// at the latest, so whoever starts them tells them to end first.
///
/// Foundation's `Thread` says nothing when there can be no thread, and what waits for it waits for ever.
package struct WorkerThreads: ~Copyable {
  private var threads: [pthread_t] = []

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// None yet.
  package init() {}

  /// How many were started.
  package var count: Int { threads.count }

  /// Starts a thread. What `body` holds is let go before the thread can be joined.
  package mutating func start(
    stackSize: Int = 512 << 10, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) {
    threads.append(try Self.thread(stackSize: stackSize, body))
  }

  /// Starts a thread that nobody waits for.
  static func startDetached(stackSize: Int, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    pthread_detach(try thread(stackSize: stackSize, body))
  }

  /// pthread_create(3)
  private static func thread(
    stackSize: Int, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw ThreadError(code: code)
    }
    return thread
  }

  /// Waits until all have ended. pthread_join(3).
  package consuming func join() {}

  /// Looks whether so many threads could run at a time, each with a stack of the usual size; none is kept.
  package static func requireThreads(_ count: Int) throws(ThreadError) {
    var usual = pthread_attr_t()
    pthread_attr_init(&usual)
    defer { pthread_attr_destroy(&usual) }
    var stackSize = 0
    pthread_attr_getstacksize(&usual, &stackSize)
    var threads = WorkerThreads()
    let gate = DispatchSemaphore(value: 0)
    defer { for _ in 0..<count { gate.signal() } }
    for _ in 0..<count { try threads.start(stackSize: stackSize) { gate.wait() } }
  }

  deinit {
    for thread in threads { pthread_join(thread, nil) }
  }
}
