import Glibc
import Synchronization
import SystemPackage

/// The faults that are armed.
enum FaultInjection {
  /// The one thing that every system call looks at.
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
