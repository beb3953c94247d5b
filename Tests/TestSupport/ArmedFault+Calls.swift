import FileSystem
import SystemPackage

extension ArmedFault {
  /// Arms a fault for the whole process. It affects the calls of these kinds, or all calls if `calls` is nil.
  package convenience init(
    _ effect: Fault.Effect, at number: Int = 1, of calls: Set<SystemCall>? = nil, persists: Bool = false,
    below folder: FilePath? = nil
  ) {
    self.init(
      Fault(
        effect, at: number, of: calls.map(Fault.Calls.only) ?? .all, persists: persists, below: folder))
  }
}
