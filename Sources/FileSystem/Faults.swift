import Glibc
import Synchronization
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

  fileprivate func concerns(_ path: String) -> Bool {
    guard let folder = folder?.string else { return true }
    return path == folder || path.hasPrefix(folder + "/")
  }
}

/// A fault that may happen any moment, until the value is told to end it. Several can be armed at a time.
package final class ArmedFault: Sendable {
  let fault: Fault
  private let state = Mutex<(count: Int, place: String?)>((0, nil))

  /// Arms it for the whole process.
  package init(_ fault: Fault) {
    self.fault = fault
    Faults.add(self)
  }

  /// Nothing happens any more.
  package func disarm() { Faults.remove(self) }

  /// The calls counted so far.
  package var count: Int { state.withLock { $0.count } }

  /// The call at which it happened first, as `rename /a/b`; nil if it was not reached.
  package var place: String? { state.withLock { $0.place } }

  /// Counts a call, and says whether the fault is to happen at it.
  fileprivate func happens(at call: SystemCall, _ path: () -> String) -> Bool {
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

/// The faults that are armed.
enum Faults {
  /// The one thing that every system call looks at.
  private static let armedCount = Atomic<Int>(0)
  private static let armed = Mutex<[ArmedFault]>([])

  static var isArmed: Bool { armedCount.load(ordering: .relaxed) != 0 }

  fileprivate static func add(_ fault: ArmedFault) {
    armed.withLock { $0.append(fault) }
    armedCount.add(1, ordering: .relaxed)
  }

  fileprivate static func remove(_ fault: ArmedFault) {
    armed.withLock { all in
      guard let index = all.firstIndex(where: { $0 === fault }) else { return }
      all.remove(at: index)
      armedCount.subtract(1, ordering: .relaxed)
    }
  }

  /// What is to happen at a call; every armed fault counts it.
  static func effects(at call: SystemCall, _ descriptor: CInt, _ name: FilePath?) -> [Fault.Effect] {
    armed.withLock { $0 }.filter { $0.happens(at: call) { path(descriptor, name) } }.map(\.fault.effect)
  }

  /// What fstatfs(2) is to answer, if an armed fault says so; whatever its number and calls are.
  static func fileSystem(of descriptor: CInt) -> (type: Int, freeBytes: Int)? {
    let path = path(descriptor, nil)
    for armed in armed.withLock({ $0 }) where armed.fault.concerns(path) {
      if case .fileSystem(let type, let freeBytes) = armed.fault.effect { return (type, freeBytes) }
    }
    return nil
  }

  /// The bytes of a file that cannot be read, if an armed fault says so; whatever its number and calls are.
  static func badSectors(of descriptor: CInt) -> Range<Int>? {
    let path = path(descriptor, nil)
    for armed in armed.withLock({ $0 }) where armed.fault.concerns(path) {
      if case .badSectors(let range) = armed.fault.effect { return range }
    }
    return nil
  }

  /// What a call works on, as the kernel sees it: proc(5).
  private static func path(_ descriptor: CInt, _ name: FilePath?) -> String {
    if let name, name.isAbsolute { return name.string }
    var folder = ""
    if descriptor != AT_FDCWD {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
      folder = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    guard let name, name != "." else { return folder }
    return folder.isEmpty ? name.string : "\(folder)/\(name)"
  }

  static func kill() -> Never {
    Glibc.kill(getpid(), SIGKILL)
    while true { pause() }
  }
}
