import Synchronization

/// A fault that may happen any moment, until the value is told to end it. Several can be armed at a time.
package final class ArmedFault: Sendable {
  let fault: Fault
  private let state = Mutex<(count: Int, place: String?)>((0, nil))

  /// Arms it for the whole process.
  package init(_ fault: Fault) {
    self.fault = fault
    FaultInjection.add(self)
  }

  /// Nothing happens any more.
  package func disarm() { FaultInjection.remove(self) }

  /// The calls counted so far.
  package var count: Int { state.withLock { $0.count } }

  /// The call at which it happened first, as `rename /a/b`; nil if it was not reached.
  package var place: String? { state.withLock { $0.place } }

  /// Counts a call, and says whether the fault is to happen at it.
  func happens(at call: SystemCall, _ path: () -> String) -> Bool {
    guard fault.calls.contains(call) else { return false }
    guard fault.folder == nil || fault.concerns(path()) else { return false }
    return state.withLock { state in
      state.count += 1
      guard state.count == fault.number || fault.persists && state.count > fault.number else { return false }
      if state.place == nil { state.place = "\(call.rawValue) \(path())" }
      return true
    }
  }
}
