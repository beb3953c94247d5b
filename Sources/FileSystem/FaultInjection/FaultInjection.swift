import Glibc
import Synchronization
import SystemPackage

/// The armed faults.
enum FaultInjection {
  /// The only value that every system call reads.
  private static let armedCount = Atomic<Int>(0)
  private static let armed = Mutex<[ArmedFault]>([])

  static var isArmed: Bool { armedCount.load(ordering: .relaxed) != 0 }

  static func add(_ fault: ArmedFault) {
    armed.withLock { $0.append(fault) }
    armedCount.add(1, ordering: .relaxed)
  }

  static func remove(_ fault: ArmedFault) {
    armed.withLock { all in
      guard let index = all.firstIndex(where: { $0 === fault }) else { return }
      all.remove(at: index)
      armedCount.subtract(1, ordering: .relaxed)
    }
  }

  /// Returns the effects on a call, which every armed fault counts.
  static func effects(at call: SystemCall, _ descriptor: CInt, _ name: FilePath?) -> [Fault.Effect] {
    armed.withLock { $0 }.filter { $0.happens(at: call) { path(descriptor, name) } }.map(\.fault.effect)
  }

  /// Returns the values of fstatfs(2) that an armed fault sets, whatever its number and calls are; nil if there is none.
  static func fileSystem(of descriptor: CInt) -> (type: Int, freeBytes: Int)? {
    let path = path(descriptor, nil)
    for armed in armed.withLock({ $0 }) where armed.fault.affects(path) {
      if case .fileSystem(let type, let freeBytes) = armed.fault.effect { return (type, freeBytes) }
    }
    return nil
  }

  /// Returns the unreadable bytes of a file that an armed fault sets, whatever its number and calls are; nil if there are
  /// none.
  static func badSectors(of descriptor: CInt) -> Range<Int>? {
    let path = path(descriptor, nil)
    for armed in armed.withLock({ $0 }) where armed.fault.affects(path) {
      if case .badSectors(let range) = armed.fault.effect { return range }
    }
    return nil
  }

  /// Returns the path that a call affects, from the kernel: proc(5).
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
