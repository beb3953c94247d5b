import SystemPackage

/// A fault that is to happen at a system call: a way to ask, for every single call that a piece of work makes,
/// what becomes of it when that call fails, is cut short, or is the last thing that the process does.
///
/// For this package's own tests: nothing in the command arms one, whatever its arguments and its environment.
package struct Fault: Sendable {
  /// Which calls are counted.
  package enum Calls: Sendable {
    /// All of them.
    case all
    /// Those that change something, or promise that it is durable.
    case writing
    /// Those of some kinds.
    case only(Set<SystemCall>)

    func contains(_ call: SystemCall) -> Bool {
      switch self {
      case .all: true
      case .writing: call.writes
      case .only(let calls): calls.contains(call)
      }
    }
  }

  /// What happens.
  package enum Effect: Sendable {
    /// The call is not made, and fails with this error. EINTR is delivered once, as by a signal.
    case error(Errno)
    /// The call is made, and fails with this error all the same, as when a server's answer is lost.
    case errorAfter(Errno)
    /// A read or a write comes to half of what it was asked for. Other calls are made as they are.
    case short
    /// The process ends by SIGKILL in the place of the call.
    case killBefore
    /// The process ends by SIGKILL when the call has been made.
    case killAfter
    /// The call is made, and then this is run: another process does something at that moment.
    case then(@Sendable () -> Void)
    /// fstatfs(2) answers these: a file system of another kind, or one that is nearly full.
    case fileSystem(type: Int, freeBytes: Int)
    /// These bytes of a file cannot be read (EIO); a read that begins before them ends there.
    case badSectors(Range<Int>)
  }

  /// The first is 1.
  package var number: Int
  package var calls: Calls
  package var effect: Effect
  /// All further ones too.
  package var persists: Bool
  /// Only calls on what lies below this folder; a path without symbolic links.
  package var folder: FilePath?

  /// Makes a fault.
  package init(
    _ effect: Effect, at number: Int = 1, of calls: Calls = .all, persists: Bool = false,
    below folder: FilePath? = nil
  ) {
    self.effect = effect
    self.number = number
    self.calls = calls
    self.persists = persists
    self.folder = folder
  }

  func concerns(_ path: String) -> Bool {
    guard let folder = folder?.string else { return true }
    return path == folder || path.hasPrefix(folder + "/")
  }
}
