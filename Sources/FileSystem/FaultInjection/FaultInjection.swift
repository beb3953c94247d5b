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
    let faults = armed.withLock { $0.filter { $0.fault.calls.contains(call) } }
    guard !faults.isEmpty else { return [] }
    let path = path(descriptor, name)
    return faults.filter { $0.happens(at: call, path) }.map(\.fault.effect)
  }

  /// Returns the values of fstatfs(2) that an armed fault sets, whatever its number and calls are; nil if there is
  /// none.
  static func fileSystem(of descriptor: CInt) -> (type: Int, freeBytes: Int)? {
    effect(on: descriptor) { effect in
      if case .fileSystem(let type, let freeBytes) = effect { (type, freeBytes) } else { nil }
    }
  }

  /// Returns the unreadable bytes of a file that an armed fault sets, whatever its number and calls are; nil if there
  /// are none.
  static func badSectors(of descriptor: CInt) -> Range<Int>? {
    effect(on: descriptor) { if case .badSectors(let range) = $0 { range } else { nil } }
  }

  /// Returns the first value of the armed faults that affect an open file; nil if `value` returns nil for all of them.
  private static func effect<Value>(on descriptor: CInt, _ value: (Fault.Effect) -> Value?) -> Value? {
    let faults = armed.withLock { $0.filter { value($0.fault.effect) != nil } }
    guard !faults.isEmpty else { return nil }
    let path = path(descriptor, nil)
    return faults.first { $0.fault.affects(path) }.flatMap { value($0.fault.effect) }
  }

  /// Returns the path that a call affects, from the kernel: proc(5).
  private static func path(_ descriptor: CInt, _ name: FilePath?) -> String {
    let name = name?.string ?? "."
    if name.hasPrefix("/") || descriptor == AT_FDCWD { return name }
    let folder = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(max(0, count)), as: UTF8.self)
    }
    return name == "." ? folder : "\(folder)/\(name)"
  }

  static func kill() -> Never {
    Glibc.kill(getpid(), SIGKILL)
    while true { pause() }
  }
}
