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

  /// Makes a call with the effects of the armed faults.
  static func call<Result: FixedWidthInteger>(
    _ kind: SystemCall, _ descriptor: CInt, _ name: FilePath?, _ count: Int, _ body: (Int) -> Result
  ) -> Result {
    let effects = effects(at: kind, descriptor, name)
    var count = count
    for effect in effects {
      switch effect {
      case .error(let error):
        Glibc.errno = error.rawValue
        return -1
      case .short where count > 1: count /= 2
      case .killBefore: kill()
      case .short, .killAfter, .errorAfter, .then, .fileSystem, .badSectors: continue
      }
    }
    var result = body(count)
    var code = Glibc.errno
    for effect in effects {
      switch effect {
      case .killAfter: kill()
      case .then(let action): action()
      case .errorAfter(let error): (result, code) = (-1, error.rawValue)
      case .error, .short, .killBefore, .fileSystem, .badSectors: continue
      }
    }
    Glibc.errno = code
    return result
  }

  /// Returns the effects on a call, which every armed fault counts.
  private static func effects(at call: SystemCall, _ descriptor: CInt, _ name: FilePath?) -> [Fault.Effect] {
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

  private static func kill() -> Never {
    Glibc.kill(getpid(), SIGKILL)
    while true { pause() }
  }
}
