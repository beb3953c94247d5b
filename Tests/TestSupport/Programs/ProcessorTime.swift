import Glibc

/// Measures the work of one thread. Other tests and the load of the machine do not affect it.
package enum ProcessorTime {
  /// The processor time that this thread has used. clock_gettime(2).
  package static var ofThread: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
