import CSystemCalls

/// The arguments of this process, without its name.
///
/// `CommandLine` of Swift finds them by their distance from the environment in memory: it returns none if a preloaded
/// library has moved the environment, or if the process cannot read `/proc/self/maps`. A command without arguments would
/// print its help and report success.
package enum ProcessArguments {
  /// The arguments; U+FFFD replaces each sequence of bytes that is not UTF-8.
  package static var all: [String] { pointers.map { String(cString: $0) } }

  /// Returns true if an argument is UTF-8.
  package static func isUTF8(at index: Int) -> Bool { String(validatingCString: pointers[index]) != nil }

  /// The arguments as the kernel gave them, which nothing changes.
  nonisolated(unsafe) package static let pointers: [UnsafePointer<CChar>] = {
    var pointers: [UnsafePointer<CChar>] = []
    guard var next = smilepile_arguments() else { return [] }
    while let pointer = next.pointee {
      pointers.append(UnsafePointer(pointer))
      next += 1
    }
    return Array(pointers.dropFirst())
  }()
}
