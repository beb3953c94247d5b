import SystemPackage

/// A fault to inject into a system call. Tests use it to check each call of an operation: the call fails, transfers
/// only a part of the data, or is the last one before the process is killed.
///
/// Only tests of this package arm faults. No argument or environment variable of the command does.
package struct Fault: Sendable {
  /// Which calls are counted.
  package enum Calls: Sendable {
    /// All of them.
    case all
    /// Those that change something, or make changes durable.
    case writing
    /// Those of these kinds.
    case only(Set<SystemCall>)

    func contains(_ call: SystemCall) -> Bool {
      switch self {
      case .all: true
      case .writing: call.writes
      case .only(let calls): calls.contains(call)
      }
    }
  }

  /// What happens at the call.
  package enum Effect: Sendable {
    /// The call is not made, and fails with this error. EINTR is reported once, as for a signal.
    case error(Errno)
    /// The call is made, and still fails with this error, as if the reply of a server was lost.
    case errorAfter(Errno)
    /// A read or a write transfers half of its bytes. Other calls are not affected.
    case short
    /// SIGKILL ends the process instead of the call.
    case killBefore
    /// SIGKILL ends the process after the call.
    case killAfter
    /// The call is made, and then this function is called: it acts as another process at that moment.
    case then(@Sendable () -> Void)
    /// fstatfs(2) returns these values: a file system of another kind, or one that is nearly full.
    case fileSystem(type: Int, freeBytes: Int)
    /// These bytes of a file cannot be read (EIO); a read that begins before them ends there.
    case badSectors(Range<Int>)
  }

  /// The number of the call, from 1.
  package var number: Int
  package var calls: Calls
  package var effect: Effect
  /// True if the fault affects all later calls too.
  package var persists: Bool
  /// If set, only calls on files below this folder count. A path without symbolic links.
  package var folder: String?

  /// Makes a fault.
  package init(
    _ effect: Effect, at number: Int = 1, of calls: Calls = .all, persists: Bool = false,
    below folder: FilePath? = nil
  ) {
    self.effect = effect
    self.number = number
    self.calls = calls
    self.persists = persists
    self.folder = folder?.string
  }

  func affects(_ path: String) -> Bool {
    guard let folder else { return true }
    return path == folder || path.hasPrefix("\(folder)/")
  }
}
