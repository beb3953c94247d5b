import Synchronization

/// A fault that is injected until `disarm` is called. Several can be armed at a time.
package final class ArmedFault: Sendable {
  let fault: Fault
  private let state = Mutex<(count: Int, place: String?)>((0, nil))

  /// Arms the fault for the whole process.
  package init(_ fault: Fault) {
    self.fault = fault
    FaultInjection.add(self)
  }

  /// Ends the injection.
  package func disarm() { FaultInjection.remove(self) }

  /// The number of calls counted so far.
  package var count: Int { state.withLock { $0.count } }

  /// The first call that was affected, such as `rename /a/b`; nil if there was none.
  package var place: String? { state.withLock { $0.place } }

  /// Counts a call of one of the fault's kinds, and returns whether the fault affects it.
  func happens(at call: SystemCall, _ path: String) -> Bool {
    guard fault.affects(path) else { return false }
    return state.withLock { state in
      state.count += 1
      guard state.count == fault.number || fault.persists && state.count > fault.number else { return false }
      if state.place == nil { state.place = "\(call.rawValue) \(path)" }
      return true
    }
  }
}
