import Dispatch
import Glibc

/// A thread could not be started: there is not enough memory, or the limit of processes is reached.
package struct ThreadError: ExplainedError, Sendable, CustomStringConvertible {
  /// The result of pthread_create(3).
  package let code: CInt

  package var cause: ErrorCause { .environment }

  /// One line, with the remedy.
  package var description: String {
    "cannot start a thread: \(String(cString: strerror(code))); increase the process limit (ulimit -u)"
  }
}

/// Threads for blocking work. The threads of Swift's cooperative pool must not block: there are as many as cores, and
/// all other tasks would wait for them. The deinitializer joins the threads, so the caller must tell them to end first.
///
/// Foundation's `Thread` is not used, since it does not report that a thread could not be started.
package struct WorkerThreads: ~Copyable {
  private var threads: [pthread_t] = []

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts no thread.
  package init() {}

  /// The number of threads that were started.
  package var count: Int { threads.count }

  /// Starts a thread. Releases what `body` retains before the thread can be joined.
  package mutating func start(
    stackSize: Int = 512 << 10, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) {
    threads.append(try Self.thread(stackSize: stackSize, body))
  }

  /// Starts a thread that is not joined.
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

  /// Waits for the end of all threads. pthread_join(3).
  package consuming func join() {}

  /// Throws if this many threads cannot run at a time, each with a stack of the default size. Ends them again.
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
