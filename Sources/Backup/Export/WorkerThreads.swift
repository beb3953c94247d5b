import Glibc
import SystemPackage

/// Threads of their own for work that blocks, which the threads of Swift's concurrency must not do: those
/// are as many as the cores, and everything else would wait for them. They are joined when the value goes
/// at the latest, so whoever starts them tells them to end first.
struct WorkerThreads: ~Copyable {
  private var threads: [pthread_t] = []
  private static let stackSize = 512 << 10

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread. pthread_create(3).
  mutating func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackSize)
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
      throw Errno(rawValue: code)
    }
    threads.append(thread)
  }

  /// Waits until all have ended. pthread_join(3).
  consuming func join() {}

  deinit {
    for thread in threads { pthread_join(thread, nil) }
  }
}
